import { Autocomplete, Button, Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import { api } from '../wire/api';
import { describeRule } from '../request/rule';
import { texts } from './texts';
import type { Explained } from '../wire/wire';
import type { AgentTool } from '../wire/wire';
import { EffectBadge } from './EffectBadge';
import classes from './policy.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { RiskLine } from '../ui/RiskLine';

interface Props {
  agentId: string;
  tools: readonly AgentTool[];
}

/** Says what would be decided about a call. Nothing is asked by that, and nothing runs. */
export function TryCall({ agentId, tools }: Props) {
  const [tool, setTool] = useState(tools[0]?.name ?? '');
  const [args, setArgs] = useState(() => exampleFor(tools[0]));
  const [told, setTold] = useState<{ what: Explained } | { error: string }>();
  const [busy, setBusy] = useState(false);
  const asked = useRef(0);
  const t = texts.rulesPage;
  const renew = () => {
    asked.current++;
    setTold(undefined);
  };
  const pick = (name: string) => {
    renew(); // it was about another call
    setTool(name);
    const found = tools.find((one) => one.name === name);
    if (found && isExample(args, tools)) setArgs(exampleFor(found));
  };
  const attempt = async () => {
    const mine = ++asked.current;
    try {
      JSON.parse(args);
    } catch (error) {
      setTold({ error: t.notJSON((error as Error).message) });
      return;
    }
    setBusy(true);
    const result = await api.explain(agentId, tool, args).then(
      (what) => ({ what }),
      (error: unknown) => ({ error: (error as Error).message }),
    );
    setBusy(false);
    if (mine === asked.current) setTold(result);
  };
  return (
    <section className={frame.section} aria-labelledby="try-title">
      <h2 className={frame.sectionTitle} id="try-title">
        {t.tryTitle}
      </h2>
      <p className={shared.note}>{t.tryBody}</p>
      <form
        className={classes.form}
        onSubmit={(e) => {
          e.preventDefault();
          void attempt();
        }}
      >
        <Autocomplete label={t.tool} value={tool} onChange={pick} data={tools.map((one) => one.name)} />
        <Textarea
          label={t.args}
          classNames={{ input: classes.mono }}
          autosize
          minRows={2}
          maxRows={14}
          spellCheck={false}
          value={args}
          onChange={(e) => {
            setArgs(e.currentTarget.value);
            renew();
          }}
        />
        <div>
          <Button type="submit" loading={busy} disabled={tool.trim() === ''}>
            {t.act}
          </Button>
        </div>
      </form>
      <div role="status" data-testid="explained">
        {told && 'error' in told && (
          <p className={frame.failed}>
            <Revealed text={told.error} mode="prose" />
          </p>
        )}
        {told && 'what' in told && <Told what={told.what} />}
      </div>
    </section>
  );
}

function Told({ what }: { what: Explained }) {
  const t = texts.rulesPage;
  const { rule, trace } = what.policy ?? {};
  return (
    <div className={`${shared.panel} ${classes.told}`}>
      <EffectBadge effect={what.effect} words={t.would(what.effect)} />
      {rule && (
        <p>
          {t.because} <Revealed text={describeRule(rule)} />
        </p>
      )}
      <RiskLine risk={what.risk} />
      {what.commands && what.commands.length > 0 && (
        <div>
          <h3 className={`${frame.small} ${classes.toldTitle}`}>{t.commands}</h3>
          <ul className={frame.plain}>
            {what.commands.map((part, i) => (
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
        </div>
      )}
      {trace && trace.length > 0 && (
        <div>
          <h3 className={`${frame.small} ${classes.toldTitle}`}>{t.trace}</h3>
          <ol className={frame.plain}>
            {trace.map((line, i) => (
              <li key={i}>
                <Revealed text={line} />
              </li>
            ))}
          </ol>
        </div>
      )}
    </div>
  );
}

/** Arguments to begin with: what a command needs, or nothing. */
function exampleFor(tool: AgentTool | undefined): string {
  const line = tool?.command?.line;
  return line ? `{ ${JSON.stringify(line)}: "uname -a" }` : '{}';
}

function isExample(args: string, tools: readonly AgentTool[]): boolean {
  return args.trim() === '{}' || tools.some((tool) => exampleFor(tool) === args);
}
