import { useState } from 'react';
import { texts } from './texts';

/** Runs an action, reports its result, and refetches the data of the page. */
export function useActs(again: () => void) {
  const [result, setResult] = useState({ text: '', failed: false });
  const act = async (done: string, go: () => Promise<unknown>) => {
    try {
      await go();
      setResult({ text: done, failed: false });
    } catch (trouble) {
      setResult({ text: texts.accessPage.failed((trouble as Error).message), failed: true });
    }
    again();
  };
  return { result, act };
}
