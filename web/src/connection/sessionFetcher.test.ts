import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Action } from '../store/reducer';
import type { Store } from '../store/store';
import { golden } from '../test/golden';
import { gateway, storeOf } from '../test/page';
import { SessionFetcher } from './sessionFetcher';

const session = golden('snapshot', 'snapshot').data.sessions[0]!;
const path = (id: string) => `GET /api/sessions/${id}`;
const want = (id: string): Action => ({ type: 'want', session: id });
const connection = (phase: 'online' | 'offline'): Action => ({
  type: 'connection',
  connection: { phase, attempts: 1 },
});

let store: Store;
let fetcher: SessionFetcher;

beforeEach(() => {
  vi.useFakeTimers();
  store = storeOf();
  fetcher = new SessionFetcher(store);
  fetcher.start();
});

afterEach(() => fetcher.stop());

const settle = () => vi.advanceTimersByTimeAsync(100);

describe('sessions that are wanted', () => {
  it('are fetched once each, one after the other', async () => {
    let before: string[] = []; // those that had come when the second was asked for
    const asked = gateway({
      [path('a')]: { body: { ...session, sessionId: 'a' } },
      [path('b')]: () => {
        before = Object.keys(store.get().sessions);
        return { body: { ...session, sessionId: 'b' } };
      },
    });
    store.dispatch(want('a'), want('b'));
    await settle();
    expect(before).toEqual(['a']);
    store.dispatch(want('a'));
    await settle();
    expect(asked.map((a) => a.what)).toEqual([path('a'), path('b')]);
    expect(Object.keys(store.get().sessions)).toEqual(['a', 'b']);
  });

  it('are not asked for while there is no line', async () => {
    const asked = gateway({ [path('a')]: { body: { ...session, sessionId: 'a' } } });
    store.dispatch(connection('offline'), want('a'));
    await settle();
    expect(asked).toEqual([]);
    store.dispatch(connection('online'));
    await settle();
    expect(store.get().sessions['a']).toBeDefined();
  });

  it('are known not to be there where the gateway has none, and asked for again where it could not say', async () => {
    let status = 503;
    const asked = gateway({ [path('a')]: () => ({ status }) });
    store.dispatch(want('a'));
    await settle();
    store.dispatch(want('b'));
    await settle();
    expect([asked.length, store.get().wanted['a']]).toEqual([1, 1]);
    status = 404;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.get().wanted).toEqual({ a: 'none', b: 'none' });
  });
});
