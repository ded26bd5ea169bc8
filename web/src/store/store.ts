import { createContext, useContext, useSyncExternalStore } from 'react';
import { reduce, type Action } from './reducer';
import { initialState, type State } from './state';

export interface Store {
  get(): State;
  /** Takes actions in, in order; the screen is told once. */
  dispatch(...actions: Action[]): void;
  subscribe(listener: () => void): () => void;
}

export function createStore(from: State = initialState): Store {
  let state = from;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    dispatch(...actions) {
      if (actions.length === 0) return;
      state = actions.reduce(reduce, state);
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const StoreContext = createContext<Store>(createStore());

/** The chosen part of the state; choose something that keeps its identity while it is the same. */
export function useStore<T>(choose: (state: State) => T): T {
  const store = useContext(StoreContext);
  return useSyncExternalStore(store.subscribe, () => choose(store.get()));
}
