import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { gateway, page, storeOf } from '../test/page';
import type { Agent, AgentPolicy } from '../wire/wire';
import Rules from './Rules';

const policies: AgentPolicy[] = [
  {
    agentId: 'a',
    mode: 'manual',
    rules: [
      {
        rule: 'agents.a.toolConfirmation.rules[0]',
        effect: 'deny',
        scope: 'agent',
        reason: 'never',
        place: 'agents.yaml, line 7',
        sentence: [
          { text: 'a', kind: 'agent' },
          { text: ' may never run ' },
          { text: 'rm …', kind: 'code' },
          { text: '.' },
        ],
        text: 'command: ["rm *"]',
      },
      { rule: 'new', effect: 'allow', scope: 'agent', text: 'unheardOf: true' },
    ],
  },
  { agentId: 'b', mode: 'manual', rules: [] },
];

const tool = (kind: 'none' | 'bubblewrap', network = false) => ({
  name: 'shell',
  location: 'server' as const,
  sandbox: { kind, network },
});

const agents = [
  { agentId: 'a', tools: [tool('none')], observedUntil: '2099-01-01T00:00:00Z' },
  { agentId: 'b', tools: [tool('bubblewrap', true)] },
  { agentId: 'c', tools: [tool('bubblewrap', true)] },
].map((a) => ({ kind: 'agent', mode: 'manual', modeVersion: 0, ...a })) as Agent[];

function show() {
  gateway({ 'GET /api/policy': { body: { agents: policies } }, 'GET /api/grants': { body: { grants: [] } } });
  const store = storeOf();
  store.dispatch({ type: 'agents', agents });
  page(store, <Rules />);
  return store;
}

it('rules stand in groups by what they do, with YAML and place behind a press; without words the YAML stands there', async () => {
  show();
  const deny = within(await screen.findByTestId('rules-deny'));
  const rule = deny.getByTestId('rule');
  expect(rule.textContent).toContain('a may never run rm ….');
  expect(rule.textContent).toContain('Reason: never');
  expect(rule.textContent).not.toMatch(/rules\[0\]|command:/);
  fireEvent.click(deny.getByRole('button', { name: 'Show as YAML' }));
  expect(rule.textContent).toContain('agents.yaml, line 7 · agents.a.toolConfirmation.rules[0]');
  expect(rule.querySelector('pre')?.textContent).toBe('command: ["rm *"]');
  const allow = within(screen.getByTestId('rules-allow')).getByTestId('rule');
  expect(allow.querySelector('pre')?.textContent).toBe('unheardOf: true');
  expect(within(screen.getByTestId('rules-ask')).getByText('No rule asks.')).toBeDefined();
});

it('what holds right now stands above them: halts, observing and sandboxes, of the agent that is chosen', async () => {
  const store = show();
  const now = await screen.findByRole('list', { name: 'What holds right now' });
  const halt = (agentId?: string) =>
    act(() =>
      store.dispatch({
        type: 'frame',
        now: 0,
        frame: {
          event: 'halt',
          data: {
            ...(agentId && { agentId }),
            on: true,
            by: { subject: 'ana', via: 'rest' },
            at: '2026-11-30T00:00:00Z',
          },
        },
      }),
    );
  expect(now.textContent).toContain('a is only observed until');
  expect(now.textContent).toContain('shell of a runs without a sandbox');
  expect(now.textContent).toContain('shell of b and c runs in a sandbox, with the network.');
  halt('b');
  expect(now.textContent).toContain('b is halted by ana');
  fireEvent.change(screen.getAllByRole('combobox', { name: 'Agent' })[0]!, { target: { value: 'a' } });
  expect(now.textContent).not.toMatch(/halted|in a sandbox,/);
  halt();
  expect(now.textContent).toContain('Every agent is halted by ana');
});
