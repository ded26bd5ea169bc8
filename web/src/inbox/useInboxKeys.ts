import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { alertSettings } from '../alerts/alertSettings';
import { isForPage } from '../browser/keyboard';
import { go } from '../browser/route';

/** What the keys do where one request is shown alone; in the list they go from card to card. */
export interface Moves {
  next: () => unknown;
  previous: () => unknown;
  list: () => unknown;
  skip: () => unknown;
}

/** The keys of the inbox, as long as it is on the screen. */
export function useInboxKeys(area: RefObject<HTMLElement | null>, moves?: Moves): void {
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

function act(key: string, area: HTMLElement, moves: Moves | undefined): boolean {
  const card = currentCard(area);
  switch (key) {
    case 'j':
    case 'k':
      if (moves) (key === 'j' ? moves.next : moves.previous)();
      else step(area, key === 'j' ? 1 : -1);
      return true;
    case 'o':
      if (moves) moves.list();
      else if (card?.dataset['approval']) go({ view: 'waiting', approvalId: card.dataset['approval'] });
      return true;
    case 'n':
      moves?.skip();
      return moves !== undefined;
    case 'd':
      return focusOn(card, '[data-key="reason"]');
    case 'a':
      // To the group around the buttons, never to one of them.
      return alertSettings().approveKey && focusOn(card, '[data-key="approve"]');
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
  field.closest<HTMLElement>('[data-testid="card"]')?.focus({ preventScroll: true });
  return true;
}

const cardsIn = (area: HTMLElement) => [...area.querySelectorAll<HTMLElement>('[data-testid="card"]')];

/** The card that has the focus, or the first that is seen. */
function currentCard(area: HTMLElement): HTMLElement | undefined {
  const own = document.activeElement?.closest<HTMLElement>('[data-testid="card"]');
  if (own && area.contains(own)) return own;
  const top = area.getBoundingClientRect().top;
  return cardsIn(area).find((card) => card.getBoundingClientRect().bottom > top + 40);
}

function step(area: HTMLElement, by: number): void {
  const list = cardsIn(area);
  const own = document.activeElement?.closest<HTMLElement>('[data-testid="card"]');
  const at = own ? list.indexOf(own) : -1;
  const next = at < 0 ? currentCard(area) : list[at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'start' });
}

function focusOn(within: HTMLElement | undefined, selector: string): boolean {
  const found = within?.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== undefined && found !== null;
}
