import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api } from '../wire/api';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { AgentPolicy } from '../wire/wire';
import { useFetched } from '../ui/useFetched';
import { Block } from '../ui/Block';
import { modeName } from '../agents/ModeBadge';
import { Remembered } from '../grants/Remembered';
import { Fetching, PageFrame } from '../ui/PageFrame';
import classes from './policy.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { EffectBadge } from './EffectBadge';
import { TryCall } from './TryCall';

/** What the gateway goes by, and what that would mean for a call. */
export default function Rules() {
  const { got: agents, error, again } = useFetched('policy', api.policy);
  const [chosen, setChosen] = useState('');
  const known = useStore((s) => s.agents);
  const t = texts.rulesPage;
  // The agent for programs has rules too, and stands last.
  const shown = agents?.find((a) => a.agentId === chosen) ?? agents?.[0];
  return (
    <PageFrame title={t.title} note={t.body}>
      <Fetching error={error} loading={!agents && !error} again={again} />
      {shown && (
        <>
          <NativeSelect
            className={classes.select}
            label={t.agent}
            value={shown.agentId}
            data={agents?.map((a) => a.agentId) ?? []}
            onChange={(e) => setChosen(e.currentTarget.value)}
          />
          <RuleList policy={shown} />
          <TryCall
            key={shown.agentId}
            agentId={shown.agentId}
            tools={known?.find((a) => a.agentId === shown.agentId)?.tools ?? []}
          />
        </>
      )}
      <Remembered />
    </PageFrame>
  );
}

function RuleList({ policy }: { policy: AgentPolicy }) {
  const t = texts.rulesPage;
  return (
    <div className={frame.section}>
      <p className={shared.note}>
        {texts.draft.mode}: <Revealed text={modeName(policy.mode)} />
      </p>
      {policy.rules.length === 0 && <p className={frame.words}>{t.none}</p>}
      <ol className={`${shared.list} ${classes.rules}`}>
        {policy.rules.map((rule) => (
          <li key={rule.rule} data-testid="rule">
            <div className={classes.ruleHead}>
              <EffectBadge effect={rule.effect} words={t.effect(rule.effect)} />
              <code className={classes.where}>
                <Revealed text={rule.rule} />
              </code>
              <span className={frame.hint}>{t.scopes[rule.scope] ?? rule.scope}</span>
            </div>
            <Block text={rule.text.trimEnd()} label={t.where(rule.rule)} />
          </li>
        ))}
      </ol>
    </div>
  );
}
