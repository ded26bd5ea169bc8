import { Autocomplete, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Tried } from '../wire/api';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { AgentPolicy } from '../wire/wire';
import { argumentsOf, emptyInput, wayOf } from './callInput';
import { CallFields } from './CallFields';
import { TriedResult } from './TriedResult';
import classes from './tryCall.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  policies: readonly AgentPolicy[];
  agentId: string; // whose calls are tried at first
}

/** Says what would be decided about a call, while it is typed. Nothing is asked by that, and nothing runs. */
export function TryCall({ policies, agentId: first }: Props) {
  const known = useStore((s) => s.agents);
  const [agentId, setAgentId] = useState(first);
  const tools = known?.find((a) => a.agentId === agentId)?.tools ?? [];
  const [typed, setTool] = useState<string>();
  const toolName = typed ?? tools.find((t) => t.command?.line)?.name ?? tools[0]?.name ?? '';
  const tool = tools.find((t) => t.name === toolName);
  const [input, setInput] = useState(emptyInput);
  const [enter, setEnter] = useState(0);
  const made = argumentsOf(wayOf(tool, input.asJSON), input);
  const call: Tried | undefined =
    'args' in made && toolName.trim() !== ''
      ? { agentId, toolName: toolName.trim(), args: made.args }
      : undefined;
  const t = texts.tryCall;
  return (
    <section className={`${shared.panel} ${classes.panel}`} id="try" aria-labelledby="try-title">
      <div>
        <h2 className={classes.title} id="try-title">
          {t.title}
        </h2>
        <p className={shared.note}>{t.body}</p>
      </div>
      <div className={classes.who}>
        <NativeSelect
          label={t.agent}
          value={agentId}
          data={policies.map((p) => p.agentId)}
          onChange={(e) => {
            setAgentId(e.currentTarget.value);
            setTool(undefined);
            setInput({ ...emptyInput, command: input.command });
          }}
        />
        <Autocomplete
          label={t.tool}
          value={toolName}
          data={tools.map((one) => one.name)}
          onChange={(name) => {
            setTool(name);
            setInput({ ...emptyInput, command: input.command });
          }}
        />
      </div>
      <CallFields tool={tool} input={input} onChange={setInput} onEnter={() => setEnter((n) => n + 1)} />
      <TriedResult
        call={call}
        hint={'fault' in made ? '' : wayOf(tool, input.asJSON).kind === 'command' ? t.empty : t.unfinished}
        enter={enter}
        rules={policies.find((p) => p.agentId === agentId)?.rules ?? []}
      />
    </section>
  );
}
