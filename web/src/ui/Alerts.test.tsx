import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setAttention } from '../attention';
import { faviconFor } from '../favicon';
import { playTone } from '../sound';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { ApprovalRequest } from '../wire';
import { Alerts } from './Alerts';

vi.mock('../sound', () => ({ playTone: vi.fn() }));

const request = golden('approvalRequest', 'approvalRequest').data;
const snapshot = golden('snapshot-empty', 'snapshot');
const frame = (data: ApprovalRequest) =>
  ({ type: 'frame', frame: { event: 'approvalRequest', data }, now: 0 }) as const;

beforeEach(() => {
  vi.mocked(playTone).mockClear();
  setAttention({ sound: true, notifications: false });
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
    setAttention({ sound: false });
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
});
