import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionContext } from '../connection/context';
import { StoreContext, type Store } from '../store/store';
import { commandsOf, type SpiedCommands } from '../test/card';
import { golden } from '../test/golden';
import { storeOf } from '../test/page';
import type { ApprovalRequest, ApprovalResponse, Role } from '../wire/wire';
import { armDelay } from '../answer/arming';
import { Inbox } from './Inbox';

const request = golden('approvalRequest', 'approvalRequest').data;
const asks = (id: string, over: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  ...request,
  approvalId: id,
  argsDigest: `sha256:${id}`,
  expiresAt: undefined,
  ...over,
});

let store: Store;
let commands: SpiedCommands;

beforeEach(() => {
  vi.useFakeTimers();
  commands = commandsOf();
});

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));

function send(...requests: ApprovalRequest[]) {
  act(() =>
    store.dispatch(
      ...requests.map(
        (data) => ({ type: 'frame', frame: { event: 'approvalRequest', data }, now: 0 }) as const,
      ),
    ),
  );
}

const settle = (data: ApprovalResponse) =>
  act(() => store.dispatch({ type: 'frame', frame: { event: 'approvalResponse', data }, now: 0 }));

function show(requests: ApprovalRequest[], roles: Role[] = ['admin']) {
  store = storeOf(roles);
  send(...requests);
  render(
    <MantineProvider env="test">
      <StoreContext value={store}>
        <ConnectionContext value={commands}>
          <Inbox />
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>,
  );
}

const card = (id: string) =>
  screen.getAllByTestId('card').find((c) => c.getAttribute('data-approval') === id)!;
const box = (id: string) => within(card(id)).queryByLabelText<HTMLInputElement>(/^Select$/);
const select = (...ids: string[]) => ids.forEach((id) => fireEvent.click(box(id)!));
// By their words: roles are slow to look for among so many cards.
const button = (name: string | RegExp) => screen.getByText(name).closest('button')!;
const open = (name: RegExp) => fireEvent.click(button(name));
const press = (name: string | RegExp) => {
  wait(armDelay);
  fireEvent.click(button(name));
};
const rows = () => screen.getAllByTestId('batch-row').map((r) => r.getAttribute('data-approval'));
const given = () => commands.answer.mock.calls.map(([d]) => [d.approvalId, d.status, d.argsDigest]);

describe('answering together', () => {
  it('answers each that was chosen by its own id and for its own arguments', () => {
    show([asks('a'), asks('b'), asks('c')]);
    select('a', 'c');
    open(/Approve selected/);
    press('Approve these 2');
    expect(given()).toEqual([
      ['a', 'approved', 'sha256:a'],
      ['c', 'approved', 'sha256:c'],
    ]);
  });

  it('what comes later is no part of it, not even just the same', () => {
    show([asks('a'), asks('b')]);
    select('a', 'b');
    open(/Approve selected/);
    send(asks('later'));
    expect(rows()).toEqual(['a', 'b']);
    press('Approve these 2');
    expect(given().map(([id]) => id)).toEqual(['a', 'b']);
  });

  it('what has changed since is no part of it', () => {
    show([asks('a'), asks('b')]);
    select('a', 'b');
    open(/Deny selected/);
    send(asks('b', { rev: 2, argsDigest: 'sha256:other' }));
    expect(screen.getByText(/Already answered/)).toBeDefined();
    press('Deny this one');
    expect(given()).toEqual([['a', 'denied', 'sha256:a']]);
  });

  it('what was answered meanwhile is no part of it, and a press just then is ignored', () => {
    show([asks('a'), asks('b')]);
    select('a', 'b');
    open(/Approve selected/);
    wait(armDelay);
    settle({
      approvalId: 'b',
      status: 'denied',
      reason: 'user_denied',
      rev: 2,
      by: { subject: 'bob', via: 'rest' },
    });
    fireEvent.click(button('Approve this one'));
    expect(given()).toEqual([]);
    press('Approve this one');
    expect(given().map(([id]) => id)).toEqual(['a']);
  });

  it.each(['high', 'critical', 'unheard-of'])('%s risk is not approved so, and may be denied', (level) => {
    show([asks('a'), asks('risky', { risk: { level: level as 'high' } })]);
    select('a', 'risky');
    open(/Approve selected/);
    expect(screen.getByText(/Too risky to approve with others/)).toBeDefined();
    press('Approve this one');
    expect(given().map(([id]) => id)).toEqual(['a']);
    fireEvent.click(button('Back'));
    open(/Deny selected/);
    fireEvent.change(screen.getAllByLabelText(/Reason for denying/).at(-1)!, { target: { value: ' no ' } });
    press(/^Deny th/);
    expect(commands.answer.mock.calls.at(-1)![0]).toMatchObject({
      approvalId: 'risky',
      status: 'denied',
      message: 'no',
    });
  });

  it('a card that is folded can’t be chosen until it has been opened', () => {
    const command = Array.from({ length: 200 }, (_, i) => `echo ${i}`).join('\n');
    show([asks('long', { args: { command } })]);
    expect(box('long')!.disabled).toBe(true);
    fireEvent.click(button('Show everything'));
    expect(box('long')!.disabled).toBe(false);
  });

  it('questions, and those who may only watch, have nothing to choose', () => {
    show([asks('q', { type: 'elicitation', args: undefined })]);
    expect(box('q')).toBeNull();
  });

  it('who may only watch chooses nothing and changes nothing', () => {
    show([asks('a')], ['viewer']);
    expect(box('a')).toBeNull();
    expect(screen.queryByRole('button', { name: /Change arguments/ })).toBeNull();
  });
});

describe('the list', () => {
  it('leaves a mark in the place of a card that is answered under the pointer', () => {
    show([asks('a'), asks('b')]);
    fireEvent.pointerEnter(card('a'));
    settle({
      approvalId: 'a',
      status: 'denied',
      reason: 'user_denied',
      rev: 2,
      by: { subject: 'bob', via: 'rest' },
    });
    expect(screen.getByTestId('gone').textContent).toContain('Denied by bob');
    fireEvent.click(button(/Hide .*answered/));
    expect(screen.queryByTestId('gone')).toBeNull();
    expect(screen.getAllByTestId('card')).toHaveLength(1);
  });

  it('holds a page of cards, however many wait', () => {
    show(Array.from({ length: 45 }, (_, i) => asks(`n${String(i).padStart(2, '0')}`)));
    expect(screen.getAllByTestId('card')).toHaveLength(20);
    fireEvent.click(screen.getByText('Next page'));
    expect(screen.getByTestId('page').textContent).toBe('21–40 of 45');
    expect(screen.getAllByTestId('card')[0]!.getAttribute('data-approval')).toBe('n20');
  });
});
