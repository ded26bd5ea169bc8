import { useSyncExternalStore } from 'react';

// What is typed and not sent, kept for this tab over a reload. It goes with the
// tab: what was typed here is nobody else's.
const prefix = 'lineclear.text.';
const listeners = new Set<() => void>();
const texts = new Map<string, string>(); // also where there is no storage

function read(key: string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  let kept = '';
  try {
    kept = sessionStorage.getItem(prefix + key) ?? '';
  } catch {
    // no storage in this browser
  }
  texts.set(key, kept);
  return kept;
}

export function saveUnsentText(key: string, text: string): void {
  texts.set(key, text);
  try {
    if (text) sessionStorage.setItem(prefix + key, text);
    else sessionStorage.removeItem(prefix + key);
  } catch {
    // Full, or none: then it holds until the page is closed.
  }
  for (const listener of [...listeners]) listener();
}

/** Whether anything is typed somewhere and not sent. */
export function hasUnsentText(): boolean {
  return [...texts.values()].some((text) => text.trim() !== '');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A text that outlives its field, and the page. */
export function useUnsentText(key: string): [string, (text: string) => void] {
  const text = useSyncExternalStore(subscribe, () => read(key));
  return [text, (next) => saveUnsentText(key, next)];
}
