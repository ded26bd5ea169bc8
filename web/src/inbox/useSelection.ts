import { useCallback, useEffect, useRef, useState } from 'react';
import { confirmationFor } from '../request/risk';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';

export interface Selection {
  /** As they were when they were selected: what is answered is what was seen. */
  list: readonly ApprovalRequest[];
  has: (request: ApprovalRequest) => boolean;
  set: (requests: readonly ApprovalRequest[], selected: boolean) => void;
  /** Toggles one; with range, all from the last toggled one up to it. */
  tick: (request: ApprovalRequest, order: readonly ApprovalRequest[], range: boolean) => void;
  clear: () => void;
}

/** Critical requests and questions are answered one at a time. */
export function isSelectable(request: ApprovalRequest): boolean {
  return request.type === 'tool_confirmation' && confirmationFor(request) !== 'typed';
}

/** The requests that a person has selected for answering together. One that is answered or changed is none of them. */
export function useSelection(): Selection {
  const pending = useStore((s) => s.pending);
  const [chosen, setChosen] = useState<readonly ApprovalRequest[]>([]);
  const last = useRef('');
  const set = useCallback((requests: readonly ApprovalRequest[], selected: boolean) => {
    const ids = new Set(requests.map((r) => r.approvalId));
    setChosen((before) => {
      const others = before.filter((r) => !ids.has(r.approvalId));
      return selected ? [...others, ...requests.filter(isSelectable)] : others;
    });
  }, []);
  useEffect(() => {
    setChosen((before) => {
      const left = before.filter((r) => isUnchanged(r, pending[r.approvalId]));
      return left.length === before.length ? before : left;
    });
  }, [pending]);
  const list = chosen.filter((r) => isUnchanged(r, pending[r.approvalId]));
  const has = (request: ApprovalRequest) => list.some((r) => r.approvalId === request.approvalId);
  return {
    list,
    has,
    set,
    tick: (request, order, range) => {
      const selected = !has(request);
      const at = order.findIndex((r) => r.approvalId === request.approvalId);
      const from = range ? order.findIndex((r) => r.approvalId === last.current) : -1;
      last.current = request.approvalId;
      set(from < 0 ? [request] : order.slice(Math.min(from, at), Math.max(from, at) + 1), selected);
    },
    clear: () => setChosen([]),
  };
}

/** Whether what waits now is what was seen. */
export function isUnchanged(seen: ApprovalRequest, now: ApprovalRequest | undefined): boolean {
  return now !== undefined && now.rev === seen.rev && now.argsDigest === seen.argsDigest;
}
