import { ActionIcon, Burger, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLockOff, IconMoon, IconSun } from '@tabler/icons-react';
import { HaltButton } from '../agents/HaltButton';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { FromAgents } from './Corner';
import { Logo } from '../ui/Logo';
import { Revealed } from '../ui/Revealed';
import classes from './shell.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  navOpen: boolean;
  onToggleNav: () => void;
}

export function Header({ navOpen, onToggleNav }: Props) {
  const waiting = useStore((s) => Object.keys(s.pending).length);
  return (
    <header className={classes.header}>
      <Burger
        className={classes.burger}
        opened={navOpen}
        onClick={onToggleNav}
        size="sm"
        aria-label={navOpen ? texts.header.closeNav : texts.header.openNav}
      />
      <a className={classes.brand} href={href({ view: 'home' })} aria-label={texts.app}>
        <Logo />
        <span className={classes.brandName}>{texts.app}</span>
      </a>
      <FromAgents onOpen={onToggleNav} />
      <span className={classes.spring} />
      <AutoApprove />
      {waiting > 0 && (
        <a className={classes.waiting} href={href({ view: 'waiting' })}>
          {texts.nav.waiting(waiting)}
        </a>
      )}
      <ConnectionLamp />
      <HaltButton />
      <SchemeToggle />
    </header>
  );
}

/** Says, wherever one is, for which agents nobody is asked. */
function AutoApprove() {
  const agents = useStore((s) => s.agents);
  const names = agents?.filter((a) => a.mode === 'auto-approve').map((a) => a.agentId) ?? [];
  const first = names[0];
  if (!first) return null;
  return (
    <a
      className={`${shared.pill} ${classes.auto}`}
      href={href({ view: 'new', agentId: first })}
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
      <span className={classes.lampLong}>{words}</span>
      <span className={classes.lampShort} aria-hidden>
        {t.short[phase]}
      </span>
    </span>
  );
}

/** Follows the system until a person wants the other; choosing the system's follows it again. */
function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  const toggle = () => {
    const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    setColorScheme(other === system ? 'auto' : other);
  };
  return (
    <ActionIcon
      className={classes.scheme}
      variant="subtle"
      color="gray"
      size="lg"
      onClick={toggle}
      aria-label={other === 'dark' ? texts.header.toDark : texts.header.toLight}
    >
      {other === 'dark' ? <IconMoon size={19} aria-hidden /> : <IconSun size={19} aria-hidden />}
    </ActionIcon>
  );
}
