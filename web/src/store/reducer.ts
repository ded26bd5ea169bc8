import type {
  Agent,
  AnswerData,
  ApprovalResponse,
  Grant,
  Identity,
  ModeSetting,
  ServerFrame,
  Session,
  SessionEvent,
  Snapshot,
} from '../wire/wire';
import { addRequest, refuse, replacePending, setViewers, settle } from './approvals';
import { hideCall, showCall, withdrawCalls } from './clientCalls';
import { addGrants, withGrantsOf, setMode } from './grants';
import { addHalt, replaceHalts } from './halts';
import { said, setOutbox } from './outbox';
import {
  addDelta,
  addOlder,
  addEvent,
  addJournal,
  addProgress,
  addSession,
  setFollow,
  setViewing,
  takeSessions,
  takeWanted,
  unfollowAll,
  want,
} from './sessions';
import {
  withNotice,
  type ClientCall,
  type ConnectionState,
  type Draft,
  type Follow,
  type OutMessage,
  type State,
} from './state';

/** What a tab does or learns, other than by a frame. */
export type Action =
  | {
      type: 'loggedIn';
      identity: Identity;
      localKeyAnswers?: boolean | undefined;
      cluster?: boolean | undefined;
    }
  | { type: 'loggedOut'; trouble?: State['loginTrouble']; end?: State['loginEnd'] }
  | { type: 'link'; link?: State['link'] }
  | { type: 'connection'; connection: ConnectionState }
  | { type: 'frame'; frame: ServerFrame; now: number }
  | { type: 'journal'; events: readonly SessionEvent[] }
  | { type: 'agents'; agents: readonly Agent[] }
  | { type: 'mode'; set: ModeSetting }
  | { type: 'grants'; grants: readonly Grant[] }
  | { type: 'sessionCreated'; session: Session }
  | { type: 'olderSessions'; before: string; sessions: readonly Session[]; next?: string | undefined }
  | { type: 'want'; session: string }
  | { type: 'wantedSession'; id: string; times: number; session?: Session }
  | { type: 'view'; session?: string }
  | { type: 'follow'; session: string; follow: Follow }
  | { type: 'drafting'; approvalId: string; draft: Draft }
  | { type: 'answering'; data: AnswerData; at: number }
  | { type: 'answerTaken'; response: ApprovalResponse }
  | { type: 'answerLate'; approvalId: string; response: ApprovalResponse }
  | { type: 'answerRefused'; approvalId: string; code: string; message: string }
  | { type: 'saying'; session: string; message: OutMessage }
  | { type: 'said'; session: string; key: string; seq?: number }
  | { type: 'sayFailed'; session: string; key: string; error: string }
  | { type: 'clientShown'; shown: ClientCall }
  | { type: 'clientHidden'; toolCallId: string }
  | { type: 'note'; text: string }
  | { type: 'trouble'; text: string };

/** The whole behaviour of the page as a function: the same inputs give the same screen in every tab. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'loggedIn':
      return {
        ...asAnother(state, action.identity),
        login: 'in',
        loginTrouble: undefined,
        loginEnd: undefined,
        link: undefined,
        identity: action.identity,
        localKeyAnswers: action.localKeyAnswers ?? false,
        cluster: action.cluster ?? false,
      };
    case 'loggedOut':
      return { ...state, login: 'out', loginTrouble: action.trouble, loginEnd: action.end };
    case 'link':
      return { ...state, link: action.link };
    case 'connection':
      return connection(state, action.connection);
    case 'frame':
      return frame(state, action.frame, action.now);
    case 'journal':
      return addJournal(state, action.events);
    case 'agents':
      return { ...state, agents: action.agents };
    case 'mode':
      return setMode(state, action.set);
    case 'grants':
      return addGrants(state, action.grants);
    case 'sessionCreated':
      return addSession(state, action.session);
    case 'olderSessions':
      return addOlder(state, action.before, action.sessions, action.next);
    case 'want':
      return want(state, action.session);
    case 'wantedSession':
      return takeWanted(state, action.id, action.times, action.session);
    case 'view':
      return setViewing(state, action.session);
    case 'follow':
      return setFollow(state, action.session, action.follow);
    case 'drafting': {
      const draft = { ...state.drafts[action.approvalId], ...action.draft };
      return { ...state, drafts: { ...state.drafts, [action.approvalId]: draft } };
    }
    case 'answering': {
      const { data, at } = action;
      return { ...state, answers: { ...state.answers, [data.approvalId]: { data, at, phase: 'sending' } } };
    }
    case 'answerTaken':
      return settle(state, action.response);
    case 'answerLate':
      return late(state, action.approvalId, action.response);
    case 'answerRefused':
      return refuse(state, action.approvalId, action.code, action.message);
    case 'saying':
      return setOutbox(state, action.session, (o) => [
        ...o.filter((m) => m.key !== action.message.key),
        action.message,
      ]);
    case 'said':
      return setOutbox(state, action.session, (o, last) => said(o, action.key, last, action.seq));
    case 'sayFailed':
      return setOutbox(state, action.session, (o) =>
        o.map((m) => (m.key === action.key ? { ...m, phase: 'failed', error: action.error } : m)),
      );
    case 'clientShown':
      return showCall(state, action.shown);
    case 'clientHidden':
      return hideCall(state, action.toolCallId);
    case 'note':
      return withNotice(state, { kind: 'note', text: action.text });
    case 'trouble':
      return withNotice(state, { kind: 'trouble', text: action.text });
  }
}

/** What one person has typed and answered is not another's to send, nor what that one saw another's to see. */
function asAnother(state: State, identity: Identity): State {
  if (!state.identity || state.identity.subject === identity.subject) return state;
  const { olderThan: _before, ...rest } = state;
  return { ...rest, answers: {}, drafts: {}, sessions: {}, wanted: {} };
}

/**
 * Somebody was faster, or the deadline: what stands is shown, and that ours was not
 * taken, also where everyone was told of it before.
 */
function late(state: State, approvalId: string, response: ApprovalResponse): State {
  const next = settle(state, response, { late: true });
  const { [approvalId]: _answer, ...answers } = next.answers;
  const told = next.notices.find(
    (notice) => notice.kind === 'settled' && notice.response.approvalId === approvalId,
  );
  if (told?.kind !== 'settled' || told.late) return { ...next, answers };
  const notices = next.notices.filter((notice) => notice !== told);
  return withNotice(
    { ...next, answers, notices },
    { kind: 'settled', request: told.request, response: told.response, late: true },
  );
}

function connection(state: State, next: ConnectionState): State {
  const lost = state.connection.phase === 'online' && next.phase !== 'online';
  return { ...(lost ? withdrawCalls(unfollowAll(state)) : state), connection: next };
}

type Welcome = Extract<ServerFrame, { event: 'welcome' }>['data'];

// A page of one version may not understand the frames of another.
function welcome(state: State, { identity, serverTime, version }: Welcome, now: number): State {
  const known = state.version ?? version;
  const { pages: _begun, ...rest } = state;
  return {
    ...rest,
    identity,
    clockOffset: Date.parse(serverTime) - now,
    ...(known === undefined ? {} : { version: known }),
    updated: known !== undefined && version !== undefined && version !== known,
  };
}

/** The pages of a snapshot are taken in together: what none of them names is gone only then. */
function snapshot(state: State, page: Snapshot): State {
  const { pages, ...rest } = state;
  const pending = [...(pages?.pending ?? []), ...page.pending];
  const sessions = [...(pages?.sessions ?? []), ...page.sessions];
  const halts = [...(pages?.halts ?? []), ...(page.halts ?? [])];
  if (page.more) return { ...rest, pages: { pending, sessions, halts, more: true } };
  const known = replaceHalts({ ...rest, haveSnapshot: true }, halts);
  const next = replacePending(takeSessions(known, sessions), pending);
  return want(next, next.viewing);
}

function frame(state: State, f: ServerFrame, now: number): State {
  switch (f.event) {
    case 'welcome':
      return welcome(state, f.data, now);
    case 'snapshot':
      return snapshot(state, f.data);
    case 'approvalRequest':
      return want(addRequest(state, f.data), f.data.sessionId);
    case 'approvalResponse':
      return settle(withGrantsOf(state, f.data), f.data);
    case 'sessionEvent':
      return addEvent(state, f.data);
    case 'delta':
      return addDelta(state, f.data);
    case 'progress':
      return addProgress(state, f.data);
    case 'halt':
      return addHalt(state, f.data);
    case 'mode':
      return setMode(state, f.data);
    case 'presence':
      return setViewers(state, f.data.approvalId, f.data.viewers);
    case 'toolCall':
    case 'toolCancel': // shown and hidden by the client tools, which answer them
    case 'ack':
    case 'error':
      return state; // the connection matches acks and errors with what was sent
  }
}
