import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconInbox, IconPlus } from '@tabler/icons-react';
import { go, href, type Route } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import { ModeBadge } from '../agents/ModeBadge';
import { ModeControl } from '../agents/ModeControl';
import classes from './nav.module.css';
import shared from '../ui/shared.module.css';
import { NavPages } from './NavPages';
import { Revealed } from '../ui/Revealed';
import { SessionList } from './SessionList';

interface Props {
  route: Route;
  onNavigate?: () => void;
}

/** The way to everything: what waits, a new session, the sessions. */
export function Nav({ route, onNavigate }: Props) {
  const pending = useStore((s) => s.pending);
  const identity = useStore((s) => s.identity);
  const waiting = Object.keys(pending).length;
  return (
    <nav className={classes.nav} aria-label={texts.nav.label} onClick={onNavigate && closeOnLink(onNavigate)}>
      <a
        className={`${shared.navItem} ${classes.inbox}`}
        href={href({ view: 'waiting' })}
        data-waiting={waiting > 0 || undefined}
        aria-current={route.view === 'waiting' ? 'page' : undefined}
      >
        <IconInbox size={18} aria-hidden />
        {texts.nav.waiting(waiting)}
      </a>
      <NavPages route={route} />
      {may(identity, 'talk') && <NewSession onPick={onNavigate} />}
      <Agents inside={onNavigate !== undefined} />
      <h2 className={classes.heading}>{texts.nav.sessions}</h2>
      <SessionList route={route} />
      {identity && (
        <p className={classes.who}>
          <Revealed text={texts.nav.as(identity.subject)} />
        </p>
      )}
    </nav>
  );
}

// A link that was followed closes the drawer, also the one already shown.
function closeOnLink(close: () => void) {
  return (e: React.MouseEvent) => {
    if ((e.target as Element).closest('a')) close();
  };
}

/** Chooses the agent of a new session; with one agent there is nothing to choose. */
export function NewSession({ onPick }: { onPick?: (() => void) | undefined }) {
  const all = useStore((s) => s.agents);
  const agents = all?.filter((agent) => agent.kind !== 'external'); // nobody can talk to a program
  const pick = (agentId: string) => {
    go({ view: 'new', agentId });
    onPick?.();
  };
  const only = agents?.length === 1 ? agents[0] : undefined;
  if (only || !agents?.length) {
    return (
      <Button
        className={classes.new}
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        disabled={!only}
        onClick={() => only && pick(only.agentId)}
      >
        {agents?.length === 0 ? texts.nav.noAgents : texts.nav.newSession}
      </Button>
    );
  }
  return (
    <Menu position="bottom-start" width={272} withinPortal={!onPick}>
      <Menu.Target>
        <Button
          className={classes.new}
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {texts.nav.newSession}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {agents.map((agent) => (
          <Menu.Item key={agent.agentId} onClick={() => pick(agent.agentId)}>
            <span className={classes.agentTop}>
              <span className={classes.agent}>
                <Revealed text={agent.agentId} />
              </span>
              <ModeBadge agent={agent} />
            </span>
            {agent.description && (
              <span className={classes.agentNote}>
                <Revealed text={agent.description} mode="prose" />
              </span>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The agents and their modes. */
function Agents({ inside }: { inside: boolean }) {
  const agents = useStore((s) => s.agents);
  if (!agents?.length) return null;
  return (
    <>
      <h2 className={classes.heading}>{texts.nav.agents}</h2>
      <ul className={`${shared.list} ${classes.list}`}>
        {agents.map((agent) => (
          <li key={agent.agentId} className={classes.agentRow}>
            <span className={classes.agent}>
              <Revealed text={agent.agentId} />
            </span>
            <ModeControl agent={agent} inside={inside} />
          </li>
        ))}
      </ul>
    </>
  );
}
