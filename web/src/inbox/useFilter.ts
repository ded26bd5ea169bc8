import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { goTo, useQuery } from '../browser/route';
import { filterIn, inOrder, isFiltered, matches, noFilter, queryOf, type Filter } from './filter';
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
  /** How many of all requests end soon. */
  ending: number;
  /** Changes with what is looked for. */
  about: string;
}

const soon = 2 * 60_000;
const look = 5000;

/** Applies the search, filters and order in the URL to the waiting requests. */
export function useFilter(cards: readonly ApprovalRequest[], skipped: ReadonlySet<string>): FilterState {
  const sessions = useStore((s) => s.sessions);
  const query = useQuery();
  const filter = useMemo(() => filterIn(query), [query]);
  const wanted = useDeferredValue(filter); // typing goes before searching
  const before = useSoon(cards);
  const ends = (card: ApprovalRequest) => card.expiresAt !== undefined && Date.parse(card.expiresAt) < before;
  const shown = useMemo(() => {
    const passes = (card: ApprovalRequest) => {
      if (wanted.show === 'ending' && !(card.expiresAt && Date.parse(card.expiresAt) < before)) return false;
      if (wanted.show === 'skipped' && !skipped.has(card.approvalId)) return false;
      const entry = sessions[card.sessionId];
      return matches(card, wanted, entry ? sessionTitle(entry) : '');
    };
    return inOrder(isFiltered(wanted) ? cards.filter(passes) : cards, wanted.sort);
  }, [cards, sessions, wanted, skipped, before]);
  const to = (next: Filter) => {
    const search = queryOf(next).toString();
    goTo(location.pathname + (search && `?${search}`), 'replace');
  };
  return {
    filter,
    set: (change) => to({ ...filter, ...change }),
    clear: () => to({ ...noFilter, sort: filter.sort }),
    filtered: isFiltered(filter),
    shown,
    ending: cards.filter(ends).length,
    about: JSON.stringify(wanted),
  };
}

/** Deadlines before this are near, by the gateway's clock. It advances only while a request has a deadline. */
function useSoon(cards: readonly ApprovalRequest[]): number {
  const offset = useStore((s) => s.clockOffset);
  const some = cards.some((c) => c.expiresAt !== undefined);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!some) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), look);
    return () => clearInterval(timer);
  }, [some]);
  return now + offset + soon;
}
