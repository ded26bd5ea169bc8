import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { armDelay } from '../answer/arming';
import { cardPage, commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import { gateway, page, storeOf } from '../test/page';
import type { ApprovalRequest } from '../wire/wire';
import { WhyAsked } from './WhyAsked';

const request: ApprovalRequest = {
  ...golden('approvalRequest', 'approvalRequest').data,
  workingDirectory: '/srv/x',
  expiresAt: undefined,
  scopes: ['once', 'session', 'always'],
  standingSeconds: 30 * 86_400,
};
const { approvalId, sessionId, argsDigest } = request;

let commands: SpiedCommands;
beforeEach(() => {
  vi.useFakeTimers();
  commands = commandsOf();
});

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const wait = () => act(() => vi.advanceTimersByTime(armDelay));
const summary = () => screen.getByTestId('summary').textContent;

it('an approval for every session is offered beside that in this session, and says where and for how long', () => {
  cardPage(request, commands);
  expect(button('Approve in this session…')).toBeDefined();
  fireEvent.click(button('Approve in every session…'));
  expect(screen.getByTestId('choice').textContent).toContain('in every session of demo in /srv/x');
  expect(summary()).toContain('in every session of demo in /srv/x, for 30 days.');
  wait();
  fireEvent.click(button('Approve and remember this'));
  expect(commands.answer.mock.calls).toEqual([
    [{ approvalId, sessionId, argsDigest, status: 'approved', scope: 'always', grant: { covers: 'exact' } }],
  ]);
});

it('it can be shorter, and is for no longer than the file allows', () => {
  cardPage({ ...request, standingSeconds: 86_400 }, commands);
  fireEvent.click(button('Approve in every session…'));
  fireEvent.click(button('Limit time or calls'));
  const field = screen.getByLabelText<HTMLSelectElement>('Time limit');
  expect([...field.options].map((o) => o.text)).toEqual(['24 hours', '15 minutes', '1 hour', '8 hours']);
  fireEvent.change(field, { target: { value: '3600' } });
  expect(summary()).toContain('for 1 hour.');
  wait();
  fireEvent.click(button('Approve and remember this'));
  expect(commands.answer.mock.calls[0]![0].grant).toEqual({ covers: 'exact', seconds: 3600 });
});

it('changing from one to the other starts again, and a press at once is ignored', () => {
  cardPage(request, commands);
  fireEvent.click(button('Approve in this session…'));
  fireEvent.click(screen.getByRole('radio', { name: 'every call of shell' }));
  wait();
  fireEvent.click(button('Approve in every session…'));
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'every call of shell' }).checked).toBe(false);
  fireEvent.click(button('Approve and remember this'));
  expect(commands.answer).not.toHaveBeenCalled();
});

it('one that is chosen among suggested rules is chosen on the card, and approved there', async () => {
  vi.useRealTimers();
  const covers = [
    { kind: 'exact' as const, text: 'exactly this call' },
    { kind: 'command' as const, text: 'commands of the form uname *' },
  ];
  const rule = { covers: covers[1]!, rule: '- tool: shell', past: 1, matched: 1, denied: 0 };
  gateway({ [`GET /api/approvals/${approvalId}/suggestions`]: { body: { suggestions: [rule] } } });
  cardPage({ ...request, covers }, commands);
  fireEvent.click(button('Suggest a rule…'));
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.click(await dialog.findByRole('button', { name: 'Always allow this…' }));
  expect(summary()).toContain('commands of the form uname *, in every session of demo');
});

it('it is not offered where the request does not', () => {
  cardPage({ ...request, scopes: ['once', 'session'] }, commands);
  expect(screen.queryByRole('button', { name: /every session/ })).toBeNull();
});

it.each([
  [1, 'This same call timed out once before.'],
  [3, 'This same call timed out 3 times before.'],
])('a call that nobody answered %i times says so', (unanswered, words) => {
  page(storeOf(), <WhyAsked request={{ ...request, unanswered }} />);
  expect(screen.getByText(words)).toBeDefined();
});
