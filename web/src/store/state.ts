import type { Address } from '../wire/address';
import type {
  AnswerData,
  ApprovalRequest,
  ApprovalResponse,
  Agent,
  Calls,
  ClientToolCall,
  Grant,
  Halt,
  Identity,
  LoginEnd,
  Outcome,
  Progress,
  Session,
  SessionEvent,
  SessionStatus,
  Snapshot,
} from '../wire/wire';

/** What follows from a journal about its session's status. */
export interface Facts {
  seq: number; // the newest event taken in
  ended?: Outcome;
  turnOpen: boolean;
  lastTurn?: Outcome;
  calls?: Calls | undefined; // what became of the calls, once the turn or session is over
}

/** Whether the gateway sends us everything of a session; of one that was left it may, and nothing is kept. */
export type Follow = 'none' | 'asking' | 'live' | 'unknown' | 'left';

/** A message on its way to the gateway. */
export interface OutMessage {
  key: string;
  text: string;
  seen: number; // the newest event that was known when it was sent
  seq?: number; // the event that it became, where the gateway has told that before the event
  phase: 'sending' | 'unconfirmed' | 'failed';
  error?: string;
}

export interface SessionEntry {
  session: Session;
  facts: Facts; // from what every tab is told
  journalFacts: Facts; // from the events below
  events: readonly SessionEvent[]; // numbered from 1, without gaps
  over: ReadonlySet<string>; // of the newest turn: the messages that are written, the calls that are done
  partials: Readonly<Record<string, string>>; // by message id: text that is still being written
  progress: Readonly<Record<string, Progress>>; // by call: how far those are that run
  follow: Follow;
  /** The newest snapshot does not name it: it neither waits nor runs, and what became of it meanwhile is not known. */
  unsure: boolean;
  outbox: readonly OutMessage[];
}

/** What a person has typed of an answer so far; the fields of a form by their place. */
export interface Draft {
  values?: readonly string[];
  json?: string;
  reason?: string;
  args?: string; // of a call: its arguments as they are being changed
}

/** An answer given here that the gateway has not confirmed yet, or has refused. */
export interface Answer {
  data: AnswerData;
  at: number; // when it was given, by our clock
  phase: 'sending' | 'failed';
  code?: string;
  error?: string;
}

/** A tombstone: an older frame or snapshot can't bring the card back. */
export interface Settled {
  rev: number;
  response?: ApprovalResponse; // absent: answered while this tab was away
}

/** What an agent asks of this tab, and how it is shown. */
export type Showing =
  { kind: 'notification'; text: string } | ({ kind: 'link' } & Address) | { kind: 'copy'; text: string };

export interface ClientCall {
  call: ClientToolCall;
  showing: Showing;
}

export type Notice = { id: number } & (
  | { kind: 'settled'; request: ApprovalRequest; response: ApprovalResponse; late: boolean }
  | { kind: 'away'; count: number }
  | { kind: 'note'; text: string }
  | { kind: 'trouble'; text: string }
);

export interface ConnectionState {
  phase: 'connecting' | 'online' | 'offline';
  attempts: number;
}

/** Why nobody is logged in, or what is wrong with the login link that was opened. */
export type LoginTrouble = LinkTrouble | 'unreachable' | 'token' | 'over';
export type LinkTrouble = 'unknown' | 'used' | 'withdrawn' | 'expired';

/** A valid login link, and whom it logs in. */
export interface GoodLink {
  token: string;
  identity: Identity;
}

export interface State {
  login: 'unknown' | 'in' | 'out';
  loginTrouble?: LoginTrouble | undefined;
  loginEnd?: LoginEnd | undefined; // why the login ended, if the gateway said so
  link?: GoodLink | { trouble: LinkTrouble } | undefined; // the opened login link; trouble only while logged in
  identity?: Identity;
  localKeyAnswers?: boolean; // programs of the gateway's user can answer
  cluster?: boolean; // the gateway is one of several
  connection: ConnectionState;
  version?: string; // of the gateway, as it was when this page was loaded
  updated: boolean; // the gateway is another one by now
  clockOffset: number; // gateway's clock minus ours, in ms
  agents?: readonly Agent[];
  sessions: Readonly<Record<string, SessionEntry>>;
  olderThan?: string; // sessions made before this one may exist that were never told of
  /** Sessions that were spoken of, but are not known: how often; none: the gateway has no such session. */
  wanted: Readonly<Record<string, number | 'none'>>;
  pages?: Snapshot; // of a snapshot whose end has not come yet
  haveSnapshot: boolean;
  viewing?: string; // the session on the screen
  viewed: readonly string[]; // those that were there, the newest first: their journals are kept
  pending: Readonly<Record<string, ApprovalRequest>>;
  settled: Readonly<Record<string, Settled>>;
  answers: Readonly<Record<string, Answer>>;
  drafts: Readonly<Record<string, Draft>>; // of answers, by approval: what is typed outlives its card's place
  viewers: Readonly<Record<string, readonly string[]>>; // by approval: who has it on a screen
  clientCalls: readonly ClientCall[]; // what agents ask of this tab, oldest first
  halts: Readonly<Record<string, Halt>>; // those that are on, by agent; '' is for all
  grants: Readonly<Record<string, Grant>>; // what grants cover, for telling what cleared a call; their uses may be old
  grantChanges: number; // grows when a list of grants that was fetched may be old
  notices: readonly Notice[];
  lastNotice: number;
}

export const initialState: State = {
  login: 'unknown',
  connection: { phase: 'connecting', attempts: 0 },
  updated: false,
  clockOffset: 0,
  sessions: {},
  wanted: {},
  viewed: [],
  haveSnapshot: false,
  pending: {},
  settled: {},
  answers: {},
  drafts: {},
  viewers: {},
  clientCalls: [],
  halts: {},
  grants: {},
  grantChanges: 0,
  notices: [],
  lastNotice: 0,
};

export type NoticeBody = Notice extends infer N ? (N extends { id: number } ? Omit<N, 'id'> : never) : never;

/** How many notices are kept. */
export const mostNotices = 200;

export function withNotice(state: State, body: NoticeBody): State {
  const id = state.lastNotice + 1;
  return {
    ...state,
    lastNotice: id,
    notices: [...state.notices.slice(1 - mostNotices), { ...body, id } as Notice],
  };
}

/** Whether a request is asked in a session, or below it. */
export function isIn(
  { sessionId, above }: Pick<ApprovalRequest, 'sessionId' | 'above'>,
  id: string,
): boolean {
  return sessionId === id || (above?.includes(id) ?? false);
}

/** The cards that wait, of a session those below it too, oldest first, so that a new one never moves the others. */
export function pendingCards(state: Pick<State, 'pending'>, sessionId?: string): ApprovalRequest[] {
  return Object.values(state.pending)
    .filter((r) => sessionId === undefined || isIn(r, sessionId))
    .sort(byAsking);
}

// What is asked in one moment is a reply's, and stands in the order of its calls.
function byAsking(a: ApprovalRequest, b: ApprovalRequest): number {
  return (
    Date.parse(a.requestedAt) - Date.parse(b.requestedAt) ||
    (a.position ?? 0) - (b.position ?? 0) ||
    a.approvalId.localeCompare(b.approvalId)
  );
}

/** Ended → how it ended; a request pending → waiting; a turn open → active; else the last turn, where that is known. */
export function statusOf(entry: SessionEntry, waiting: number): SessionStatus | Calls | undefined {
  const facts = entry.journalFacts.seq >= entry.facts.seq ? entry.journalFacts : entry.facts;
  if (facts.ended) return outcomeOf(facts.ended, facts);
  if (waiting > 0) return 'waiting_approval';
  if (entry.unsure) return undefined;
  if (facts.turnOpen) return 'active';
  return facts.lastTurn ? outcomeOf(facts.lastTurn, facts) : 'idle';
}

// If calls were denied or timed out, it isn't simply completed: the calls say how it ended.
function outcomeOf(outcome: Outcome, { calls }: Facts): Outcome | Calls {
  return outcome === 'completed' && calls && (calls.denied || calls.unanswered) ? calls : outcome;
}

export function lastSeq(entry: Pick<SessionEntry, 'events'>): number {
  return entry.events.at(-1)?.seq ?? 0;
}
