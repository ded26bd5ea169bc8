import { Button } from '@mantine/core';
import { mayApprove } from '../request/approvers';
import { confirmationFor } from '../request/risk';
import { useStore } from '../store/store';
import { may, type ApprovalRequest } from '../wire/wire';
import { texts } from './texts';
import classes from './inbox.module.css';
import shared from '../ui/shared.module.css';
import type { Selection } from './useSelection';

interface Props {
  selection: Selection;
  reviewed: (request: ApprovalRequest) => boolean;
  onShow: (approvalId: string) => void;
  onAnswer: (batch: Batch) => void;
}

/** Requests to answer together, and how. */
export interface Batch {
  verdict: 'approved' | 'denied';
  list: readonly ApprovalRequest[];
}

/** The selected requests, and what to do with them: deny all, approve the reviewed ones, review the rest. */
export function SelectionBar({ selection, reviewed, onShow, onAnswer }: Props) {
  const identity = useStore((s) => s.identity);
  const { list } = selection;
  const n = list.length;
  const t = texts.batch;
  const ready = list.filter((r) => reviewed(r) && confirmationFor(r) === 'press' && mayApprove(identity, r));
  const first = list.find((r) => !reviewed(r)) ?? list[0];
  if (n === 0 || !may(identity, 'answer')) return null;
  return (
    <div className={classes.batch} role="region" aria-label={t.bar(n)} data-testid="batch">
      <span className={classes.batchCount}>{t.bar(n)}</span>
      <Button variant="subtle" size="compact-sm" onClick={selection.clear}>
        {t.clear}
      </Button>
      <span className={classes.spring} />
      {/* Both only open the dialog, which lists the requests and answers them. */}
      <Button
        variant="default"
        className={shared.danger}
        onClick={() => onAnswer({ verdict: 'denied', list })}
      >
        {t.deny(n)}
      </Button>
      {ready.length > 0 && (
        <Button
          variant="default"
          className={classes.batchApprove}
          onClick={() => onAnswer({ verdict: 'approved', list: ready })}
        >
          {t.approve(ready.length)}
        </Button>
      )}
      {ready.length < n && <Button onClick={() => first && onShow(first.approvalId)}>{t.review}</Button>}
    </div>
  );
}
