import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { State } from '../store/state';
import { StoreContext, type Store } from '../store/store';
import { golden } from '../test/golden';
import { storeOf } from '../test/page';
import { useSelection } from './useSelection';

const request = golden('approvalRequest', 'approvalRequest').data;

it('what was answered is chosen no more, whatever comes back', () => {
  let state: State = storeOf().get();
  const listeners = new Set<() => void>();
  const store: Store = {
    get: () => state,
    dispatch: () => undefined,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const wait = (pending: State['pending']) =>
    act(() => {
      state = { ...state, pending };
      for (const listener of listeners) listener();
    });
  wait({ [request.approvalId]: request });
  const { result } = renderHook(useSelection, {
    wrapper: ({ children }) => <StoreContext value={store}>{children}</StoreContext>,
  });
  act(() => result.current.set([request], true));
  expect(result.current.list).toEqual([request]);
  wait({});
  wait({ [request.approvalId]: request });
  expect(result.current.list).toEqual([]);
});
