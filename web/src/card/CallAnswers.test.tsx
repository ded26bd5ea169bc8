import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { armDelay } from '../answer/arming';
import { cardPage, commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import type { Option } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;
const cancel: Option = { word: 'Cancel', status: 'cancelled' };
const once: Option = { word: 'Once', status: 'approved', scope: 'once' };
const always: Option = { word: 'Always', status: 'approved', scope: 'session' };

let commands: SpiedCommands;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(request.requestedAt) });
  commands = commandsOf();
});

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const wait = () => act(() => vi.advanceTimersByTime(armDelay));

describe('the words on the buttons', () => {
  it('are the tool’s own, where it has some', () => {
    cardPage({ ...request, options: [cancel, once, always] }, commands);
    expect(screen.queryByRole('button', { name: /Approve|Deny/ })).toBeNull();
    expect(screen.queryByLabelText(/Reason for denying/)).toBeNull();
    wait();
    fireEvent.click(button('Always…'));
    expect(screen.getByTestId('choice')).toBeDefined();
    fireEvent.click(button('Always…'));
    wait();
    fireEvent.click(button('Cancel'));
    const { approvalId, sessionId, argsDigest } = request;
    expect(commands.answer).toHaveBeenCalledExactlyOnceWith({
      approvalId,
      sessionId,
      argsDigest,
      status: 'cancelled',
    });
  });

  it('are no more than the request offers', () => {
    cardPage({ ...request, options: [once, { word: 'No', status: 'denied' }] }, commands);
    wait();
    for (const name of ['Once', 'No']) expect(button(name).disabled).toBe(false);
    expect(screen.queryByRole('button', { name: /session|Always|Cancel/ })).toBeNull();
  });
});
