import { useCallback, useState } from 'react';
import type { ApprovalRequest } from '../wire/wire';

export interface Reviewed {
  has: (request: ApprovalRequest) => boolean;
  add: (request: ApprovalRequest) => void;
}

const keyOf = ({ approvalId, rev, argsDigest }: ApprovalRequest) => `${approvalId} ${rev} ${argsDigest}`;

/** Which requests have been shown to their end. One that changed has to be shown again. */
export function useReviewed(): Reviewed {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const add = useCallback((request: ApprovalRequest) => {
    const key = keyOf(request);
    setKeys((before) => (before.has(key) ? before : new Set([...before, key])));
  }, []);
  return { has: (request) => keys.has(keyOf(request)), add };
}
