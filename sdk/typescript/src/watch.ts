import { EventStream, type RawEvent } from './eventStream.js';
import { passing, pause, reached, Unreachable, type Transport } from './transport.js';
import type { ServerData, Snapshot } from './types.js';

const silence = 60_000; // ms without a sign of life, after which a stream is taken as dead; the gateway gives one every 15 s
const firstPause = 100; // ms
const longestPause = 10_000;

/** What a stream brings: docs/protocol.md says what each event is. */
export type WatchEvent = {
  [E in Streamed]: { event: E; data: ServerData[E] };
}[Streamed];

type Streamed =
  | 'snapshot'
  | 'approvalRequest'
  | 'approvalResponse'
  | 'sessionEvent'
  | 'delta'
  | 'progress'
  | 'mode'
  | 'halt';

/** What is watched. */
export interface Watched {
  /** A session, from its journal on; without one, what concerns everyone. */
  sessionId?: string;
  /** The number of the last event of the session's journal that is known. */
  after?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/** See Lineclear.watch. */
export async function* watch(
  gateway: Transport,
  { sessionId, after = 0, signal }: Watched,
): AsyncGenerator<WatchEvent> {
  let last = sessionId ? `${sessionId}:${after}` : '';
  let rest = firstPause;
  while (!signal?.aborted) {
    const pages = new SnapshotPages();
    try {
      for await (const raw of stream(gateway, sessionId, last, signal)) {
        rest = firstPause;
        last = raw.lastEventId || last;
        if (raw.event === 'approval-required') continue; // approvalRequest has the same
        const event = pages.whole({ event: raw.event, data: gateway.parse(raw.data) } as WatchEvent);
        if (event) yield event;
        if (signal?.aborted) return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!passing(error)) throw error;
    }
    await pause(rest * (0.5 + Math.random()), signal);
    rest = Math.min(2 * rest, longestPause);
  }
}

/** Puts the pages of a snapshot together. */
class SnapshotPages {
  private so: Snapshot = { pending: [], sessions: [], halts: [], more: false };

  /** Takes an event in, and returns it once it is whole. */
  whole(event: WatchEvent): WatchEvent | undefined {
    if (event.event !== 'snapshot') return event;
    const { pending, sessions, halts, more } = event.data;
    this.so.pending.push(...pending);
    this.so.sessions.push(...sessions);
    this.so.halts!.push(...(halts ?? []));
    if (more) return undefined;
    const data = this.so;
    this.so = { pending: [], sessions: [], halts: [], more: false };
    return { event: 'snapshot', data };
  }
}

/** One connection's events, until it breaks. */
async function* stream(
  gateway: Transport,
  sessionId: string | undefined,
  last: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<RawEvent> {
  const hangUp = new AbortController();
  const both = signal ? AbortSignal.any([signal, hangUp.signal]) : hangUp.signal;
  const isDead = () => hangUp.abort(new Unreachable(undefined, 'the stream is silent'));
  let alive = setTimeout(isDead, silence);
  try {
    const path = `/api/events${sessionId ? `?sessionId=${encodeURIComponent(sessionId)}` : ''}`;
    const headers = { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) };
    const { body } = await gateway.open('GET', path, { headers, signal: both });
    const events = new EventStream();
    const text = new TextDecoder();
    const reader = body!.getReader();
    for (;;) {
      const { done, value } = await reached(reader.read(), both);
      if (done) return;
      clearTimeout(alive);
      alive = setTimeout(isDead, silence);
      yield* events.take(text.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(alive);
    hangUp.abort();
  }
}
