import { useDeferredValue, useMemo, useState } from 'react';
import { sortAndGroup, noFilter, isFiltered, matches, type Filter } from './filter';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';
import { sessionTitle } from '../ui/sessionTitle';

export interface FilterState {
  filter: Filter;
  set: (change: Partial<Filter>) => void;
  clear: () => void;
  filtered: boolean;
  /** What passes, in the order in which it is gone through. */
  shown: ApprovalRequest[];
  /** Changes with what is looked for. */
  about: string;
}

/** What a person looks for among all that waits. */
export function useFilter(cards: readonly ApprovalRequest[]): FilterState {
  const sessions = useStore((s) => s.sessions);
  const [filter, setFilter] = useState(noFilter);
  const wanted = useDeferredValue(filter); // typing goes before searching
  const shown = useMemo(() => {
    const title = (card: ApprovalRequest) => {
      const entry = sessions[card.sessionId];
      return entry ? sessionTitle(entry) : '';
    };
    const left = isFiltered(wanted) ? cards.filter((c) => matches(c, wanted, title(c))) : cards;
    return sortAndGroup(left);
  }, [cards, sessions, wanted]);
  return {
    filter,
    set: (change) => setFilter((before) => ({ ...before, ...change })),
    clear: () => setFilter(noFilter),
    filtered: isFiltered(filter),
    shown,
    about: JSON.stringify(wanted),
  };
}
