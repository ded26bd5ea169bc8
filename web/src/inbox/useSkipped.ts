import { useState } from 'react';

const key = 'lineclear-later';

/** The requests that were put off in this tab, by id; a reload keeps them. */
export function useSkipped(): [ReadonlySet<string>, (approvalIds: ReadonlySet<string>) => void] {
  const [skipped, setSkipped] = useState(kept);
  const keep = (approvalIds: ReadonlySet<string>) => {
    setSkipped(approvalIds);
    try {
      sessionStorage.setItem(key, [...approvalIds].join(' '));
    } catch {
      // No storage: they last until the page is closed.
    }
  };
  return [skipped, keep];
}

function kept(): ReadonlySet<string> {
  try {
    return new Set((sessionStorage.getItem(key) ?? '').split(' ').filter(Boolean));
  } catch {
    return new Set(); // no storage in this browser
  }
}
