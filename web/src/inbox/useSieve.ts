import { useDeferredValue, useMemo, useState } from 'react';
import { arrange, everything, isSifted, passes, type Sieve } from './queue';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';
import { sessionTitle } from '../ui/sessionTitle';

export interface Sifting {
  sieve: Sieve;
  set: (change: Partial<Sieve>) => void;
  clear: () => void;
  sifted: boolean;
  /** What passes, in the order in which it is gone through. */
  shown: ApprovalRequest[];
  /** Changes with what is looked for. */
  about: string;
}

/** What a person looks for among all that waits. */
export function useSieve(cards: readonly ApprovalRequest[]): Sifting {
  const sessions = useStore((s) => s.sessions);
  const [sieve, setSieve] = useState(everything);
  const wanted = useDeferredValue(sieve); // typing goes before searching
  const shown = useMemo(() => {
    const title = (card: ApprovalRequest) => {
      const entry = sessions[card.sessionId];
      return entry ? sessionTitle(entry) : '';
    };
    const left = isSifted(wanted) ? cards.filter((c) => passes(c, wanted, title(c))) : cards;
    return arrange(left);
  }, [cards, sessions, wanted]);
  return {
    sieve,
    set: (change) => setSieve((before) => ({ ...before, ...change })),
    clear: () => setSieve(everything),
    sifted: isSifted(sieve),
    shown,
    about: JSON.stringify(wanted),
  };
}
