import type { ApprovalRequest, ApprovalResponse, Extended } from '../wire/wire';
import { withNotice, type Settled, type State } from './state';

/** Takes a request in, unless something newer is known of it. */
export function addRequest(state: State, request: ApprovalRequest): State {
  const known = state.pending[request.approvalId];
  if (isSettled(state, request) || (known && known.rev >= request.rev)) return state;
  return { ...state, pending: { ...state.pending, [request.approvalId]: request } };
}

/** The program that asked has moved its deadline. */
export function extend(state: State, { approvalId, expiresAt, rev }: Extended): State {
  const known = state.pending[approvalId];
  return known && known.rev < rev ? addRequest(state, { ...known, expiresAt, rev }) : state;
}

function isSettled(state: State, request: ApprovalRequest): boolean {
  const tomb = state.settled[request.approvalId];
  return tomb !== undefined && tomb.rev >= request.rev;
}

/** A snapshot is all that waits: what it does not name was answered elsewhere. */
export function replacePending(state: State, list: readonly ApprovalRequest[]): State {
  const pending: Record<string, ApprovalRequest> = {};
  for (const request of list) {
    if (isSettled(state, request)) continue;
    const known = state.pending[request.approvalId];
    pending[request.approvalId] = known && known.rev >= request.rev ? known : request;
  }
  const gone = Object.values(state.pending).filter((r) => !pending[r.approvalId]);
  if (gone.length === 0) return { ...state, pending, drafts: draftsOf(state, pending) };
  const settled = withTombs(
    state.settled,
    gone.map((r) => [r.approvalId, { rev: r.rev }]),
  );
  // An answer of ours that is still unconfirmed is sent again and tells how it ended.
  const unheard = gone.filter((r) => state.answers[r.approvalId]?.phase !== 'sending');
  const answers = { ...state.answers };
  for (const request of unheard) delete answers[request.approvalId];
  const drafts = draftsOf(state, pending);
  const next = { ...state, pending, settled, answers, drafts };
  return unheard.length > 0 ? withNotice(next, { kind: 'away', count: unheard.length }) : next;
}

// What is typed is kept for what waits, and for answers of ours that are on their way.
function draftsOf(state: State, pending: State['pending']): State['drafts'] {
  const kept = Object.entries(state.drafts).filter(
    ([id]) => pending[id] || state.answers[id]?.phase === 'sending',
  );
  return Object.fromEntries(kept);
}

/**
 * An answer that stands. It may come more than once: broadcast to every tab, as
 * the confirmation of our own answer, with the refusal of a late one, and from
 * the journal; it is announced once.
 */
export function settle(state: State, response: ApprovalResponse, options: { late?: boolean } = {}): State {
  const id = response.approvalId;
  const request = state.pending[id];
  const tomb = state.settled[id];
  // An answer is never reopened, so one without a number stands above its request.
  const rev = response.rev ?? (request?.rev ?? tomb?.rev ?? 0) + 1;
  if (tomb?.response && tomb.rev >= rev) return state;
  if (request && rev < request.rev) return state;
  const { [id]: _card, ...pending } = state.pending;
  const { [id]: _answer, ...answers } = state.answers;
  const { [id]: _draft, ...drafts } = state.drafts;
  const { [id]: _viewers, ...viewers } = state.viewers;
  const next = {
    ...state,
    pending,
    answers,
    drafts,
    viewers,
    settled: withTombs(state.settled, [[id, { rev, response }]]),
  };
  return request
    ? withNotice(next, { kind: 'settled', request, response, late: options.late ?? false })
    : next;
}

/** Answers to what does not wait here: they only leave their traces. */
export function settleOld(state: State, list: readonly ApprovalResponse[]): State {
  const tombs = list.flatMap((response): [string, Settled][] => {
    const tomb = state.settled[response.approvalId];
    const rev = response.rev ?? (tomb?.rev ?? 0) + 1;
    return tomb?.response && tomb.rev >= rev ? [] : [[response.approvalId, { rev, response }]];
  });
  return tombs.length > 0 ? { ...state, settled: withTombs(state.settled, tombs) } : state;
}

// Frames come in order, so only what was settled lately can be asked for by an
// older one: a tab that is open for weeks need not keep the rest.
const mostTombs = 1024;

function withTombs(settled: State['settled'], tombs: readonly [string, Settled][]): State['settled'] {
  const all = { ...settled, ...Object.fromEntries(tombs) };
  const entries = Object.entries(all);
  return entries.length > mostTombs ? Object.fromEntries(entries.slice(-mostTombs / 2)) : all;
}

/** The gateway would not take our answer. */
export function refuse(state: State, id: string, code: string, message: string): State {
  const answer = state.answers[id];
  if (!answer) return state;
  if (state.pending[id]) {
    return {
      ...state,
      answers: { ...state.answers, [id]: { ...answer, phase: 'failed', code, error: message } },
    };
  }
  const { [id]: _answer, ...answers } = state.answers;
  return withNotice({ ...state, answers }, { kind: 'trouble', text: message });
}

/** Who has a request on a screen; of what does not wait any more nobody wants to know. */
export function setViewers(state: State, id: string, list: readonly string[]): State {
  const { [id]: _before, ...viewers } = state.viewers;
  return { ...state, viewers: state.pending[id] && list.length > 0 ? { ...viewers, [id]: list } : viewers };
}
