import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { alertSettings } from '../alerts/alertSettings';
import { isForPage } from '../browser/keyboard';

/** What the keys do. None of them answers. */
export interface Moves {
  next: () => unknown;
  previous: () => unknown;
  list: () => unknown;
  skip: () => unknown;
  tick: () => unknown;
}

/** The keys of the inbox, as long as it is on the screen. */
export function useInboxKeys(area: RefObject<HTMLElement | null>, moves: Moves): void {
  const latest = useRef(moves);
  useLayoutEffect(() => {
    latest.current = moves;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!area.current) return;
      if (event.key === 'Escape' && leaveField(event, area.current)) return;
      if (!alertSettings().keys || !isForPage(event)) return;
      if (act(event.key, area.current, latest.current)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [area]);
}

function act(key: string, area: HTMLElement, moves: Moves): boolean {
  switch (key) {
    case 'j':
      moves.next();
      return true;
    case 'k':
      moves.previous();
      return true;
    case 'o':
      moves.list();
      return true;
    case 'n':
      moves.skip();
      return true;
    case 'x':
      moves.tick();
      return true;
    case 'd':
      return openReason(area);
    case 'a':
      // To the group around the buttons, never to one of them.
      return alertSettings().approveKey && focusOn(area, '[data-key="approve"]');
    case '/':
      return focusOn(area, '[data-key="search"]');
    default:
      return false;
  }
}

/** From a field to its card, where single keys are keys again. */
function leaveField(event: KeyboardEvent, area: HTMLElement): boolean {
  const field = event.target instanceof HTMLElement ? event.target : null;
  if (!field?.matches('input, textarea, select') || !area.contains(field)) return false;
  field.blur();
  area.querySelector<HTMLElement>('[data-testid="card"]')?.focus({ preventScroll: true });
  return true;
}

/** Focuses the field for the reason; opens it first if needed. */
function openReason(area: HTMLElement): boolean {
  const found = area.querySelector<HTMLElement>('[data-key="reason"]');
  if (found instanceof HTMLButtonElement) found.click();
  else found?.focus();
  return found !== null;
}

function focusOn(within: HTMLElement, selector: string): boolean {
  const found = within.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null;
}
