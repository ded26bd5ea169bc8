// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStore, type Store } from '../store/store';
import { golden } from '../test/golden';
import { gateway } from '../test/page';
import { FakeSocket } from '../test/socket';
import { confirmedWithin } from './answers';
import { Connection } from './connection';

const welcome = golden('welcome', 'welcome');
const snapshot = golden('snapshot', 'snapshot');
const request = golden('approvalRequest', 'approvalRequest').data;
const { approvalId, sessionId, argsDigest } = request;
const yes = { approvalId, sessionId, argsDigest, status: 'approved' as const, scope: 'once' as const };
const me = welcome.data.identity.subject;
const waits = { ...snapshot, data: { ...snapshot.data, pending: [request], more: false } };
const nothing = { ...snapshot, data: { ...snapshot.data, pending: [], more: false } };
const approved = (subject: string) => ({
  event: 'approvalResponse',
  data: { approvalId, status: 'approved', rev: 2, by: { subject, via: 'ws' } },
});
const withdraw = `POST /api/approvals/${approvalId}/cancel`;

let store: Store;
let connection: Connection;
let asked: { what: string }[];
let refused: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  refused = false;
  vi.stubGlobal('WebSocket', FakeSocket);
  asked = gateway({
    'POST /api/ws-ticket': { body: { ticket: 't' } },
    [withdraw]: () => ({ status: refused ? 409 : 200 }),
  });
  store = createStore();
  connection = new Connection(store);
  connection.start();
});

afterEach(() => connection.stop());

async function online(n: number, ...frames: Parameters<FakeSocket['open']>): Promise<FakeSocket> {
  await vi.waitFor(() => expect(FakeSocket.all).toHaveLength(n));
  const socket = FakeSocket.all[n - 1]!;
  socket.open(welcome, ...frames);
  return socket;
}

const phase = () => store.get().answers[approvalId]?.phase;
const withdrawn = () => asked.filter((a) => a.what === withdraw).length;
const told = () => store.get().notices.map((n) => ('text' in n ? n.text : n.kind));

describe('an unconfirmed answer', () => {
  it('makes the tab reconnect soon, and is sent again', async () => {
    await online(1, waits);
    connection.answer(yes);
    vi.advanceTimersByTime(confirmedWithin - 1);
    expect(store.get().connection.phase).toBe('online');
    vi.advanceTimersByTime(1);
    expect(store.get().connection.phase).toBe('offline');
    const second = await online(2, waits);
    expect(second.of('approvalResponse').map((f) => f.data)).toEqual([yes]);
  });

  it('keeps a connection on which anything else is heard', async () => {
    const first = await online(1, waits);
    connection.answer(yes);
    vi.advanceTimersByTime(1000);
    first.give(golden('presence', 'presence'));
    vi.advanceTimersByTime(confirmedWithin);
    expect(store.get().connection.phase).toBe('online');
  });
});

describe('an answer taken back', () => {
  async function takenBack(): Promise<FakeSocket> {
    const first = await online(1, waits);
    connection.answer(yes);
    first.drop();
    connection.takeBack(approvalId);
    expect(phase()).toBe('failed');
    return online(2);
  }

  it('is not sent again, and the request stays pending', async () => {
    const second = await takenBack();
    second.give(waits);
    expect(second.of('approvalResponse')).toEqual([]);
    expect(withdrawn()).toBe(0);
  });

  it('is withdrawn if it had arrived, as the tab learns on reconnecting', async () => {
    const second = await takenBack();
    second.give(nothing);
    await vi.waitFor(() => expect(told().at(-1)).toContain('withdrawn before it started'));
    expect(withdrawn()).toBe(1);
  });

  it('is withdrawn if it arrives later, and only once', async () => {
    const second = await takenBack();
    second.give(waits);
    second.give(approved(me));
    second.give(approved(me));
    await vi.waitFor(() => expect(withdrawn()).toBe(1));
    second.drop();
    await online(3, nothing);
    expect(withdrawn()).toBe(1);
  });

  it('says so if it is too late for that', async () => {
    refused = true;
    const second = await takenBack();
    second.give(nothing);
    await vi.waitFor(() => expect(told().at(-1)).toContain('may have run'));
  });

  it('leaves another person’s answer alone', async () => {
    const second = await takenBack();
    second.give(waits);
    second.give(approved('somebody else'));
    second.drop();
    await online(3, nothing);
    expect(withdrawn()).toBe(0);
  });

  it('can be given again, and then stands', async () => {
    const second = await takenBack();
    second.give(waits);
    connection.answer(yes);
    second.give(approved(me));
    expect(withdrawn()).toBe(0);
    expect(second.of('approvalResponse')).toHaveLength(1);
  });
});

it('a confirmed answer can’t be taken back', async () => {
  const first = await online(1, waits);
  connection.answer(yes);
  first.give(approved(me));
  connection.takeBack(approvalId);
  expect(told()).not.toContainEqual(expect.stringContaining('Taken back'));
  expect(withdrawn()).toBe(0);
});
