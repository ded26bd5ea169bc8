// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from './connection';
import { createStore, type Store } from '../store/store';
import { FakeSocket } from '../test/socket';
import { golden } from '../test/golden';

const welcome = golden('welcome', 'welcome');
const snapshot = golden('snapshot', 'snapshot');

let store: Store;
let connection: Connection;

beforeEach(() => {
  FakeSocket.all = [];
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ ticket: 't' }))));
  store = createStore();
  connection = new Connection(store);
  connection.start();
});

afterEach(() => connection.stop());

async function socket(n: number): Promise<FakeSocket> {
  await vi.waitFor(() => expect(FakeSocket.all).toHaveLength(n));
  return FakeSocket.all[n - 1]!;
}

describe('words about a session in which something waits', () => {
  const said = { text: 'approve', seen: 3 };
  const session = () => snapshot.data.sessions[0]!.sessionId;
  const outbox = () => store.get().sessions[session()]!.outbox;

  async function tells() {
    const s = await socket(1);
    s.open(welcome, snapshot);
    const told = connection.tell(session(), said.text, said.seen);
    const [frame] = s.of('message');
    return { s, told, frame: frame! };
  }

  it('go as they are, with what was seen; what came of them is told', async () => {
    const { s, told, frame } = await tells();
    expect(frame.data).toEqual({ sessionId: session(), ...said });
    s.give({ ...golden('ack-words', 'ack'), id: frame.id });
    expect(await told).toEqual({ taken: true, note: 'approved: shell' });
    expect(outbox()).toEqual([]);
  });

  it('that decided nothing are not taken, and why is told', async () => {
    const { s, told, frame } = await tells();
    s.give({ event: 'ack', id: frame.id, data: { note: 'Several requests wait.' } });
    expect(await told).toEqual({ taken: false, note: 'Several requests wait.' });
  });

  it('that were talk are with the agent', async () => {
    const { s, told, frame } = await tells();
    s.give({ event: 'ack', id: frame.id, data: { seq: 7 } });
    expect(await told).toEqual({ taken: true });
  });

  it('that were refused are not taken, and why is told', async () => {
    const { s, told, frame } = await tells();
    s.give({ event: 'error', id: frame.id, data: { code: 'invalid', message: 'no such scope' } });
    expect(await told).toEqual({ taken: false, note: 'no such scope' });
  });

  it('that were lost on the way stand in the conversation as a message that may have arrived', async () => {
    const { s, told } = await tells();
    s.drop();
    expect(await told).toEqual({ taken: true });
    expect(outbox()).toMatchObject([{ text: 'approve', phase: 'unconfirmed' }]);
  });
});
