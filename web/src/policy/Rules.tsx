import { Button, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { api } from '../wire/api';
import { useStore } from '../store/store';
import { texts } from './texts';
import { useFetched } from '../ui/useFetched';
import { Remembered } from '../grants/Remembered';
import { Fetching, PageFrame } from '../ui/PageFrame';
import { AgentNotes } from './AgentNotes';
import { RuleGroup } from './RuleGroup';
import { ruleRows } from './ruleRows';
import { TryCall } from './TryCall';
import classes from './policy.module.css';

const effects = ['deny', 'ask', 'allow'] as const;

/** What the gateway goes by, and what that would mean for a call. */
export default function Rules() {
  // A mode that was set is a rule too.
  const modes = useStore((s) => s.agents?.map((a) => a.mode).join(' ') ?? '');
  const { got: policies, error, again } = useFetched(`policy ${modes}`, api.policy);
  const [agentId, setAgentId] = useState('');
  const rows = useMemo(() => ruleRows(policies ?? [], agentId), [policies, agentId]);
  const t = texts.rulesPage;
  const many = (policies?.length ?? 0) > 1;
  return (
    <PageFrame title={t.title} wide="full">
      <div className={classes.columns}>
        <div className={classes.rulesColumn}>
          <div className={classes.tools}>
            <p>{t.body}</p>
            {many && (
              <NativeSelect
                aria-label={t.agent}
                value={agentId}
                data={[{ value: '', label: t.all }, ...(policies?.map((a) => a.agentId) ?? [])]}
                onChange={(e) => setAgentId(e.currentTarget.value)}
              />
            )}
            <Button
              component="a"
              href="#try"
              className={classes.toTry}
              variant="default"
              onClick={(e) => {
                e.preventDefault();
                document.getElementById('try')?.scrollIntoView();
              }}
            >
              {t.toTry}
            </Button>
          </div>
          <Fetching error={error} loading={!policies && !error} again={again} />
          {policies && (
            <>
              <AgentNotes agentId={agentId} />
              {effects.map((effect) => (
                <RuleGroup key={effect} effect={effect} rows={rows[effect]} />
              ))}
            </>
          )}
          <Remembered />
        </div>
        {policies && policies.length > 0 && (
          <TryCall key={agentId} policies={policies} agentId={agentId || policies[0]!.agentId} />
        )}
      </div>
    </PageFrame>
  );
}
