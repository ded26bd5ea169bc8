import { Button } from '@mantine/core';
import { useContext, useState } from 'react';
import { StoreContext, useStore } from '../store/store';
import { api, type Which } from '../wire/api';
import { may } from '../wire/wire';
import { DangerDialog } from './DangerDialog';
import { texts } from './texts';

interface Props {
  which: Which;
  count: number; // of those that wait there
  opened: boolean;
  onClose: () => void;
}

/** Withdraws all that waits somewhere, after it has said how many; turns go on. */
export function WithdrawDialog({ which, count, opened, onClose }: Props) {
  const store = useContext(StoreContext);
  const t = texts.withdraw;
  const act = async () => {
    const withdrawn = await api.cancelWaiting(which);
    store.dispatch({ type: 'note', text: t.done(withdrawn) });
  };
  return (
    <DangerDialog
      opened={opened}
      title={t.title(count)}
      lines={t.means}
      yes={t.yes(count)}
      no={t.no}
      act={act}
      onClose={onClose}
    />
  );
}

export function WithdrawButton({ which, count }: { which: Which; count: number }) {
  const [open, setOpen] = useState(false);
  const answers = useStore((s) => may(s.identity, 'answer'));
  if (!answers || (count === 0 && !open)) return null;
  return (
    <>
      <Button flex="none" size="xs" variant="default" onClick={() => setOpen(true)}>
        {texts.withdraw.open}
      </Button>
      <WithdrawDialog which={which} count={count} opened={open} onClose={() => setOpen(false)} />
    </>
  );
}
