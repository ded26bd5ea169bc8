import { useSyncExternalStore } from 'react';

/** An on/off setting, stored in this browser for all its tabs. */
export function keptFlag(name: string) {
  const listeners = new Set<() => void>();
  let current: boolean | undefined;
  const get = () => (current ??= read(name));
  const set = (on: boolean) => {
    current = on;
    try {
      localStorage.setItem(name, String(on));
    } catch {
      // No storage: it lasts until the page is closed.
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
