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

export function isPlain(): boolean {
  return (current ??= read());
}

export function setPlain(plain: boolean): void {
  current = plain;
  try {
    localStorage.setItem(name, String(plain));
  } catch {
    // Then it holds until the page is closed.
  }
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePlain(): boolean {
  return useSyncExternalStore(subscribe, isPlain);
}
