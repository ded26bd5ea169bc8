import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { go } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { ModeBadge } from '../agents/ModeBadge';
import classes from './nav.module.css';
import { Revealed } from '../ui/Revealed';

/** Starts a new session; asks for the agent if there are several. */
export function NewSession() {
  const all = useStore((s) => s.agents);
  const agents = all?.filter((agent) => agent.kind !== 'external'); // nobody can talk to a program
  const pick = (agentId: string) => go({ view: 'new', agentId });
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
    <Menu position="bottom-start" width={272}>
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
