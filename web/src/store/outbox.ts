import { secretMark } from '../wire/secretMark';
import type { SessionEvent } from '../wire/wire';
import { lastSeq, type OutMessage, type SessionEntry, type State } from './state';

type Outbox = SessionEntry['outbox'];

/** Changes what is on its way in a session; change is told the newest event that is known there. */
export function setOutbox(state: State, id: string, change: (outbox: Outbox, last: number) => Outbox): State {
  const entry = state.sessions[id];
  if (!entry) return state;
  return {
    ...state,
    sessions: { ...state.sessions, [id]: { ...entry, outbox: change(entry.outbox, lastSeq(entry)) } },
  };
}

/** A message is given up, or the gateway has it: as that event, which may reach this tab later. */
export function said(outbox: Outbox, key: string, last: number, seq = 0): Outbox {
  const at = outbox.findIndex((m) => m.key === key);
  return outbox.flatMap((m, i) => {
    if (i === at) return seq > last ? [{ ...m, seq }] : [];
    // One event is one message: it does not stand for another of the same words.
    return at >= 0 && i > at && m.seen < seq ? [{ ...m, seen: seq }] : [m];
  });
}

/** The line is lost: what was on its way may have arrived, where the journal does not have it already. */
export function unconfirmed(entry: SessionEntry, me: string | undefined): Outbox {
  const outbox = entry.outbox.map((m): OutMessage =>
    m.phase === 'sending' && m.seq === undefined ? { ...m, phase: 'unconfirmed' } : m,
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
  const found =
    outbox.find((m) => m.seq === event.seq) ??
    outbox.find((m) => m.phase === 'unconfirmed' && isShownAs(m.text, text) && m.seen < event.seq);
  return found ? said(outbox, found.key, event.seq, event.seq) : outbox;
}

/** Whether a text is shown so: the mark stands for a secret in it. */
function isShownAs(text: string, shown: string): boolean {
  const [first = '', ...rest] = shown.split(secretMark);
  const last = rest.pop();
  if (last === undefined) return text === shown;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length >= at + last.length && text.endsWith(last);
}
