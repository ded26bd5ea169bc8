import { useEffect, useState } from 'react';

/** Grows whenever the person comes back to this page, which may show what is old by then. */
export function useReturnCount(): number {
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const back = () => {
      if (document.visibilityState === 'visible') setTimes((n) => n + 1);
    };
    window.addEventListener('focus', back);
    document.addEventListener('visibilitychange', back);
    return () => {
      window.removeEventListener('focus', back);
      document.removeEventListener('visibilitychange', back);
    };
  }, []);
  return times;
}
