import { useEffect, useState } from 'react';
import { useReturnCount } from '../browser/useReturnCount';
import { useStore } from '../store/store';

interface Result<T> {
  got?: T;
  error?: string;
}

interface Fetched<T> extends Result<T> {
  again: () => void;
}

/**
 * What the gateway says, asked again when the key changes, when the line comes
 * up and when somebody comes back; until the new answer is in, the old one of
 * the same key stands.
 */
export function useFetched<T>(key: string, fetch: () => Promise<T>): Fetched<T> {
  const online = useStore((s) => s.connection.phase === 'online');
  const returns = useReturnCount();
  const [tries, setTries] = useState(0);
  const [result, setResult] = useState<Result<T> & { key: string }>({ key });
  useEffect(() => {
    let stale = false;
    const take = (next: Result<T>) => {
      if (stale) return;
      setResult((old) => ({ ...(old.key === key && next.error ? old : {}), key, ...next }));
    };
    fetch().then(
      (got) => take({ got }),
      (error: unknown) => take({ error: (error as Error).message }),
    );
    return () => {
      stale = true;
    };
    // The key says all that the answer depends on.
  }, [key, online, returns, tries]);
  const { got, error }: Result<T> = result.key === key ? result : {};
  return { got, error, again: () => setTries((n) => n + 1) };
}
