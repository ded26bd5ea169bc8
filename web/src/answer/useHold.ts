import { useEffect, useLayoutEffect, useRef, useState } from 'react';

/** What is risky is approved by holding on, which nobody does by accident. */
export const holdFor = 800;

/** How far a hand that rests may tremble, in CSS pixels. A finger that goes further means to leave, or to scroll. */
export const holdSlack = 10;

interface Hold {
  armed: boolean;
  still?: (() => boolean) | undefined;
  act: () => void;
  /** A click without any press, as assistive technology makes it, which can't hold on. */
  onClickWithoutPress: () => void;
}

/** A mouse, a finger or a pen that has come down on an element. */
interface Hand {
  id: number;
  x: number;
  y: number;
  on: Element;
}

const always = () => true;

/** Handlers that let a button act once it has been held, by the pointer or by a key, from start to end. */
export function useHold({ armed, still = always, act, onClickWithoutPress }: Hold) {
  const [holding, setHolding] = useState(false);
  const [short, setShort] = useState(false); // the last press was let go too soon
  const letGo = useRef<() => void>(undefined); // there while it is held
  const pressed = useRef(false);
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  const end = () => {
    if (letGo.current) setShort(true);
    letGo.current?.();
    letGo.current = undefined;
    setHolding(false);
  };
  const begin = (hand?: Hand) => {
    pressed.current = true;
    if (!armed || !still() || letGo.current) return;
    setHolding(true);
    setShort(false);
    const unwatch = watch(hand, end);
    const timer = setTimeout(() => {
      end();
      setShort(false);
      latest.current();
    }, holdFor);
    letGo.current = () => {
      clearTimeout(timer);
      unwatch();
    };
  };
  // Whatever disarms it, such as a move, ends the hold as well.
  useEffect(() => {
    if (!armed) end();
  }, [armed]);
  useEffect(() => () => letGo.current?.(), []);
  const isKey = (e: React.KeyboardEvent) => e.key === 'Enter' || e.key === ' ';
  return {
    holding,
    short,
    handlers: {
      onPointerDown: (e: React.PointerEvent) => {
        if (e.button || !e.isPrimary) return; // neither another button nor a second finger
        begin({ id: e.pointerId, x: e.clientX, y: e.clientY, on: e.currentTarget });
      },
      onPointerLeave: end,
      onPointerCancel: () => {
        pressed.current = false; // no click will follow
      },
      onContextMenu: (e: React.MouseEvent) => e.preventDefault(),
      onKeyDown: (e: React.KeyboardEvent) => {
        if (!isKey(e)) return;
        e.preventDefault(); // no click of the browser's own, neither now nor by repeats
        if (!e.repeat) begin();
      },
      onKeyUp: (e: React.KeyboardEvent) => {
        if (!isKey(e)) return;
        e.preventDefault();
        pressed.current = false;
        end();
      },
      onBlur: () => {
        pressed.current = false;
        end();
      },
      onClick: () => {
        if (armed && !pressed.current) onClickWithoutPress();
        pressed.current = false;
      },
    },
  };
}

/**
 * Calls end as soon as it is no hold any more: the hand is lifted, leaves its
 * place or is joined by another, or nobody looks at the page. The browser tells
 * an element of a mouse that leaves it, and not of a finger; so the place counts.
 */
function watch(hand: Hand | undefined, end: () => void): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  const own = (does: (e: PointerEvent) => void) => (e: PointerEvent) => {
    if (e.pointerId === hand?.id) does(e);
  };
  window.addEventListener('blur', (e) => e.target === e.currentTarget && end(), options);
  document.addEventListener('visibilitychange', () => document.hidden && end(), options);
  if (hand) {
    window.addEventListener(
      'pointermove',
      own((e) => !stays(hand, e) && end()),
      options,
    );
    window.addEventListener('pointerup', own(end), options);
    window.addEventListener('pointercancel', own(end), options);
    window.addEventListener('pointerdown', (e) => e.pointerId !== hand.id && end(), options);
  }
  return () => stop.abort();
}

/** Whether a hand is still where it came down, and on the element. */
function stays(hand: Hand, { clientX: x, clientY: y }: PointerEvent): boolean {
  const { left, right, top, bottom } = hand.on.getBoundingClientRect();
  const off = x < left || x > right || y < top || y > bottom;
  return !off && Math.hypot(x - hand.x, y - hand.y) <= holdSlack;
}
