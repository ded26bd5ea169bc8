import { Button } from '@mantine/core';
import { IconChecks, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { BatchDialog } from './BatchDialog';
import classes from './inbox.module.css';
import type { Selection } from './useSelection';

/** What is chosen, and the way to answer it together. It stands below the cards and moves none. */
export function InboxBatch({ selection }: { selection: Selection }) {
  const [open, setOpen] = useState<{ verdict: 'approved' | 'denied'; list: readonly ApprovalRequest[] }>();
  const n = selection.list.length;
  const t = texts.batch;
  const close = () => setOpen(undefined);
  return (
    <>
      {n > 0 && (
        <div className={classes.batch} role="region" aria-label={t.bar(n)} data-testid="batch">
          <span className={classes.batchCount}>{t.bar(n)}</span>
          {/* Both only open: what is answered is named, and answered, in the dialog. */}
          <Button
            variant="default"
            size="sm"
            className={classes.batchDeny}
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() => setOpen({ verdict: 'denied', list: selection.list })}
          >
            {t.deny}
          </Button>
          <Button
            variant="default"
            size="sm"
            className={classes.batchApprove}
            leftSection={<IconChecks size={16} aria-hidden />}
            onClick={() => setOpen({ verdict: 'approved', list: selection.list })}
          >
            {t.approve}
          </Button>
          <Button variant="subtle" color="gray" size="sm" onClick={selection.clear}>
            {t.clear}
          </Button>
        </div>
      )}
      {open && <BatchDialog verdict={open.verdict} list={open.list} onClose={close} />}
    </>
  );
}
