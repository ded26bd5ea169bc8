import type { SessionEvent } from '../wire/wire';
import type { OutMessage, SessionEntry, State } from './state';

type Outbox = SessionEntry['outbox'];

export function setOutbox(state: State, id: string, change: (outbox: Outbox) => Outbox): State {
  const entry = state.sessions[id];
  if (!entry) return state;
  return { ...state, sessions: { ...state.sessions, [id]: { ...entry, outbox: change(entry.outbox) } } };
}

/** A message is in the journal, as that event; without a number it is only given up. */
export function said(outbox: Outbox, key: string, seq = 0): Outbox {
  const at = outbox.findIndex((m) => m.key === key);
  // One event is one message: it does not stand for another of the same words.
  return outbox.flatMap((m, i) => {
    if (i === at) return [];
    return at >= 0 && i > at && m.seen < seq ? [{ ...m, seen: seq }] : [m];
  });
}

/** The line is lost: what was on its way may have arrived, where the journal does not have it already. */
export function unconfirmed(entry: SessionEntry, me: string | undefined): Outbox {
  const outbox = entry.outbox.map((m): OutMessage =>
    m.phase === 'sending' ? { ...m, phase: 'unconfirmed' } : m,
  );
  const oldest = Math.min(...outbox.map((m) => m.seen));
  const since = entry.events.filter((e) => e.seq > oldest);
  return since.reduce<Outbox>((left, event) => arrived(left, event, me), outbox);
}

/** What the journal has did arrive, though that was never confirmed. */
export function arrived(outbox: Outbox, event: SessionEvent, me: string | undefined): Outbox {
  if (outbox.length === 0 || event.type !== 'message.user') return outbox;
  const { text, by } = event.data;
  if (by && by !== me) return outbox;
  const found = outbox.find((m) => m.phase === 'unconfirmed' && m.text === text && m.seen < event.seq);
  return found ? said(outbox, found.key, event.seq) : outbox;
}
