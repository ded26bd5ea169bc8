import type { AgentPolicy, Effect, Listed, Sentence } from '../wire/wire';

/** What is said alike of one agent, of several or of all. */
export interface RuleRow {
  key: string;
  effect: Effect;
  agents: string[]; // none: the sentence says whose it is
  sentence?: Sentence; // without the agents; absent: there are no words for it
  reason?: string;
  sources: Listed[];
}

/** The rules of all agents, or of one, by what they do: each said once. */
export function ruleRows(policies: readonly AgentPolicy[], agentId = ''): Record<Effect, RuleRow[]> {
  const rows = new Map<string, RuleRow>();
  for (const policy of policies) {
    if (agentId !== '' && policy.agentId !== agentId) continue;
    for (const rule of policy.rules) add(rows, policy.agentId, rule);
  }
  const sorted = [...rows.values()].sort((a, b) => rankOf(a) - rankOf(b));
  const of = (effect: Effect) => sorted.filter((row) => row.effect === effect);
  return { deny: of('deny'), ask: of('ask'), allow: of('allow') };
}

function add(rows: Map<string, RuleRow>, agentId: string, rule: Listed): void {
  const { effect, scope, sentence, reason, text = '' } = rule;
  const rest = sentence?.[0]?.kind === 'agent' ? sentence.slice(1) : sentence;
  const key = JSON.stringify([effect, scope === 'gateway' && rule.rule, rest ?? text, reason]);
  const row = rows.get(key);
  const own = scope === 'agent';
  if (!row) {
    rows.set(key, {
      key,
      effect,
      agents: own ? [agentId] : [],
      ...(rest && { sentence: rest }),
      ...(reason && { reason }),
      sources: [rule],
    });
  } else if (own) {
    if (!row.agents.includes(agentId)) row.agents.push(agentId);
    row.sources.push(rule);
  }
}

// What holds for all stands first, then the files' rules; what is left over stands last.
function rankOf({ agents, sources }: RuleRow): number {
  const name = sources[0]?.rule ?? '';
  if (name === 'protected') return 4;
  if (name.startsWith('mode ')) return 5;
  if (name.startsWith('approval.')) return 3;
  return agents.length === 0 ? 1 : 2;
}
