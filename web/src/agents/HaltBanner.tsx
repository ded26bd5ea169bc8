import { Button } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useState } from 'react';
import { formatTime } from '../ui/clock';
import { useStore } from '../store/store';
import { api } from '../wire/api';
import { may, type Halt } from '../wire/wire';
import { DangerDialog } from './DangerDialog';
import { texts } from './texts';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** What is halted, on every page: who pressed, when, what it means, and the way out. */
export function HaltBanner() {
  const halts = useStore((s) => s.halts);
  return Object.entries(halts).map(([agentId, halt]) => <Halted key={agentId} halt={halt} />);
}

function Halted({ halt }: { halt: Halt }) {
  const [open, setOpen] = useState(false);
  const identity = useStore((s) => s.identity);
  const { agentId, by, at } = halt;
  const some = (identity?.agents?.length ?? 0) > 0;
  const lifts = may(identity, 'manage') && !(some && agentId === undefined);
  const t = texts.halt;
  return (
    <div className={shared.banner} role="alert" data-testid="halt">
      <IconHandStop size={18} aria-hidden />
      <strong>
        <Revealed text={t.halted(agentId)} />
      </strong>
      <span>
        <Revealed text={t.pressed(by.subject, formatTime(at))} />
      </span>
      <span>{lifts ? t.now : `${t.now} ${t.whoLifts}`}</span>
      {lifts && (
        <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
          {t.lift}
        </Button>
      )}
      <DangerDialog
        opened={open}
        title={t.liftTitle(agentId)}
        lines={t.liftMeans}
        yes={t.liftYes}
        no={t.liftNo}
        act={() => api.lift(agentId === undefined ? { all: true } : { agentId })}
        onClose={() => setOpen(false)}
      />
    </div>
  );
}
