import { NativeSelect } from '@mantine/core';
import { IconBan, IconCircleCheck, IconHandStop } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { AgentPolicy, Effect } from '../wire/rest';
import { useFetched } from '../ui/useFetched';
import { Block } from '../ui/Block';
import { modeName } from '../agents/ModeBadge';
import { Fetching, PageFrame } from '../ui/PageFrame';
import classes from '../ui/pages.module.css';
import { Revealed } from '../ui/Revealed';
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
    </PageFrame>
  );
}

function RuleList({ policy }: { policy: AgentPolicy }) {
  const t = texts.rulesPage;
  return (
    <div className={classes.section}>
      <p className={classes.note}>
        {texts.draft.mode}: <Revealed text={modeName(policy.mode)} />
      </p>
      {!policy.rules?.length && <p className={classes.words}>{t.none}</p>}
      <ol className={classes.rules}>
        {policy.rules?.map((rule) => (
          <li key={rule.rule} className={classes.rule} data-testid="rule">
            <div className={classes.ruleHead}>
              <EffectBadge effect={rule.effect} words={t.effect(rule.effect)} />
              <code className={classes.where}>
                <Revealed text={rule.rule} />
              </code>
              <span className={classes.hint}>{t.scopes[rule.scope] ?? rule.scope}</span>
            </div>
            <Block text={rule.text.trimEnd()} label={t.where(rule.rule)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

const icons: Record<Effect, typeof IconBan> = { allow: IconCircleCheck, ask: IconHandStop, deny: IconBan };

/** What is done about a call: a sign, a colour, and the word. */
export function EffectBadge({ effect, words }: { effect: Effect; words: string }) {
  const Icon = icons[effect] ?? IconHandStop;
  return (
    <span className={classes.effect} data-effect={effect}>
      <Icon size={16} aria-hidden />
      <Revealed text={words} />
    </span>
  );
}
