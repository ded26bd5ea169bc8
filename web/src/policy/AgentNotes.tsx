import { IconBox, IconBoxOff, IconEyeExclamation, IconHandStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatTime, useTicking } from '../ui/clock';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { Agent, AgentTool } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import classes from './policy.module.css';
import shared from '../ui/shared.module.css';

/** What stands above the rules of agents at the moment: halts, observing, and how freely their tools run. */
export function AgentNotes({ agentId }: { agentId: string }) {
  const halts = useStore((s) => s.halts);
  const known = useStore((s) => s.agents);
  const agents = (known ?? []).filter((a) => agentId === '' || a.agentId === agentId);
  const observed = agents.filter((a) => a.observedUntil !== undefined);
  const now = useTicking(observed.length > 0);
  const t = texts.notes;
  const halted = Object.values(halts).filter(
    (h) => h.agentId === undefined || agents.some((a) => a.agentId === h.agentId),
  );
  const notes: { tone: string; icon: ReactNode; text: string }[] = [
    ...halted.map((h) => ({
      tone: 'no',
      icon: <IconHandStop size={18} aria-hidden />,
      text: t.halted(h.agentId, h.by.subject, formatTime(h.at)),
    })),
    ...observed
      .filter((a) => Date.parse(a.observedUntil ?? '') > now)
      .map((a) => ({
        tone: 'wait',
        icon: <IconEyeExclamation size={18} aria-hidden />,
        text: t.observed(a.agentId, formatTime(a.observedUntil)),
      })),
    ...fences(agents),
  ];
  if (notes.length === 0) return null;
  return (
    <ul className={`${shared.bare} ${shared.panel} ${classes.notes}`} aria-label={t.label}>
      {notes.map(({ tone, icon, text }) => (
        <li key={text} data-tone={tone}>
          {icon}
          <Revealed text={text} />
        </li>
      ))}
    </ul>
  );
}

/** How the tools that run commands are kept from the rest: agents of which the same is to be said, together. */
function fences(agents: readonly Agent[]) {
  const t = texts.notes;
  const alike = new Map<string, { agents: string[]; tools: string[]; how: string | undefined }>();
  for (const { agentId, tools } of agents) {
    const by = new Map<string | undefined, string[]>();
    for (const tool of tools) {
      if (!tool.sandbox) continue;
      const how = howFenced(tool.sandbox);
      by.set(how, [...(by.get(how) ?? []), tool.name]);
    }
    for (const [how, names] of by) {
      const key = JSON.stringify([how, names]);
      const found = alike.get(key);
      if (found) found.agents.push(agentId);
      else alike.set(key, { agents: [agentId], tools: names, how });
    }
  }
  return [...alike.values()].map(({ agents: of, tools, how }) =>
    how === undefined
      ? { tone: 'plain', icon: <IconBoxOff size={18} aria-hidden />, text: t.unfenced(of, tools) }
      : { tone: 'plain', icon: <IconBox size={18} aria-hidden />, text: t.fenced(of, tools, how) },
  );
}

/** Undefined: not at all; a kind that this page does not know is taken for that. */
function howFenced({ kind, network, write }: NonNullable<AgentTool['sandbox']>): string | undefined {
  const t = texts.notes;
  if (kind !== 'bubblewrap') return undefined;
  return t.network(network) + (write?.length ? t.writes(write) : '');
}
