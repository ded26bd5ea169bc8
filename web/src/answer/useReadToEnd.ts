import { useLayoutEffect, useState, type RefObject } from 'react';

// Tolerance in pixels: how far the end may still be below the bar's top edge.
const gap = 24;

// Lists redraw a card that scrolls back into view; what was read stays read.
const readBefore = new WeakMap<object, string>();

/**
 * Whether the end of the request has been visible above the answer bar, which covers it until
 * then. A new key means it has to be read again.
 */
export function useReadToEnd(
  request: object,
  end: RefObject<HTMLElement | null>,
  bar: RefObject<HTMLElement | null>,
  key: string,
): boolean {
  const [readFor, setReadFor] = useState(() => readBefore.get(request));
  const read = readFor === key;
  // After every render: the bar may appear later than the card, e.g. when the role changes.
  useLayoutEffect(() => {
    if (read) return undefined;
    const look = () => {
      if (!end.current || !bar.current) return;
      if (end.current.getBoundingClientRect().top > bar.current.getBoundingClientRect().top + gap) return;
      readBefore.set(request, key);
      setReadFor(key);
      stop();
    };
    const grown = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(look);
    const stop = () => {
      grown?.disconnect();
      window.removeEventListener('scroll', look, { capture: true });
    };
    if (bar.current) grown?.observe(bar.current);
    window.addEventListener('scroll', look, { capture: true, passive: true });
    look();
    return stop;
  });
  return read;
}
