import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem, type WatchEvent } from '../src/index.js';
import { broken, fake, refusal, type Step } from './fake.js';

const event = (name: string, data: object, id?: string) =>
  `${id ? `id: ${id}\n` : ''}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const stream = (...events: string[]) => new Response(events.join(''));
const journal = (seq: number) =>
  event('sessionEvent', { session: 's', seq, type: 'turn.started', data: {} }, `s:${seq}`);

/** So many events of a stream, and what was asked for them. */
async function watched(count: number, steps: Step[], what: { sessionId?: string; after?: number } = {}) {
  const f = fake(...steps);
  const enough = new AbortController();
  const events: WatchEvent[] = [];
  for await (const e of f.gateway.watch({ ...what, signal: enough.signal })) {
    events.push(e);
    if (events.length === count) enough.abort();
  }
  return { events, asked: f.asked };
}

describe('what is watched', () => {
  it('goes on after each break where it was', async () => {
    const steps = [stream(journal(3), journal(4)), broken(), refusal(503), stream(journal(5))];
    const { events, asked } = await watched(3, steps, { sessionId: 's', after: 2 });
    assert.deepEqual(
      events.map((e) => e.event === 'sessionEvent' && e.data.seq),
      [3, 4, 5],
    );
    assert.deepEqual(
      asked.map((a) => a.headers['Last-Event-ID']),
      ['s:2', 's:4', 's:4', 's:4'],
    );
    assert.deepEqual(new Set(asked.map((a) => a.what)), new Set(['GET /api/events?sessionId=s']));
  });

  it('begins with one snapshot, put together from its pages, also after a break', async () => {
    const page = (n: number, more: boolean) => event('snapshot', { pending: [n], sessions: [n], more });
    const halts = event('snapshot', { pending: [], sessions: [], halts: ['h'], more: true });
    const steps = [
      stream(halts, page(1, true)),
      stream(page(2, true), page(3, false)),
      stream(halts, page(4, false)),
    ];
    const { events, asked } = await watched(2, steps);
    const whole = (halts: string[], ...numbers: number[]) => ({
      event: 'snapshot',
      data: { pending: numbers, sessions: numbers, halts, more: false },
    });
    assert.deepEqual(events as unknown[], [whole([], 2, 3), whole(['h'], 4)]);
    assert.deepEqual(
      asked.map((a) => a.headers['Last-Event-ID']),
      [undefined, undefined, undefined],
    );
  });

  it('has each request once, whatever else that is called', async () => {
    const request = { approvalId: 'a' };
    const steps = [
      stream(event('approvalRequest', request), event('approval-required', request), journal(1)),
    ];
    const { events } = await watched(2, steps);
    assert.deepEqual(
      events.map((e) => e.event),
      ['approvalRequest', 'sessionEvent'],
    );
  });

  it('ends where the gateway refuses', async () => {
    await assert.rejects(
      watched(1, [refusal(403, 'forbidden')]),
      (e) => e instanceof Problem && e.status === 403,
    );
  });

  it('is hung up when the reader has enough', async () => {
    const f = fake(stream(journal(1), journal(2)));
    for await (const e of f.gateway.watch()) {
      assert.equal(e.event, 'sessionEvent');
      break;
    }
    assert.equal(f.asked[0]!.signal!.aborted, true);
  });
});
