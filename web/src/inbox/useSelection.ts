import { useCallback, useEffect, useState } from 'react';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';

export interface Selection {
  /** As they were when they were selected: what is answered is what was seen. */
  list: readonly ApprovalRequest[];
  has: (request: ApprovalRequest) => boolean;
  set: (request: ApprovalRequest, selected: boolean) => void;
  clear: () => void;
}

/** The requests that a person has selected for answering together. One that is answered or changed is none of them. */
export function useSelection(): Selection {
  const pending = useStore((s) => s.pending);
  const [chosen, setChosen] = useState<readonly ApprovalRequest[]>([]);
  const set = useCallback((request: ApprovalRequest, selected: boolean) => {
    setChosen((before) => {
      const others = before.filter((r) => r.approvalId !== request.approvalId);
      return selected ? [...others, request] : others;
    });
  }, []);
  useEffect(() => {
    setChosen((before) => {
      const left = before.filter((r) => isUnchanged(r, pending[r.approvalId]));
      return left.length === before.length ? before : left;
    });
  }, [pending]);
  const list = chosen.filter((r) => isUnchanged(r, pending[r.approvalId]));
  return {
    list,
    has: (request) => list.some((r) => r.approvalId === request.approvalId),
    set,
    clear: () => setChosen([]),
  };
}

/** Whether what waits now is what was seen. */
export function isUnchanged(seen: ApprovalRequest, now: ApprovalRequest | undefined): boolean {
  return now !== undefined && now.rev === seen.rev && now.argsDigest === seen.argsDigest;
}
