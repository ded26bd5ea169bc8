import { Burger } from '@mantine/core';
import { IconLockOff } from '@tabler/icons-react';
import { FromAgents } from '../clientTools/Corner';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { Notes } from './Notes';
import { Revealed } from '../ui/Revealed';
import { roleNames } from '../words/roles';
import classes from './shell.module.css';
import shared from '../ui/shared.module.css';
import { useNarrow } from '../ui/useNarrow';

interface Props {
  navOpen: boolean;
  onToggleNav: () => void;
  /** Receives the element where the page renders its title. */
  slot: (element: HTMLElement | null) => void;
  /** Whether to show the button for what agents ask of this page. */
  bell: boolean;
}

export function Header({ navOpen, onToggleNav, slot, bell }: Props) {
  const narrow = useNarrow();
  return (
    <header className={classes.header}>
      {narrow && (
        <Burger
          opened={navOpen}
          onClick={onToggleNav}
          size="sm"
          aria-label={navOpen ? texts.header.closeNav : texts.header.openNav}
        />
      )}
      <div className={classes.slot} ref={slot} />
      <Notes />
      {bell && <FromAgents onOpen={onToggleNav} />}
      <AutoApprove />
      <ConnectionLamp />
      {!narrow && <WhoIsHere />}
    </header>
  );
}

/** Says, wherever one is, for which agents nobody is asked. */
function AutoApprove() {
  const agents = useStore((s) => s.agents);
  const names = agents?.filter((a) => a.mode === 'auto-approve').map((a) => a.agentId) ?? [];
  if (names.length === 0) return null;
  return (
    <a
      className={`${shared.pill} ${classes.auto}`}
      href={href({ view: 'agents' })}
      aria-label={texts.mode.headerLabel(names)}
      data-testid="auto-approve"
    >
      <IconLockOff size={15} aria-hidden />
      <span className={`${shared.ellipsis} ${classes.autoLong}`}>
        <Revealed text={texts.mode.header(names)} />
      </span>
      <span className={classes.autoShort}>{texts.mode.headerShort}</span>
    </a>
  );
}

function ConnectionLamp() {
  const { phase, attempts } = useStore((s) => s.connection);
  const t = texts.connection;
  const words = phase === 'offline' ? t.offline(attempts) : t[phase];
  return (
    <span className={classes.lamp} data-phase={phase} role="status" data-testid="connection">
      <span className={classes.lampDot} aria-hidden />
      <span className={classes.lampWords}>{words}</span>
    </span>
  );
}

function WhoIsHere() {
  const identity = useStore((s) => s.identity);
  if (!identity) return null;
  return (
    <span className={classes.who}>
      <strong>
        <Revealed text={identity.subject} />
      </strong>{' '}
      {roleNames(identity.roles)}
    </span>
  );
}
