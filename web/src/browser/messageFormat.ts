import { useSyncExternalStore } from 'react';

// Whether messages are shown as they were written, instead of formatted; a
// choice of this browser, for every session.
const name = 'lineclear.plain';
const listeners = new Set<() => void>();
let current: boolean | undefined;

function read(): boolean {
  try {
    return localStorage.getItem(name) === 'true';
  } catch {
    return false; // no storage in this browser
  }
}

export function isUnformatted(): boolean {
  return (current ??= read());
}

export function setUnformatted(unformatted: boolean): void {
  current = unformatted;
  try {
    localStorage.setItem(name, String(unformatted));
  } catch {
    // Then it holds until the page is closed.
  }
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useUnformatted(): boolean {
  return useSyncExternalStore(subscribe, isUnformatted);
}
