import { Button } from '@mantine/core';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useMemo } from 'react';
import { pretty } from '../wire/json';
import { go } from '../browser/route';
import { statusOf } from '../store/state';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may, type Agent, type AgentTool } from '../wire/wire';
import { Block } from '../ui/Block';
import { HaltButton } from './HaltButton';
import { ModeControl } from './ModeControl';
import { WithdrawButton } from './Withdraw';
import { Empty, Fetching, PageFrame } from '../ui/PageFrame';
import classes from './agents.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** Who works here, and with which tools. */
export default function Agents() {
  const agents = useStore((s) => s.agents);
  const t = texts.agentsPage;
  return (
    <PageFrame title={t.title} note={t.body}>
      <Fetching error={undefined} loading={!agents} again={() => undefined} />
      {agents?.length === 0 && (
        <Empty icon={<IconRobot size={38} stroke={1.4} aria-hidden />} title={t.none} body={t.noneBody} />
      )}
      <div className={classes.cards}>
        {agents?.map((agent) => (
          <AgentCard key={agent.agentId} agent={agent} />
        ))}
      </div>
    </PageFrame>
  );
}

function AgentCard({ agent }: { agent: Agent }) {
  const talks = useStore((s) => may(s.identity, 'talk'));
  const pending = useStore((s) => s.pending);
  const sessions = useStore((s) => s.sessions);
  const { agentId, tools } = agent;
  const [waiting, active] = useMemo(() => {
    const mine = Object.values(sessions).filter((e) => e.session.agentId === agentId);
    return [
      Object.values(pending).filter((r) => r.agentId === agentId).length,
      mine.filter((e) => statusOf(e, 0) === 'active').length,
    ];
  }, [pending, sessions, agentId]);
  const t = texts.agentsPage;
  return (
    <section className={`${shared.panel} ${classes.card}`} data-testid="agent" aria-label={agentId}>
      <div className={classes.cardHead}>
        <h2 className={classes.cardTitle}>
          <Revealed text={agentId} />
        </h2>
        <ModeControl agent={agent} />
        <span className={classes.state} data-state={waiting > 0 ? 'waiting' : active > 0 ? 'active' : 'idle'}>
          {t.status(active, waiting)}
        </span>
        <span className={classes.push} />
        <WithdrawButton which={{ agentId }} count={waiting} />
        <HaltButton agentId={agentId} />
        {talks && agent.kind !== 'external' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            aria-label={`${t.start}: ${agentId}`}
            onClick={() => go({ view: 'new', agentId })}
          >
            {t.start}
          </Button>
        )}
      </div>
      {agent.description && (
        <p className={frame.words}>
          <Revealed text={agent.description} mode="prose" />
        </p>
      )}
      <h3 className={frame.small}>{t.tools(tools?.length ?? 0)}</h3>
      {tools && tools.length > 0 && (
        <ul className={shared.bare}>
          {tools.map((tool) => (
            <Tool key={tool.name} tool={tool} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Tool({ tool }: { tool: AgentTool }) {
  const t = texts.agentsPage;
  const { readOnly, destructive, openWorld } = tool.hints ?? {};
  const hints = [readOnly && t.readOnly, destructive && t.destructive, openWorld && t.openWorld].filter(
    Boolean,
  );
  return (
    <li className={classes.tool}>
      <div className={classes.toolHead}>
        <code>
          <Revealed text={tool.name} />
        </code>
        {hints.length > 0 && (
          <span className={frame.hint} title={t.hintNote}>
            {hints.join(' · ')}
          </span>
        )}
      </div>
      {tool.description && (
        <p className={`${shared.note} ${classes.toolNote}`}>
          <Revealed text={tool.description} mode="prose" />
        </p>
      )}
      {tool.schema !== undefined && (
        <details className={`${shared.disclosure} ${classes.fold}`}>
          <summary>{t.schema}</summary>
          <Block text={pretty(tool.schema)} label={`${t.schema}: ${tool.name}`} />
        </details>
      )}
    </li>
  );
}
