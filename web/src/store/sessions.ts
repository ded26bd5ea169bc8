import type { Delta, Progress, Session, SessionEvent } from '../wire';
import { settle } from './approvals';
import { addGrants, heardOf, withGrantNews } from './grants';
import { lastSeq, type Facts, type Follow, type SessionEntry, type State } from './state';

/** What a session object says; the journal refines it once it is read. */
function factsOf(session: Session): Facts {
  const facts: Facts = { seq: session.seq, ended: session.ended, turnOpen: session.turnOpen === true };
  const { status } = session;
  if (status === 'completed' || status === 'error' || status === 'cancelled') facts.lastTurn = status;
  return facts;
}

function addToFacts(facts: Facts, event: SessionEvent): Facts {
  if (event.seq <= facts.seq) return facts;
  const next = { ...facts, seq: event.seq };
  if (event.type === 'turn.started') next.turnOpen = true;
  if (event.type === 'session.ended') next.ended = event.data.outcome;
  if (event.type === 'turn.finished') {
    next.turnOpen = false;
    next.lastTurn = event.data.outcome;
  }
  return next;
}

function newEntry(session: Session): SessionEntry {
  return {
    session,
    facts: factsOf(session),
    journalFacts: { seq: 0, turnOpen: false },
    events: [],
    partials: {},
    progress: {},
    follow: 'none',
    outbox: [],
  };
}

function put(state: State, entry: SessionEntry): State {
  return { ...state, sessions: { ...state.sessions, [entry.session.sessionId]: entry } };
}

/** Takes a session in that is new, or described anew. */
export function addSession(state: State, session: Session): State {
  const known = state.sessions[session.sessionId];
  if (!known) return put(state, newEntry(session));
  const facts = session.seq >= known.facts.seq ? factsOf(session) : known.facts;
  return put(state, { ...known, session, facts });
}

/** The snapshot's list is complete: other sessions exist no more. */
export function replaceSessions(state: State, list: readonly Session[]): State {
  let next: State = { ...state, sessions: {} };
  for (const session of list) {
    const known = state.sessions[session.sessionId];
    if (known) next = put(next, { ...known, follow: 'none' });
    next = addSession(next, session);
  }
  return next;
}

export function setFollow(state: State, id: string, follow: Follow): State {
  const entry = state.sessions[id];
  return entry && entry.follow !== follow ? put(state, { ...entry, follow }) : state;
}

export function unfollowAll(state: State): State {
  const sessions: Record<string, SessionEntry> = {};
  for (const [id, entry] of Object.entries(state.sessions)) {
    sessions[id] = { ...entry, follow: 'none', progress: {}, outbox: entry.outbox.map(unconfirmed) };
  }
  return { ...state, sessions };
}

function unconfirmed(message: SessionEntry['outbox'][number]): SessionEntry['outbox'][number] {
  return message.phase === 'sending' ? { ...message, phase: 'unconfirmed' } : message;
}

/**
 * One entry of a journal. A repeated one changes nothing. One beyond a gap is
 * left out and the session asked for again from where we are; before the
 * gateway has confirmed that we follow, it is simply early, and comes again.
 */
export function addEvent(state: State, event: SessionEvent): State {
  let next = state;
  if (event.type === 'session.created') next = addSession(next, { ...event.data.session, seq: event.seq });
  if (event.type === 'approval.resolved') next = settle(heardOf(next, event.data), event.data);
  if (event.type === 'grant.given' || event.type === 'grant.ended') {
    next = withGrantNews(addGrants(next, [event.data]));
  }
  // A call that a grant clears at once is told to followers alone; that its turn is over, to everyone.
  if (event.type === 'turn.finished') next = withGrantNews(next);
  const entry = next.sessions[event.session];
  if (!entry) return next;
  const facts = addToFacts(entry.facts, event);
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
    partials: withoutWritten(entry.partials, event),
    progress: withoutDone(entry.progress, event),
  });
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
  if (!entry || isWritten(entry, delta.messageId)) return state;
  const have = entry.partials[delta.messageId] ?? '';
  if (delta.offset > have.length) {
    // A piece is missing: following anew brings the whole text so far.
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
  return turnOpen && !entry.events.some((e) => e.type === 'tool.result' && e.data.toolCallId === toolCallId);
}

function withoutDone(progress: SessionEntry['progress'], event: SessionEvent): SessionEntry['progress'] {
  if (event.type === 'turn.finished' || event.type === 'session.ended') return {};
  if (event.type !== 'tool.result' || !(event.data.toolCallId in progress)) return progress;
  const { [event.data.toolCallId]: _done, ...rest } = progress;
  return rest;
}

function isWritten(entry: SessionEntry, messageId: string): boolean {
  return entry.events.some((e) => e.type === 'message.assistant' && e.data.messageId === messageId);
}

export function setOutbox(
  state: State,
  id: string,
  change: (o: SessionEntry['outbox']) => SessionEntry['outbox'],
): State {
  const entry = state.sessions[id];
  return entry ? put(state, { ...entry, outbox: change(entry.outbox) }) : state;
}
