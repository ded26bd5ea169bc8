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
  history.replaceState(null, '', '/');
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

const row = (id: string) => screen.getAllByTestId('row').find((r) => r.getAttribute('data-approval') === id)!;
const box = (id: string) => within(row(id)).queryByLabelText<HTMLInputElement>(/^Select$/);
const select = (...ids: string[]) => ids.forEach((id) => fireEvent.click(box(id)!));
/** Shows each until it counts as reviewed. */
const review = (...ids: string[]) =>
  ids.forEach((id) => {
    fireEvent.click(within(row(id)).getByRole('link'));
    wait(armDelay);
  });
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
    review('a', 'c');
    open(/^Approve \d+ reviewed/);
    press('Approve these 2');
    expect(given()).toEqual([
      ['a', 'approved', 'sha256:a'],
      ['c', 'approved', 'sha256:c'],
    ]);
  });

  it('what comes later is no part of it, not even just the same', () => {
    show([asks('a'), asks('b')]);
    select('a', 'b');
    review('a', 'b');
    open(/^Approve \d+ reviewed/);
    send(asks('later'));
    expect(rows()).toEqual(['a', 'b']);
    press('Approve these 2');
    expect(given().map(([id]) => id)).toEqual(['a', 'b']);
  });

  it('what has changed since is no part of it', () => {
    show([asks('a'), asks('b')]);
    select('a', 'b');
    open(/^Deny \d+…/);
    send(asks('b', { rev: 2, argsDigest: 'sha256:other' }));
    expect(screen.getByText(/Already answered/)).toBeDefined();
    press('Deny this one');
    expect(given()).toEqual([['a', 'denied', 'sha256:a']]);
  });

  it('what was answered meanwhile is no part of it, and a press just then is ignored', () => {
    show([asks('a'), asks('b')]);
    select('a', 'b');
    review('a', 'b');
    open(/^Approve \d+ reviewed/);
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

  it('what is risky or not reviewed can be denied together, but not approved', () => {
    show([asks('a'), asks('unread'), asks('risky', { risk: { level: 'high' } })]);
    select('a', 'unread', 'risky');
    review('a', 'risky');
    open(/^Approve 1 reviewed/);
    expect(rows()).toEqual(['a']);
    press('Approve this one');
    expect(given().map(([id]) => id)).toEqual(['a']);
    fireEvent.click(button('Back'));
    open(/^Deny 3…/);
    fireEvent.change(screen.getAllByLabelText(/Reason for denying/).at(-1)!, { target: { value: ' no ' } });
    press(/^Deny these 3/);
    expect(commands.answer.mock.calls.slice(1).map(([d]) => [d.approvalId, d.status, d.message])).toEqual([
      ['a', 'denied', 'no'], // its first answer is not confirmed yet
      ['unread', 'denied', 'no'],
      ['risky', 'denied', 'no'],
    ]);
  });

  it('a request that changed after its review must be reviewed again', () => {
    show([asks('a'), asks('b')]);
    review('a');
    send(asks('a', { rev: 2, argsDigest: 'sha256:other' }));
    review('b');
    select('a', 'b');
    open(/^Approve 1 reviewed/);
    expect(rows()).toEqual(['b']);
  });

  it('a folded card counts as reviewed only once it is expanded', () => {
    const command = Array.from({ length: 200 }, (_, i) => `echo ${i}`).join('\n');
    show([asks('long', { args: { command } })]);
    select('long');
    review('long');
    expect(screen.queryByText(/^Approve \d+ reviewed/)).toBeNull();
    fireEvent.click(button('Show everything'));
    wait(armDelay);
    expect(screen.getByText(/^Approve 1 reviewed/)).toBeDefined();
  });

  it.each(['critical', 'unheard-of'])('a request of %s risk can’t be selected', (level) => {
    show([asks('a', { risk: { level: level as 'high' } })]);
    expect(box('a')).toBeNull();
  });

  it('questions can’t be selected', () => {
    show([asks('q', { type: 'elicitation', args: undefined })]);
    expect(box('q')).toBeNull();
  });

  it('a viewer can neither answer nor change arguments', () => {
    show([asks('a')], ['viewer']);
    select('a');
    expect(screen.queryByTestId('batch')).toBeNull();
    expect(screen.queryByRole('button', { name: /Change arguments/ })).toBeNull();
  });
});

describe('the list', () => {
  it('draws only rows near the screen, however many wait', () => {
    show(Array.from({ length: 500 }, (_, i) => asks(`n${String(i).padStart(3, '0')}`)));
    expect(screen.getAllByTestId('row').length).toBeLessThan(60);
    expect(screen.getByText('500 requests waiting')).toBeDefined();
  });
});
