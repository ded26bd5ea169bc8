import { useEffect, useRef, useState } from 'react';

/** A card is not answered by a click that was meant for what stood there before. */
export const armDelay = 400;

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

/**
 * Handlers that let a button act only on a press that began on it, when it was
 * armed: not on a key that is held down from elsewhere, nor on its repeats.
 */
export function useDeliberate(armed: boolean, act: () => void) {
  const begun = useRef<'no' | 'unarmed' | 'armed'>('no');
  const begin = () => {
    begun.current = armed ? 'armed' : 'unarmed';
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
