import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from './texts';
import { useArmed } from '../answer/arming';
import { DecisionButton } from '../answer/DecisionButton';
import classes from './mode.module.css';
import shared from '../ui/shared.module.css';
import { Modal } from '../ui/dialogs';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

interface Props {
  opened: boolean;
  title: string;
  lines: readonly string[];
  yes: string;
  no: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}

/** Says what something for everybody means before it is done; it closes once it is. */
export function DangerDialog({ opened, title, lines, yes, no, act, onClose }: Props) {
  const armed = useArmed(`${opened}|${yes}`);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState('');
  const close = () => {
    setTrouble('');
    onClose();
  };
  const doIt = async () => {
    setBusy(true);
    setTrouble('');
    try {
      await act();
      close();
    } catch (error) {
      setTrouble((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={<Revealed text={title} />}
      closeButtonProps={{ 'aria-label': texts.mode.close }}
    >
      <div className={classes.dialog}>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <div className={`${shared.buttons} ${classes.buttons}`}>
          <Button type="button" variant="default" className={classes.no} data-autofocus onClick={close}>
            {no}
          </Button>
          <DecisionButton armed={armed} disabled={busy} look="deny" act={() => void doIt()}>
            {yes}
          </DecisionButton>
        </div>
        {trouble && (
          <Remark tone="error">
            <Revealed text={texts.halt.failed(trouble)} mode="prose" />
          </Remark>
        )}
      </div>
    </Modal>
  );
}
