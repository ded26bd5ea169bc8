import { useMemo, useState } from 'react';
import { api } from '../wire/api';
import type { ApprovalRequest } from '../wire/wire';
import { changeOf, type Change } from './change';

export interface ChangeState {
  /** What the request has of it; the whole, once fetched. */
  change: Change | undefined;
  loading: boolean;
  failed: string | undefined;
  /** Whether there is nothing more to fetch. */
  whole: boolean;
  load: () => void;
}

// Lists redraw a card that scrolls back into view.
const fetched = new WeakMap<object, Change>();

/** What a request would change in a file. load fetches the whole of a change that was cut. */
export function useChange(request: ApprovalRequest): ChangeState {
  const part = useMemo(() => changeOf(request), [request]);
  const [whole, setWhole] = useState(() => fetched.get(request));
  const [state, setState] = useState<{ loading: boolean; failed?: string }>({ loading: false });
  const load = () => {
    if (!part?.omitted || whole || state.loading) return;
    setState({ loading: true });
    void wholeOf(request).then(
      (change) => {
        fetched.set(request, change);
        setWhole(change);
        setState({ loading: false });
      },
      (error: unknown) => setState({ loading: false, failed: (error as Error).message }),
    );
  };
  return {
    change: whole ?? part,
    loading: state.loading,
    failed: state.failed,
    whole: whole !== undefined || !part?.omitted,
    load,
  };
}

async function wholeOf(request: ApprovalRequest): Promise<Change> {
  const change = changeOf({ ...request, preview: await api.change(request.approvalId) });
  if (!change) throw new Error('it can’t be read');
  return change;
}
