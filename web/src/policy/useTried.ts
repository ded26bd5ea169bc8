import { useEffect, useRef, useState } from 'react';
import { api, type Tried } from '../wire/api';
import type { Explained, Suggestion } from '../wire/wire';

interface Found {
  told?: Explained | undefined;
  error?: string | undefined;
  suggestions?: readonly Suggestion[] | undefined;
}

// Typing goes on for a moment after each letter.
const pause = 400;

/** What would become of a call: asked once the typing pauses, and on demand. Nothing is shown of another call. */
export function useTried(call: Tried | undefined) {
  const key = call ? JSON.stringify(call) : '';
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<Found & { key: string }>({ key });
  const hurry = useRef(false);
  useEffect(() => {
    if (!call) return;
    let stale = false;
    const take = (more: Found) => {
      if (!stale) setFound((old) => ({ ...(old.key === key && old), key, ...more }));
    };
    const ask = async () => {
      try {
        const told = await api.explain(call);
        take({ told, error: undefined, suggestions: undefined });
        if (told.effect === 'ask' && !stale) take({ suggestions: await api.suggest(call) });
      } catch (error) {
        take({ error: (error as Error).message });
      }
    };
    const timer = setTimeout(() => void ask(), hurry.current ? 0 : pause);
    hurry.current = false;
    return () => {
      stale = true;
      clearTimeout(timer);
    };
    // The key says all of the call.
  }, [key, tries]);
  const { told, error, suggestions }: Found = key !== '' && found.key === key ? found : {};
  const again = () => {
    hurry.current = true;
    setTries((n) => n + 1);
  };
  return { told, error, suggestions, again };
}
