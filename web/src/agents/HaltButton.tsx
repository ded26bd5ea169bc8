import { Button } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useState } from 'react';
import { haltOf } from '../store/halts';
import { useStore } from '../store/store';
import { api } from '../wire/api';
import { may } from '../wire/wire';
import { DangerDialog } from './DangerDialog';
import { texts } from './texts';
import shared from '../ui/shared.module.css';

/** Stops an agent, or all of them, for everybody; it is confirmed first. */
export function HaltButton({
  agentId,
  className = '',
}: {
  agentId?: string;
  className?: string | undefined;
}) {
  const [open, setOpen] = useState(false);
  const identity = useStore((s) => s.identity);
  const halted = useStore((s) => haltOf(s.halts, agentId ?? ''));
  const some = (identity?.agents?.length ?? 0) > 0; // who is for some agents halts these
  if (!may(identity, 'halt') || halted || (some && agentId === undefined)) return null;
  const t = texts.halt;
  return (
    <>
      <Button
        className={`${shared.danger} ${className}`}
        size={agentId === undefined ? 'sm' : 'xs'}
        variant="default"
        leftSection={agentId !== undefined && <IconHandStop size={16} aria-hidden />}
        aria-label={agentId === undefined ? undefined : t.yes(agentId)}
        onClick={() => setOpen(true)}
      >
        {agentId === undefined ? t.all : t.halt}
      </Button>
      <DangerDialog
        opened={open}
        title={t.title(agentId)}
        lines={t.means}
        yes={t.yes(agentId)}
        no={t.no}
        act={() => api.halt(agentId === undefined ? { all: true } : { agentId })}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
