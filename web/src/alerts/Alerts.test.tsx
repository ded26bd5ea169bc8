import { act, screen } from '@testing-library/react';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { setAlertSettings } from './alertSettings';
import { ConnectionContext } from '../connection/context';
import { faviconFor } from './favicon';
import { playTone } from './sound';
import { commandsOf } from '../test/card';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { ApprovalRequest } from '../wire/wire';
import { Alerts } from './Alerts';

vi.mock('./sound', () => ({ playTone: vi.fn() }));

const request = golden('approvalRequest', 'approvalRequest').data;
const snapshot = golden('snapshot-empty', 'snapshot');
const frame = (data: ApprovalRequest) =>
  ({ type: 'frame', frame: { event: 'approvalRequest', data }, now: 0 }) as const;

beforeEach(() => {
  vi.mocked(playTone).mockClear();
  setAlertSettings({ sound: true, notifications: false });
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg" />';
});

const icon = () => document.querySelector('link[rel="icon"]')!.getAttribute('href')!;

describe('a new request', () => {
  it('is heard where that is turned on; what waited before is not', () => {
    const store = storeOf();
    const waiting = structuredClone(snapshot);
    waiting.data.pending = [{ ...request, approvalId: 'old' }];
    store.dispatch({ type: 'frame', frame: waiting, now: 0 });
    page(store, <Alerts />);
    expect(playTone).not.toHaveBeenCalled();
    act(() => store.dispatch(frame(request)));
    expect(playTone).toHaveBeenCalledOnce();
  });

  it('is not heard where it is not', () => {
    setAlertSettings({ sound: false });
    const store = storeOf();
    store.dispatch({ type: 'frame', frame: snapshot, now: 0 });
    page(store, <Alerts />);
    act(() => store.dispatch(frame(request)));
    expect(playTone).not.toHaveBeenCalled();
  });

  it('is counted in the sign of the tab', () => {
    const store = storeOf();
    page(store, <Alerts />);
    expect(icon()).toBe('/favicon.svg');
    act(() => store.dispatch(frame(request)));
    expect(decodeURIComponent(icon())).toContain('>1</text>');
    expect(decodeURIComponent(faviconFor(512))).toContain('>99+</text>');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is counted on the icon of an installed dashboard', () => {
    const badge = { setAppBadge: vi.fn(async () => undefined), clearAppBadge: vi.fn(async () => undefined) };
    Object.assign(navigator, badge);
    const store = storeOf();
    page(store, <Alerts />);
    expect(badge.clearAppBadge).toHaveBeenCalled();
    act(() => store.dispatch(frame(request)));
    expect(badge.setAppBadge).toHaveBeenLastCalledWith(1);
    for (const name of Object.keys(badge)) Reflect.deleteProperty(navigator, name);
  });
});

describe('a no that is chosen on a notification', () => {
  const { approvalId, sessionId, argsDigest } = request;

  function deny(...before: Parameters<ReturnType<typeof storeOf>['dispatch']>) {
    setAlertSettings({ notifications: true });
    const worker = Object.assign(new EventTarget(), { getRegistration: () => Promise.resolve(undefined) });
    Object.defineProperty(navigator, 'serviceWorker', { value: worker, configurable: true });
    const store = storeOf();
    store.dispatch(frame(request), ...before);
    const commands = commandsOf();
    page(
      store,
      <ConnectionContext value={commands}>
        <Alerts />
      </ConnectionContext>,
    );
    const postMessage = vi.fn();
    const data = { kind: 'deny', approvalId, argsDigest };
    worker.dispatchEvent(Object.assign(new Event('message'), { data, ports: [{ postMessage }] }));
    return { done: postMessage.mock.calls, answered: commands.answer.mock.calls.length };
  }

  afterAll(() => void Reflect.deleteProperty(navigator, 'serviceWorker'));

  const sending = (status: 'approved' | 'denied') =>
    ({ type: 'answering', at: 0, data: { approvalId, sessionId, argsDigest, status } }) as const;

  it('is done', () => {
    expect(deny()).toEqual({ done: [[{ done: true }]], answered: 1 });
  });

  it('is not told as done while another answer is being sent', () => {
    expect(deny(sending('approved'))).toEqual({ done: [[{ done: false }]], answered: 0 });
  });

  it('is being done where a no is being sent', () => {
    expect(deny(sending('denied'))).toEqual({ done: [[{ done: true }]], answered: 0 });
  });
});

describe('a push message', () => {
  it('is told what its request is about, where it waits', () => {
    setAlertSettings({ notifications: true });
    const worker = Object.assign(new EventTarget(), { getRegistration: () => Promise.resolve(undefined) });
    Object.defineProperty(navigator, 'serviceWorker', { value: worker, configurable: true });
    const store = storeOf();
    store.dispatch(frame(request));
    page(store, <Alerts />);
    const ask = (approvalId: string) => {
      const postMessage = vi.fn();
      const data = { kind: 'describe', approvalId };
      worker.dispatchEvent(Object.assign(new Event('message'), { data, ports: [{ postMessage }] }));
      return postMessage.mock.calls[0]?.[0] as unknown;
    };
    expect(ask(request.approvalId)).toMatchObject({
      done: true,
      notification: { tag: request.approvalId, title: expect.stringContaining(request.toolName!) as string },
    });
    expect(ask('unknown')).toEqual({ done: false });
    Reflect.deleteProperty(navigator, 'serviceWorker');
  });
});
