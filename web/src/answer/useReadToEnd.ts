import { useLayoutEffect, useState, type RefObject } from 'react';

// What stands between the end of what is read and the bar, in pixels.
const gap = 24;

// A list draws a card again when it comes back to the screen: what has been read stays read.
const readBefore = new WeakMap<object, string>();

/**
 * Whether the end of what is decided about has stood above the bar that answers, which lies over
 * it until then. Once the key changes it has to be read again.
 */
export function useReadToEnd(
  request: object,
  end: RefObject<HTMLElement | null>,
  bar: RefObject<HTMLElement | null>,
  key: string,
): boolean {
  const [readFor, setReadFor] = useState(() => readBefore.get(request));
  const read = readFor === key;
  // After each drawing, since the bar may come later than the card, as with another role.
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
