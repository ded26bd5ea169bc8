import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gateway, page, storeOf } from '../test/page';
import { golden } from '../test/golden';
import type { Agent, AgentPolicy, Explained, Grant, Role, Suggestion } from '../wire/wire';
import { TryCall } from './TryCall';

const agents: Agent[] = [
  {
    agentId: 'demo',
    kind: 'agent',
    mode: 'manual',
    modeVersion: 0,
    tools: [
      { name: 'shell', location: 'server', command: { line: 'command' } },
      {
        name: 'deploy',
        location: 'server',
        schema: {
          type: 'object',
          properties: { to: { type: 'string', maxLength: 40 }, fast: { type: 'boolean' } },
          required: ['to'],
        },
      },
      { name: 'transfer', location: 'server' },
    ],
  },
];

const rule = 'agents.demo.toolConfirmation.rules[0]';
const policies: AgentPolicy[] = [
  {
    agentId: 'demo',
    mode: 'manual',
    rules: [
      {
        rule,
        effect: 'deny',
        scope: 'agent',
        reason: 'nothing is deleted',
        sentence: [
          { text: 'demo', kind: 'agent' },
          { text: ' may never run ' },
          { text: 'rm …', kind: 'code' },
          { text: '.' },
        ],
      },
    ],
  },
];

const asks: Explained = {
  effect: 'ask',
  policy: { rule: 'mode manual' },
  covers: [
    { kind: 'exact', text: 'exactly this call' },
    { kind: 'command', text: 'commands of the form git push *', command: ['git push *'] },
  ],
  workingDirectory: '/srv/demo',
  standingSeconds: 2_592_000,
  offer: 'sha256:0f',
  nearest: {
    rule: {
      rule: `${rule}9`,
      effect: 'allow',
      scope: 'agent',
      sentence: [{ text: 'demo may push to main.' }],
    },
    words: ['git', 'push', 'origin', '--force'],
    at: 3,
    why: 'the rule ends before "--force"',
  },
};

const suggestion: Suggestion = {
  covers: { kind: 'command', text: 'commands of the form git push *' },
  sentence: [{ text: 'demo', kind: 'agent' }, { text: ' may push.' }],
  rule: '- tool: shell\n',
  past: 1000,
  matched: 9,
  denied: 3,
  waiting: 1,
};

const grant: Grant = {
  ...(golden('sessionEvent-grant-given', 'sessionEvent').data.data as Grant),
  grantId: 'g1',
  standing: true,
  workingDirectory: '/srv/demo',
};

const explain = 'POST /api/policy/explain';
const suggest = 'POST /api/policy/suggestions';

function show(roles?: Role[]) {
  const store = storeOf(roles);
  store.dispatch({ type: 'agents', agents });
  page(store, <TryCall policies={policies} agentId="demo" />);
  return store;
}

const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getAllByLabelText(label)[0]!, { target: { value } });
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const told = () => screen.getByTestId('explained').textContent;

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

describe('a call that is tried', () => {
  it('is asked about once the typing pauses, and at once on Enter', async () => {
    const asked = gateway({ [explain]: { body: { effect: 'allow', policy: { rule: 'approval.pattern' } } } });
    show();
    expect(told()).toContain('Type a command');
    type('Command', 'git st');
    await pass(200);
    type('Command', 'git status');
    await pass(200);
    expect(asked).toEqual([]);
    await pass(300);
    expect(asked).toEqual([
      { what: explain, body: { agentId: 'demo', toolName: 'shell', args: { command: 'git status' } } },
    ]);
    expect(told()).toContain('Runs without asking');
    type('Command', 'git status -s');
    expect(told()).not.toContain('Runs'); // it was about another call
    fireEvent.keyDown(screen.getByLabelText('Command'), { key: 'Enter' });
    await pass(1);
    expect(asked).toHaveLength(2);
  });

  it('that a rule denies shows what the rule says', async () => {
    gateway({ [explain]: { body: { effect: 'deny', policy: { rule: `${rule}: nothing is deleted` } } } });
    show();
    type('Command', 'rm x');
    await pass(500);
    expect(told()).toContain('Never runs');
    expect(told()).toContain('demo may never run rm …. Reason: nothing is deleted.');
    expect(told()).not.toContain('rules[0]');
  });

  it('that a person would be asked about shows the nearest rule, the word at which it fails, and what would let it run', async () => {
    const asked = gateway({ [explain]: { body: asks }, [suggest]: { body: { suggestions: [suggestion] } } });
    show();
    type('Command', 'git push origin --force');
    await pass(500);
    await screen.findByTestId('suggestion');
    expect(told()).toContain('Asks a person');
    expect(told()).toContain('No rule allows this call, and calls without a rule ask.');
    const nearest = screen.getByTestId('nearest');
    expect([...nearest.querySelectorAll('li')].map((li) => [li.textContent, li.dataset['fits']])).toEqual([
      ['git', 'true'],
      ['push', 'true'],
      ['origin', 'true'],
      ['--force', 'false'],
    ]);
    expect(nearest.textContent).toContain('Fails at --force. The rule ends before "--force".');
    expect(screen.getByTestId('suggestion').textContent).toContain(
      '9 of the last 1,000 calls would have run without asking; 3 of those were denied by a person. 1 of them waits for an answer now.',
    );
    expect(asked.map((a) => a.what)).toEqual([explain, suggest]);
  });

  it('is allowed in every session after a look at what that means, and that is undone', async () => {
    const asked = gateway({
      [explain]: { body: asks },
      [suggest]: { body: { suggestions: [suggestion] } },
      'POST /api/grants': { status: 201, body: grant },
      'DELETE /api/grants/g1': {
        body: {
          ...grant,
          ended: { reason: 'revoked', by: { subject: 'ada', via: 'rest' }, at: grant.givenAt },
        },
      },
    });
    show();
    type('Command', 'git push');
    await pass(500);
    fireEvent.click(await screen.findByRole('button', { name: 'Always allow this…' }));
    expect((await screen.findByTestId('summary')).textContent).toContain(
      'Waiting requests that this covers run at once.',
    );
    await pass(500); // until the button is armed
    const allow = screen.getByRole('button', { name: 'Allow' });
    fireEvent.pointerDown(allow);
    fireEvent.click(allow);
    await waitFor(() =>
      expect(screen.getByTestId('given').textContent).toContain('From now on this runs without asking'),
    );
    expect(asked.filter((a) => a.what === 'POST /api/grants')).toEqual([
      {
        what: 'POST /api/grants',
        body: {
          covers: 'command',
          offer: 'sha256:0f',
          agentId: 'demo',
          toolName: 'shell',
          args: { command: 'git push' },
        },
      },
    ]);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() =>
      expect(screen.getByTestId('revoked').textContent).toContain('a person is asked again'),
    );
    expect(asked.some((a) => a.what === 'DELETE /api/grants/g1')).toBe(true);
  });

  it.each<[string, Role[], Partial<Explained>]>([
    ['by who may only look', ['viewer'], {}],
    ['where the file does not allow it', ['admin'], { standingSeconds: undefined }],
    ['where others have to approve it', ['admin'], { approvers: [{ subjects: ['ben'] }] }],
    ['in a way that is not offered', ['admin'], { covers: [{ kind: 'exact', text: 'exactly this call' }] }],
  ])('is not offered to be allowed %s; the YAML is', async (_, roles, over) => {
    gateway({
      [explain]: { body: { ...asks, ...over } },
      [suggest]: { body: { suggestions: [suggestion] } },
    });
    show(roles);
    type('Command', 'git push');
    await pass(500);
    expect(await screen.findByRole('button', { name: 'Copy as YAML' })).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Always allow this…' })).toBeNull();
  });

  it('of another tool has the fields of its schema, or JSON', async () => {
    const asked = gateway({ [explain]: { body: { effect: 'allow', policy: {} } } });
    show();
    type('Tool', 'deploy');
    expect(told()).toContain('Fill in the required fields');
    type(/^to\b/, 'staging');
    await pass(500);
    expect(asked.at(-1)?.body).toEqual({ agentId: 'demo', toolName: 'deploy', args: { to: 'staging' } });
    fireEvent.click(screen.getByRole('button', { name: 'Write the arguments as JSON' }));
    expect((screen.getByLabelText('Arguments (JSON)') as HTMLTextAreaElement).value).toContain(
      '"to": "staging"',
    );
    type('Arguments (JSON)', '{ "to": ');
    expect(screen.getByText(/This is not JSON/)).toBeDefined();
  });

  it('is asked about as its JSON is written, to the last digit', async () => {
    const bodies: string[] = [];
    vi.stubGlobal('fetch', (_: string, init: { body: string }) => {
      bodies.push(init.body);
      return Promise.resolve(new Response(JSON.stringify({ effect: 'deny', policy: {} }), { status: 200 }));
    });
    show();
    type('Tool', 'transfer');
    const args = '{ "account": 12345678901234567890, "amount": 1.50 }';
    type('Arguments (JSON)', args);
    await pass(500);
    expect(bodies[0]).toContain(args);
  });

  it('that could not be checked says so', async () => {
    gateway({ [explain]: { status: 503, body: { detail: 'try again' } } });
    show();
    type('Command', 'ls');
    await pass(500);
    await waitFor(() => expect(told()).toContain('Couldn’t check: try again'));
  });

  it('of an agent that is halted, or only observed, says that too', async () => {
    gateway({ [explain]: { body: { ...asks, observed: true } }, [suggest]: { body: { suggestions: [] } } });
    const store = show();
    act(() =>
      store.dispatch({
        type: 'frame',
        now: 0,
        frame: {
          event: 'halt',
          data: { agentId: 'demo', on: true, by: { subject: 'ana', via: 'rest' }, at: grant.givenAt },
        },
      }),
    );
    type('Command', 'ls');
    await pass(500);
    await waitFor(() => expect(told()).toContain('Runs without asking'));
    expect(told()).toContain('A person would be asked, but demo is only observed.');
    expect(told()).toContain('The agent is halted');
  });
});
