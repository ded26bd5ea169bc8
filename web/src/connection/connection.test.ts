// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from './connection';
import { createStore, type Store } from '../store/store';
import { FakeSocket } from '../test/socket';
import { golden, takenNames } from '../test/golden';

const welcome = golden('welcome', 'welcome');
const snapshot = golden('snapshot', 'snapshot');
const presence = golden('presence', 'presence');
const request = golden('approvalRequest', 'approvalRequest').data;
const answer = {
  approvalId: request.approvalId,
  sessionId: request.sessionId,
  argsDigest: request.argsDigest,
  status: 'approved' as const,
  scope: 'once' as const,
};

let store: Store;
let connection: Connection;
let tickets: number;
let ticketStatus: number;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  tickets = 0;
  ticketStatus = 200;
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(JSON.stringify({ ticket: `t${++tickets}` }), { status: ticketStatus })),
  );
  store = createStore();
  connection = new Connection(store);
  connection.start();
});

afterEach(() => connection.stop());

/** The newest socket, once all that is due has happened. */
async function socket(n: number): Promise<FakeSocket> {
  await vi.waitFor(() => expect(FakeSocket.all).toHaveLength(n));
  return FakeSocket.all[n - 1]!;
}

const phase = () => store.get().connection.phase;

describe('which request a tab shows', () => {
  const views = (s: FakeSocket) => s.of('viewing').map((f) => f.data['approvalId']);

  it('is told once it has stayed on the screen, and not for each one that is scrolled past', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    for (const id of ['a', 'b', 'c']) {
      connection.look(id, true);
      if (id !== 'c') connection.look(id, false);
    }
    expect(views(s)).toEqual([]);
    vi.advanceTimersByTime(400);
    expect(views(s)).toEqual(['c']);
    connection.look('a', false); // late news of another one
    vi.advanceTimersByTime(400);
    expect(views(s)).toEqual(['c']);
    connection.look('c', false);
    vi.advanceTimersByTime(400);
    expect(views(s)).toEqual(['c', '']);
  });

  it('is told again to a gateway that has forgotten it', async () => {
    const first = await socket(1);
    first.open(welcome, snapshot);
    connection.look('a', true);
    vi.advanceTimersByTime(400);
    first.drop();
    const second = await socket(2);
    second.open(welcome, snapshot);
    expect(views(second)).toEqual(['a']);
  });
});

describe('the connection', () => {
  it('offers the protocol and a fresh ticket at every connect', async () => {
    const first = await socket(1);
    expect(first.protocols).toEqual(['lineclear.v1', 'ticket.t1']);
    first.open(welcome, snapshot);
    first.drop();
    expect((await socket(2)).protocols).toEqual(['lineclear.v1', 'ticket.t2']);
  });

  it('is up when the snapshot is in, and down as soon as it is lost', async () => {
    const s = await socket(1);
    s.open(welcome);
    expect(phase()).toBe('connecting');
    s.give(snapshot);
    expect(phase()).toBe('online');
    s.drop();
    expect(phase()).toBe('offline');
  });

  it('asks for the login when the gateway does not know us any more', async () => {
    (await socket(1)).open(welcome, snapshot);
    ticketStatus = 401;
    FakeSocket.all[0]!.drop();
    await vi.waitFor(() => expect(store.get().login).toBe('out'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('starts over when somebody comes back to a tab that has slept, with the gateway’s time as it is now', async () => {
    (await socket(1)).open(welcome, snapshot);
    window.dispatchEvent(new Event('focus'));
    expect(phase()).toBe('online'); // it has not slept
    vi.setSystemTime(Date.now() + 24 * 3600_000);
    window.dispatchEvent(new Event('focus'));
    expect(phase()).toBe('offline');
    const again = await socket(2);
    again.open(welcome, snapshot);
    expect(phase()).toBe('online');
    expect(store.get().clockOffset).toBe(Date.parse(welcome.data.serverTime) - Date.now());
  });

  it('starts over by itself when its timers come a day late', async () => {
    (await socket(1)).open(welcome, snapshot);
    vi.setSystemTime(Date.now() + 24 * 3600_000);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(FakeSocket.all[0]!.of('viewing')).toHaveLength(0);
    expect(phase()).toBe('offline');
  });

  it('tells how long a round trip takes', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    const took = connection.ping();
    vi.advanceTimersByTime(30);
    const [asked] = s.of('viewing');
    s.give({ event: 'ack', id: asked!.id!, data: {} });
    expect(await took).toBe(30);
    s.drop();
    await expect(connection.ping()).rejects.toThrow();
  });

  it('notices a line that has died without a word', async () => {
    (await socket(1)).open(welcome, snapshot);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(FakeSocket.all[0]!.of('viewing')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(phase()).toBe('offline');
    await socket(2);
  });

  it('sends only names that the gateway takes', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    store.dispatch({ type: 'view', session: request.sessionId });
    connection.answer({ ...answer, message: 'because' });
    connection.say(request.sessionId, 'hello');
    connection.cancel(request.sessionId);
    s.give(presence); // shows that the gateway is alive
    await vi.advanceTimersByTimeAsync(20_000);
    expect(new Set(s.sent.map((f) => f.event))).toEqual(
      new Set(['hello', 'subscribe', 'approvalResponse', 'message', 'cancel', 'viewing']),
    );
    for (const frame of s.sent) {
      const taken = takenNames(frame.event);
      expect(Object.keys(frame.data).filter((name) => !taken.has(name))).toEqual([]);
    }
  });
});

describe('what agents ask of this tab', () => {
  const call = golden('toolCall', 'toolCall');

  it('is what the tab says that it runs, and is answered over the same line', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    expect(s.of('hello').map((f) => f.data)).toEqual([
      {
        client: 'dashboard',
        capabilities: ['approvals', 'elicitation', 'clientTools'],
        tools: ['ui.showNotification', 'ui.openLink', 'ui.copyText'],
      },
    ]);
    s.give(call);
    s.give(call);
    connection.finishTool(call.data.toolCallId, { result: { copied: true } });
    connection.finishTool(call.data.toolCallId, { error: 'the person declined' });
    const { toolCallId } = call.data;
    expect(s.of('toolStart').map((f) => f.data)).toEqual([{ toolCallId }, { toolCallId }]);
    expect(s.of('toolResult').map((f) => f.data)).toEqual([{ toolCallId, result: { copied: true } }]);
    for (const frame of [...s.of('toolStart'), ...s.of('toolResult')]) {
      const taken = takenNames(frame.event);
      expect(Object.keys(frame.data).filter((name) => !taken.has(name))).toEqual([]);
    }
  });

  it('goes when the gateway cancels it, or does not know it any more', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    s.give(call);
    s.give(golden('toolCancel', 'toolCancel'));
    expect(store.get().clientCalls).toEqual([]);
    s.give(call);
    expect(store.get().clientCalls).toHaveLength(1);
    const data = { code: 'unknown_call', message: 'there is no such call' };
    s.give({ event: 'error', id: s.of('toolStart')[1]!.id, data });
    expect(store.get().clientCalls).toEqual([]);
    expect(store.get().notices).toEqual([]);
  });
});

describe('an answer', () => {
  it('that was not confirmed is sent again after a reconnect, and settles the card', async () => {
    (await socket(1)).open(welcome, snapshot);
    connection.answer(answer);
    FakeSocket.all[0]!.drop();
    const second = await socket(2);
    second.open(welcome);
    expect(second.of('approvalResponse')).toEqual([]);
    second.give(snapshot);
    const again = second.of('approvalResponse');
    expect(again.map((f) => f.data)).toEqual([answer]);
    second.give({ ...golden('ack-answer', 'ack'), id: again[0]!.id });
    expect(store.get().pending).toEqual({});
    expect(store.get().answers).toEqual({});
  });

  describe('of more than a minute ago, when the line is back', () => {
    async function back(pending: (typeof request)[]): Promise<FakeSocket> {
      (await socket(1)).open(welcome, snapshot);
      connection.answer(answer);
      FakeSocket.all[0]!.drop();
      vi.setSystemTime(Date.now() + 61_000);
      const second = await socket(2);
      second.open(welcome, { ...snapshot, data: { ...snapshot.data, pending } });
      return second;
    }

    it('is not sent by itself where it would only now decide something', async () => {
      const second = await back([request]);
      expect(second.of('approvalResponse')).toEqual([]);
      expect(store.get().answers[request.approvalId]).toMatchObject({ phase: 'failed', code: 'stale' });
      connection.answer(answer); // the person has looked again
      expect(second.of('approvalResponse').map((f) => f.data)).toEqual([answer]);
    });

    it('asks what became of it where the request waits no more', async () => {
      const second = await back([]);
      expect(second.of('approvalResponse').map((f) => f.data)).toEqual([answer]);
    });
  });

  it('is sent once, however often the button is pressed', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    connection.answer(answer);
    connection.answer(answer);
    expect(s.of('approvalResponse')).toHaveLength(1);
  });

  it('that came too late shows what stands', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    connection.answer({ ...answer, status: 'denied' });
    s.give({ ...golden('error-already-decided', 'error'), id: s.of('approvalResponse')[0]!.id });
    expect(store.get().notices).toMatchObject([
      { kind: 'settled', late: true, response: { status: 'approved' } },
    ]);
  });
});

describe('what comes in a flood', () => {
  it('is drawn some at a time, and in order', async () => {
    const s = await socket(1);
    s.open(welcome, { ...snapshot, data: { ...snapshot.data, pending: [] } });
    vi.advanceTimersByTime(50);
    let told = 0;
    store.subscribe(() => told++);
    for (let i = 0; i < 100; i++) {
      s.give({ event: 'approvalRequest', data: { ...request, approvalId: `a${i}` } });
      s.give({ event: 'approvalResponse', data: { approvalId: `a${i}`, status: 'denied' } });
    }
    expect(told).toBe(1);
    vi.advanceTimersByTime(50);
    expect(told).toBe(2);
    expect(store.get().pending).toEqual({});
    expect(store.get().settled['a99']).toBeDefined();
  });
});

describe('the session on the screen', () => {
  it('grows by many pieces at a time, and by all of them before anything else comes', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    const { sessionId } = request;
    const written = () => store.get().sessions[sessionId]!.partials['m'];
    const piece = (offset: number, text: string) =>
      s.give({ event: 'delta', data: { session: sessionId, messageId: 'm', offset, text } });
    let told = 0;
    store.subscribe(() => told++);
    vi.advanceTimersByTime(50);
    piece(0, 'x');
    expect(told).toBe(1); // a single one is shown at once
    for (let i = 1; i < 100; i++) piece(i, 'x');
    expect(told).toBe(1);
    vi.advanceTimersByTime(50);
    expect(told).toBe(2);
    expect(written()).toHaveLength(100);
    for (let i = 100; i < 110; i++) piece(i, 'y');
    connection.cancel(sessionId);
    s.give({ event: 'ack', id: s.of('cancel')[0]!.id });
    expect(told).toBe(3);
    expect(written()).toHaveLength(110);
  });

  it('shows a replayed journal at once, before whatever comes after it', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    store.dispatch({ type: 'view', session: request.sessionId });
    const events = () => store.get().sessions[request.sessionId]!.events.length;
    s.give(golden('sessionEvent-created', 'sessionEvent'));
    s.give(golden('sessionEvent-user', 'sessionEvent'));
    expect(events()).toBe(0);
    s.give({ event: 'ack', id: s.of('subscribe')[0]!.id });
    expect(events()).toBe(2);
    vi.advanceTimersByTime(50);
    s.give(golden('sessionEvent-turn-started', 'sessionEvent'));
    expect(events()).toBe(3);
  });

  it('is followed from the last event that is known, also after a reconnect', async () => {
    const s = await socket(1);
    s.open(welcome, snapshot);
    store.dispatch({ type: 'view', session: request.sessionId });
    expect(s.of('subscribe').map((f) => f.data)).toEqual([{ session: request.sessionId, after: 0 }]);
    s.give(golden('sessionEvent-created', 'sessionEvent'));
    s.give(golden('sessionEvent-user', 'sessionEvent'));
    s.give({ event: 'ack', id: s.of('subscribe')[0]!.id });
    s.drop();
    const second = await socket(2);
    second.open(welcome, snapshot);
    expect(second.of('subscribe').map((f) => f.data)).toEqual([{ session: request.sessionId, after: 2 }]);
  });

  it('is followed no more once it is long gone from the screen, and again when it is back', async () => {
    const s = await socket(1);
    const others = ['s1', 's2', 's3', 's4', 's5', 's6'];
    const sessions = others.map((sessionId) => ({ ...snapshot.data.sessions[0]!, sessionId }));
    s.open(welcome, {
      ...snapshot,
      data: { ...snapshot.data, sessions: [...snapshot.data.sessions, ...sessions] },
    });
    store.dispatch({ type: 'view', session: request.sessionId });
    for (const session of others) {
      expect(s.of('unsubscribe')).toEqual([]);
      store.dispatch({ type: 'view', session });
    }
    expect(s.of('unsubscribe').map((f) => f.data)).toEqual([{ session: request.sessionId }]);
    store.dispatch({ type: 'view', session: request.sessionId });
    expect(s.of('subscribe').at(-1)!.data).toEqual({ session: request.sessionId, after: 0 });
    expect(s.of('unsubscribe').map((f) => f.data)).toEqual([
      { session: request.sessionId },
      { session: 's1' },
    ]);
  });
});
