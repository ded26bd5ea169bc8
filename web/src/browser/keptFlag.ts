import { useSyncExternalStore } from 'react';

/** A choice between two, which this browser keeps for all its tabs. */
export function keptFlag(name: string) {
  const listeners = new Set<() => void>();
  let current: boolean | undefined;
  const get = () => (current ??= read(name));
  const set = (on: boolean) => {
    current = on;
    try {
      localStorage.setItem(name, String(on));
    } catch {
      // Then it holds until the page is closed.
    }
    for (const listener of [...listeners]) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { get, set, use: () => useSyncExternalStore(subscribe, get) };
}

function read(name: string): boolean {
  try {
    return localStorage.getItem(name) === 'true';
  } catch {
    return false; // no storage in this browser
  }
}
