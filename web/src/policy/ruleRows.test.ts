import { expect, it } from 'vitest';
import type { AgentPolicy, Listed, Sentence } from '../wire/wire';
import { ruleRows } from './ruleRows';

const about = (agent: string, words: string): Sentence => [
  { text: agent, kind: 'agent' },
  { text: ` may ${words}.` },
];

const listed = (rule: string, over: Partial<Listed> = {}): Listed => ({
  rule,
  effect: 'allow',
  scope: 'agent',
  text: `text of ${rule}`,
  ...over,
});

function policyOf(agentId: string, ...rules: Listed[]): AgentPolicy {
  return { agentId, mode: 'manual', rules };
}

const shared = listed('toolConfirmation.rules[0]', {
  scope: 'gateway',
  effect: 'deny',
  sentence: [{ text: 'No agent', kind: 'name' }, { text: ' may delete.' }],
});
const of = (agent: string, n: number, words: string) =>
  listed(`agents.${agent}.toolConfirmation.rules[${n}]`, {
    sentence: about(agent, words) as Listed['sentence'] & {},
  });

it('a rule for all is said once, and what holds alike for several agents too', () => {
  const rows = ruleRows([
    policyOf('a', shared, of('a', 0, 'read'), of('a', 1, 'write')),
    policyOf('b', shared, of('b', 0, 'read')),
    policyOf(
      'c',
      shared,
      listed('agents.c.toolConfirmation.rules[0]', { ...of('c', 0, 'read'), reason: 'why' }),
    ),
  ]);
  expect(rows.deny).toHaveLength(1);
  expect(rows.deny[0]).toMatchObject({ agents: [], sources: [shared] });
  expect(rows.allow.map((row) => [row.agents.join(), row.reason])).toEqual([
    ['a,b', undefined],
    ['a', undefined],
    ['c', 'why'], // for another reason it is another rule
  ]);
  expect(rows.allow[0]!.sources.map((s) => s.rule)).toEqual([
    'agents.a.toolConfirmation.rules[0]',
    'agents.b.toolConfirmation.rules[0]',
  ]);
  expect(rows.allow[0]!.sentence).toEqual([{ text: ' may read.' }]);
});

it('of one agent only what holds for it is shown', () => {
  const rows = ruleRows(
    [policyOf('a', shared, of('a', 0, 'read')), policyOf('b', shared, of('b', 0, 'write'))],
    'b',
  );
  expect(rows.deny).toHaveLength(1);
  expect(rows.allow.map((row) => row.agents)).toEqual([['b']]);
});

it('a rule without words is told apart by its YAML', () => {
  const rows = ruleRows([policyOf('a', listed('x', { text: 'new: 1' }), listed('y', { text: 'new: 2' }))]);
  expect(rows.allow.map((row) => [row.sentence, row.sources[0]?.text])).toEqual([
    [undefined, 'new: 1'],
    [undefined, 'new: 2'],
  ]);
});

it('the files’ rules stand before a tool’s own word, and the mode last', () => {
  const rows = ruleRows([
    policyOf(
      'a',
      listed('mode auto-approve', { sentence: about('a', 'do the rest') as Listed['sentence'] & {} }),
      listed('approval.required: false', { sentence: about('a', 'list') as Listed['sentence'] & {} }),
      of('a', 0, 'read'),
      { ...shared, effect: 'allow' },
    ),
  ]);
  expect(rows.allow.map((row) => row.sources[0]?.rule)).toEqual([
    'toolConfirmation.rules[0]',
    'agents.a.toolConfirmation.rules[0]',
    'approval.required: false',
    'mode auto-approve',
  ]);
});
