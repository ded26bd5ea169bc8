import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { personScrolls, watchScrolling } from './userScrolling';

/** A card is not answered by a click that was meant for what stood there before. */
export const armDelay = 400;

// How often it is looked whether something has moved; in between, each press looks for itself.
const lookEvery = 100;

/**
 * False for a moment after the card appears, after anything moved it (a change
 * of key), and after the window gets the focus: the click that brings a window
 * to the front must not approve.
 */
export function useArmed(key: string): boolean {
  const [focused, setFocused] = useState(0);
  const [armedFor, setArmedFor] = useState<string>();
  const current = `${focused}|${key}`;
  useEffect(() => {
    const disarm = () => setFocused((n) => n + 1);
    window.addEventListener('focus', disarm);
    return () => window.removeEventListener('focus', disarm);
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(current), armDelay);
    return () => clearTimeout(timer);
  }, [current]);
  return armedFor === current;
}

interface Spot {
  x: number;
  y: number; // on the screen
  within: number; // in what scrolls
}

/**
 * Notices when an element has moved on the screen, also when the page itself
 * has scrolled. A person who scrolls moves it too, and knows.
 */
export function useMoves(box: RefObject<HTMLElement | null>): { moves: number; still: () => boolean } {
  const [moves, setMoves] = useState(0);
  const noticed = useRef(0);
  const last = useRef<Spot>(undefined);
  const scroller = useRef<Element>(undefined);
  useLayoutEffect(() => {
    scroller.current = scrollerOf(box.current);
    last.current = spotOf(box.current, scroller.current);
    const look = () => {
      const now = spotOf(box.current, scroller.current);
      if (isMoved(last.current, now)) setMoves(++noticed.current);
      last.current = now;
    };
    const unwatch = watchScrolling();
    const timer = setInterval(look, lookEvery);
    window.addEventListener('scroll', look, { capture: true, passive: true });
    return () => {
      unwatch();
      clearInterval(timer);
      window.removeEventListener('scroll', look, { capture: true });
    };
  }, [box]);
  // A move that is noticed holds before it is drawn.
  const still = () =>
    noticed.current === moves && !isMoved(last.current, spotOf(box.current, scroller.current));
  return { moves, still };
}

function spotOf(element: Element | null, scroller: Element | undefined): Spot | undefined {
  if (!element) return undefined;
  const { left, top } = element.getBoundingClientRect();
  const frame = scroller?.getBoundingClientRect().top ?? 0;
  return { x: left, y: top, within: top - frame + (scroller?.scrollTop ?? 0) };
}

function isMoved(before: Spot | undefined, now: Spot | undefined): boolean {
  if (!before || !now) return false;
  const far = (a: number, b: number) => Math.abs(a - b) > 2;
  if (far(before.x, now.x)) return true;
  return far(before.y, now.y) && (!personScrolls() || far(before.within, now.within));
}

function scrollerOf(element: Element | null): Element | undefined {
  for (let at = element?.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement ?? undefined;
}

const always = () => true;

/**
 * Handlers that let a button act only on a press that began on it, when it was
 * armed: not on a key that is held down from elsewhere, nor on its repeats.
 */
export function useDeliberate(armed: boolean, act: () => void, still: () => boolean = always) {
  const begun = useRef<'no' | 'unarmed' | 'armed'>('no');
  const begin = () => {
    begun.current = armed && still() ? 'armed' : 'unarmed';
  };
  return {
    onPointerDown: begin,
    onKeyDown: (e: React.KeyboardEvent) => {
      if (e.key !== 'Enter' && e.key !== ' ') return;
      if (e.repeat) e.preventDefault();
      else begin();
    },
    onKeyUp: (e: React.KeyboardEvent) => {
      if (e.key === ' ' && begun.current === 'no') e.preventDefault();
    },
    onBlur: () => {
      begun.current = 'no';
    },
    onClick: () => {
      // Assistive technology clicks without any press; that is deliberate too.
      if (armed && begun.current !== 'unarmed') act();
      begun.current = 'no';
    },
  };
}
