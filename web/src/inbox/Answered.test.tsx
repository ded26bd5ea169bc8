import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionContext } from '../connection/context';
import { commandsOf } from '../test/card';
import { golden } from '../test/golden';
import { gateway, page, storeOf } from '../test/page';
import type { Approval, Role } from '../wire/wire';
import { Answered } from './Answered';

const request = golden('approvalRequest', 'approvalRequest').data;

beforeEach(() => history.replaceState(null, '', '/'));

async function show(over: Partial<Approval>, role: Role = 'admin') {
  const approval = {
    ...request,
    toolName: 'shell',
    args: { command: 'uname -a' },
    run: 'none',
    response: { approvalId: 'a', status: 'denied', reason: 'timeout', rev: 2, by: { via: 'system' } },
    ...over,
  } as Approval;
  gateway({ [`GET /api/approvals/${request.approvalId}`]: { body: approval } });
  const commands = commandsOf();
  page(
    storeOf([role]),
    <ConnectionContext value={commands}>
      <Answered approvalId={request.approvalId} more={false} onNext={() => undefined} />
    </ConnectionContext>,
  );
  await screen.findByRole('button', { name: 'Open session' });
  return commands;
}

const again = () => screen.queryByRole('button', { name: 'Ask the agent to try again' });

it('shows what came of an approved call once it has ended', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const asked = { response: { approvalId: 'a', status: 'approved', rev: 2 } } as Partial<Approval>;
  await show(asked);
  expect(screen.queryByText(/^Ran/)).toBeNull();
  const ran = { startedAt: request.requestedAt, finishedAt: request.requestedAt, text: 'Linux' };
  gateway({
    [`GET /api/approvals/${request.approvalId}`]: { body: { ...request, ...asked, run: 'finished', ran } },
  });
  await act(() => vi.advanceTimersByTimeAsync(500));
  expect(screen.getByText('Linux')).toBeDefined();
});

describe('a request that nobody answered', () => {
  it('can be told to its agent, which may ask again', async () => {
    const commands = await show({});
    fireEvent.click(again()!);
    expect(commands.say.mock.calls[0]?.slice(0, 2)).toEqual([
      request.sessionId,
      'Nobody answered in time, so this call did not run: shell uname -a. If you still need it, make it again.',
    ]);
    expect(location.pathname).toBe(`/sessions/${request.sessionId}`);
  });

  it.each<[string, Partial<Approval>, Role]>([
    [
      'one that a person denied',
      { response: { approvalId: 'a', status: 'denied', reason: 'user_denied', rev: 2 } },
      'admin',
    ],
    ['a program’s', { origin: { kind: 'program', client: 'deployer' } }, 'admin'],
    ['who may not talk to the agent', {}, 'viewer'],
  ])('not for %s', async (_, over, role) => {
    await show(over, role);
    expect(again()).toBeNull();
  });
});
