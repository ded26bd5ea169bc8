import { useEffect, useSyncExternalStore } from 'react';
import { texts } from '../words/texts';
import { Revealed } from './Revealed';
import classes from './linkTarget.module.css';

let address = '';
const listeners = new Set<() => void>();

function point(to: string): void {
  address = to;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** For a link in an agent's words: its whole address is told, beside the page, while it is pointed at. */
export function usePointing(to: string) {
  useEffect(() => () => point(''), []);
  return {
    onPointerEnter: () => point(to),
    onPointerLeave: () => point(''),
    onFocus: () => point(to),
    onBlur: () => point(''),
  };
}

/** Where the link leads that is pointed at. */
export function LinkPlace() {
  const shown = useSyncExternalStore(subscribe, () => address);
  if (!shown) return null;
  return (
    <p className={classes.pointed} data-link role="status">
      {texts.clientTools.leadsTo} <Revealed text={shown} />
    </p>
  );
}
