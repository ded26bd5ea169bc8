import { SNAPSHOT_SESSIONS, type Delta, type Progress, type Session, type SessionEvent } from '../wire/wire';
import { extend, settle, settleOld } from './approvals';
import { addGrants, withGrantsOf, withGrantChange } from './grants';
import { arrived, unconfirmed } from './outbox';
import { lastSeq, type Facts, type Follow, type SessionEntry, type State } from './state';

/** What a session object says; the journal refines it once it is read. */
function factsOf(session: Session): Facts {
  const { seq, ended, calls, turnOpen } = session;
  const facts: Facts = { seq, ended, calls, turnOpen: turnOpen === true };
  const { status } = session;
  if (status === 'completed' || status === 'error' || status === 'cancelled') facts.lastTurn = status;
  return facts;
}

function addToFacts(facts: Facts, event: SessionEvent): Facts {
  if (event.seq <= facts.seq) return facts;
  const next = { ...facts, seq: event.seq };
  if (event.type === 'turn.started') next.turnOpen = true;
  if (event.type === 'session.ended') {
    next.ended = event.data.outcome;
    next.calls = event.data.calls;
  }
  if (event.type === 'turn.finished') {
    next.turnOpen = false;
    next.lastTurn = event.data.outcome;
    next.calls = event.data.calls;
  }
  return next;
}

function tellsStatus(entry: SessionEntry, { seq, type }: SessionEvent): boolean {
  return seq > entry.facts.seq && (type === 'turn.started' || type === 'turn.finished');
}

function newEntry(session: Session): SessionEntry {
  return {
    session,
    facts: factsOf(session),
    ...nothing,
    follow: 'none',
    unsure: false,
    outbox: [],
  };
}

const nothing = {
  journalFacts: { seq: 0, turnOpen: false },
  events: [],
  over: new Set<string>(),
  partials: {},
  progress: {},
} satisfies Partial<SessionEntry>;

function put(state: State, entry: SessionEntry): State {
  return { ...state, sessions: { ...state.sessions, [entry.session.sessionId]: entry } };
}

/** Takes a session in that is new, or described again. */
export function addSession(state: State, session: Session): State {
  const known = state.sessions[session.sessionId];
  const { [session.sessionId]: _wanted, ...wanted } = state.wanted;
  const next = { ...state, wanted };
  if (!known) return put(next, newEntry(session));
  const facts = session.seq >= known.facts.seq ? factsOf(session) : known.facts;
  return put(next, { ...known, session, facts, unsure: false });
}

/** The snapshot's list: all that wait or run, and the newest. Others stay, as far as they may be seen. */
export function takeSessions(state: State, list: readonly Session[]): State {
  const agents = state.identity?.agents ?? [];
  const sessions: Record<string, SessionEntry> = {};
  for (const [id, entry] of Object.entries(state.sessions)) {
    const seen = agents.length === 0 || agents.includes(entry.session.agentId);
    if (seen) sessions[id] = { ...entry, follow: 'none', unsure: true };
  }
  const { olderThan: _before, ...rest } = state;
  const oldest = list[SNAPSHOT_SESSIONS - 1]?.sessionId;
  return list.reduce(addSession, { ...rest, sessions, ...(oldest !== undefined && { olderThan: oldest }) });
}

/** A page of the sessions made before one; next is where the page after it begins, if there is one. */
export function addOlder(state: State, before: string, list: readonly Session[], next?: string): State {
  const added = list.reduce(addSession, state);
  if (state.olderThan !== before) return added; // a snapshot has come meanwhile
  const { olderThan: _before, ...rest } = added;
  return next === undefined ? rest : { ...rest, olderThan: next };
}

/** A session is spoken of: who does not know it asks the gateway. */
export function want(state: State, id: string | undefined): State {
  if (id === undefined || state.sessions[id]) return state;
  const times = state.wanted[id];
  return { ...state, wanted: { ...state.wanted, [id]: times === 'none' ? 1 : (times ?? 0) + 1 } };
}

/** What the gateway has answered; times is how often it had been spoken of when it was asked. */
export function takeWanted(state: State, id: string, times: number, session?: Session): State {
  const meanwhile = state.wanted[id] !== times && state.wanted[id] !== undefined;
  const next = session ? addSession(state, session) : state;
  if (meanwhile) return { ...next, wanted: { ...next.wanted, [id]: 1 } };
  return session || next.sessions[id] ? next : { ...next, wanted: { ...next.wanted, [id]: 'none' } };
}

// Who goes back to a session finds it as it was; so many, for a tab may be open for weeks.
const mostViewed = 5;

/** Another session is on the screen, or none. The journals of those long gone from it are not kept. */
export function setViewing(state: State, id: string | undefined): State {
  const before = state.viewing === undefined ? state.viewed : newestFirst(state.viewing, state.viewed);
  const others = before.filter((one) => one !== id);
  const viewed = others.slice(0, mostViewed);
  const sessions = { ...state.sessions };
  for (const old of others.slice(mostViewed)) {
    const entry = sessions[old];
    if (entry) sessions[old] = { ...entry, ...nothing, follow: entry.follow === 'none' ? 'none' : 'left' };
  }
  const { viewing: _before, ...rest } = state;
  return want({ ...rest, sessions, viewed, ...(id !== undefined && { viewing: id }) }, id);
}

function newestFirst(id: string, list: readonly string[]): string[] {
  return [id, ...list.filter((one) => one !== id)];
}

export function setFollow(state: State, id: string, follow: Follow): State {
  const entry = state.sessions[id];
  if (!entry || entry.follow === follow) return state;
  // Left while it was being asked for: the answer comes late.
  if (entry.follow === 'left' && follow !== 'asking') return state;
  return put(state, { ...entry, follow, unsure: entry.unsure && follow !== 'live' });
}

export function unfollowAll(state: State): State {
  const sessions: Record<string, SessionEntry> = {};
  for (const [id, entry] of Object.entries(state.sessions)) {
    const outbox = unconfirmed(entry, state.identity?.subject);
    sessions[id] = { ...entry, follow: 'none', progress: {}, outbox };
  }
  return { ...state, sessions };
}

/** Many entries at once. What was decided long ago is taken in together: there may be thousands. */
export function addJournal(state: State, events: readonly SessionEvent[]): State {
  const decided = events.flatMap((e) => (e.type === 'approval.resolved' ? e.data : []));
  const old = decided.filter((r) => !state.pending[r.approvalId] && !state.answers[r.approvalId]);
  const told = new Set(old.map((r) => r.approvalId));
  return events.reduce((next, event) => addEvent(next, event, told), settleOld(state, old));
}

/**
 * One entry of a journal. A repeated one changes nothing. One beyond a gap is
 * left out and the session asked for again from where we are; before the
 * gateway has confirmed that we follow, it is simply early, and comes again.
 */
export function addEvent(state: State, event: SessionEvent, told: ReadonlySet<string> = nothing.over): State {
  let next = state;
  if (event.type === 'session.created') next = addSession(next, { ...event.data.session, seq: event.seq });
  if (event.type === 'approval.resolved') {
    next = withGrantsOf(next, event.data);
    if (!told.has(event.data.approvalId)) next = settle(next, event.data);
  }
  if (event.type === 'approval.extended') next = extend(next, event.data);
  if (event.type === 'grant.given' || event.type === 'grant.ended') {
    next = withGrantChange(addGrants(next, [event.data]));
  }
  // A call that a grant clears at once is told to followers alone; that its turn is over, to everyone.
  if (event.type === 'turn.finished') next = withGrantChange(next);
  const known = next.sessions[event.session];
  if (!known) return want(next, event.session);
  const facts = addToFacts(known.facts, event);
  const entry = { ...known, unsure: known.unsure && !tellsStatus(known, event) };
  if (entry.follow === 'left') return put(next, { ...entry, facts });
  const last = lastSeq(entry);
  if (event.seq <= last) return put(next, { ...entry, facts });
  if (event.seq > last + 1) {
    return put(next, { ...entry, facts, follow: entry.follow === 'live' ? 'none' : entry.follow });
  }
  return put(next, {
    ...entry,
    facts,
    events: [...entry.events, event],
    journalFacts: addToFacts(entry.journalFacts, event),
    over: withOver(entry.over, event),
    partials: withoutWritten(entry.partials, event),
    progress: withoutDone(entry.progress, event),
    outbox: arrived(entry.outbox, event, next.identity?.subject),
  });
}

function withOver(over: SessionEntry['over'], event: SessionEvent): SessionEntry['over'] {
  switch (event.type) {
    case 'turn.started':
      return nothing.over;
    case 'message.assistant':
      return new Set([...over, event.data.messageId]);
    case 'tool.result':
      return new Set([...over, event.data.toolCallId]);
    default:
      return over;
  }
}

function withoutWritten(partials: SessionEntry['partials'], event: SessionEvent): SessionEntry['partials'] {
  if (event.type === 'turn.finished' || event.type === 'session.ended') return {};
  if (event.type !== 'message.assistant' || partials[event.data.messageId] === undefined) return partials;
  const { [event.data.messageId]: _written, ...rest } = partials;
  return rest;
}

/** A piece of a message that is being written; offset counts as length does. */
export function addDelta(state: State, delta: Delta): State {
  const entry = state.sessions[delta.session];
  if (!entry || entry.follow === 'left' || entry.over.has(delta.messageId)) return state;
  const have = entry.partials[delta.messageId] ?? '';
  if (delta.offset > have.length) {
    // A piece is missing: following again brings the whole text so far.
    return entry.follow === 'live' ? put(state, { ...entry, follow: 'none' }) : state;
  }
  const text = have.slice(0, delta.offset) + delta.text;
  if (text.length <= have.length && delta.offset > 0) return state;
  return put(state, { ...entry, partials: { ...entry.partials, [delta.messageId]: text } });
}

/** Tells how far a call is. Calls only get on: an older word, or one of a call that is over, changes nothing. */
export function addProgress(state: State, progress: Progress): State {
  const entry = state.sessions[progress.session];
  if (!entry || !isRunning(entry, progress.toolCallId)) return state;
  const known = entry.progress[progress.toolCallId];
  if (known && progress.done < known.done) return state;
  return put(state, { ...entry, progress: { ...entry.progress, [progress.toolCallId]: progress } });
}

function isRunning(entry: SessionEntry, toolCallId: string): boolean {
  const turnOpen = entry.facts.turnOpen || entry.journalFacts.turnOpen;
  return turnOpen && entry.follow !== 'left' && !entry.over.has(toolCallId);
}

function withoutDone(progress: SessionEntry['progress'], event: SessionEvent): SessionEntry['progress'] {
  if (event.type === 'turn.finished' || event.type === 'session.ended') return {};
  if (event.type !== 'tool.result' || !(event.data.toolCallId in progress)) return progress;
  const { [event.data.toolCallId]: _done, ...rest } = progress;
  return rest;
}
