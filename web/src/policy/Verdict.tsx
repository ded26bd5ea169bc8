import { describeRule, isBy } from '../request/rule';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { Explained, Listed } from '../wire/wire';
import { EffectIcon } from './RuleGroup';
import { Revealed } from '../ui/Revealed';
import { RiskLine } from '../ui/RiskLine';
import { SentenceView } from '../ui/SentenceView';
import classes from './tryCall.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  agentId: string;
  what: Explained;
  rules: readonly Listed[];
}

/** What would be done about a call, and why. */
export function Verdict({ agentId, what, rules }: Props) {
  const halted = useStore((s) =>
    Object.values(s.halts).some((h) => h.agentId === undefined || h.agentId === agentId),
  );
  const effect = what.observed ? 'allow' : what.effect;
  const t = texts.tryCall;
  return (
    <div className={classes.verdict} data-effect={effect}>
      <h3 className={classes.effect}>
        <EffectIcon effect={effect} size={20} />
        <Revealed text={t.effects[effect] ?? effect} />
      </h3>
      {what.observed && (
        <p>
          <Revealed text={t.observed(agentId)} />
        </p>
      )}
      {what.policy.rule && <Why ground={what.policy.rule} rules={rules} />}
      {halted && <p className={classes.halted}>{t.halted}</p>}
      <RiskLine risk={what.risk} />
      <Trace what={what} />
    </div>
  );
}

/** The ground as a sentence: of a rule in the file, what that rule says. */
function Why({ ground, rules }: { ground: string; rules: readonly Listed[] }) {
  const byMode = texts.tryCall.byMode[ground];
  if (byMode) return <p>{byMode}</p>;
  const rule = rules.find((r) => r.sentence && /^(?:agents\.|tool)/.test(r.rule) && isBy(ground, r.rule));
  const certain =
    rule && !ground.startsWith(`${rule.rule} may match`) && !ground.startsWith(`${rule.rule}; `);
  return (
    <>
      {!certain && (
        <p>
          <Revealed text={`${describeRule(ground)}.`} mode="prose" />
        </p>
      )}
      {rule?.sentence && (
        <p>
          <SentenceView sentence={rule.sentence} />
          {certain && rule.reason && (
            <Revealed text={` ${texts.rulesPage.reason(rule.reason)}.`} mode="prose" />
          )}
        </p>
      )}
    </>
  );
}

function Trace({ what }: { what: Explained }) {
  const { commands = [], policy } = what;
  const t = texts.tryCall;
  if (commands.length < 2 && !policy.trace?.length) return null;
  return (
    <details className={shared.disclosure}>
      <summary>{t.trace}</summary>
      {commands.length > 1 && (
        <>
          <h4 className={frame.small}>{t.commands}</h4>
          <ul className={frame.plain}>
            {commands.map((part, i) => (
              <li key={i}>
                <code>
                  <Revealed text={part.text} />
                </code>{' '}
                {part.does && part.does.length > 0 && (
                  <span className={frame.hint}>
                    <Revealed text={part.does.join(' · ')} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <ol className={frame.plain}>
        {policy.trace?.map((line, i) => (
          <li key={i}>
            <Revealed text={line} />
          </li>
        ))}
      </ol>
    </details>
  );
}
