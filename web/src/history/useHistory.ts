import { useEffect, useRef, useState } from 'react';
import { api } from '../wire/api';
import { useReturnCount } from '../browser/useReturnCount';
import { useStore } from '../store/store';
import type { Approval } from '../wire/wire';

interface History {
  list?: readonly Approval[];
  next: string; // cursor for older ones; '' at the end
  searchedTo?: string; // how far back the search got
  busy: boolean;
  error?: string;
  more: () => void;
  again: () => void;
}

interface Got {
  of: string;
  list: readonly Approval[];
  next: string;
  searchedTo?: string | undefined;
}

/** The requests that a search in History finds, page by page, newest first. */
export function useHistory(search: Record<string, string>): History {
  const of = JSON.stringify(search);
  const online = useStore((s) => s.connection.phase === 'online');
  const returns = useReturnCount();
  const [tries, setTries] = useState(0);
  const [got, setGot] = useState<Got>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const round = useRef(0); // what was asked for before the last change is not wanted any more
  const fetch = async (before: string, have: readonly Approval[]) => {
    const mine = ++round.current;
    setBusy(true);
    try {
      const page = await api.approvals({ ...search, ...(before && { before }) });
      if (mine !== round.current) return;
      setGot({ of, ...page, list: [...have, ...page.approvals] });
      setError(undefined);
    } catch (why) {
      if (mine === round.current) setError((why as Error).message);
    }
    if (mine === round.current) setBusy(false);
  };
  useEffect(() => {
    void fetch('', []);
    return () => void round.current++;
  }, [of, online, returns, tries]);
  const now = got?.of === of ? got : undefined;
  return {
    list: now?.list,
    next: now?.next ?? '',
    searchedTo: now?.searchedTo,
    busy,
    error,
    more: () => now && void fetch(now.next, now.list),
    again: () => setTries((n) => n + 1),
  };
}
