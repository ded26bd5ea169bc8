import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { armDelay } from '../answer/arming';
import { golden } from '../test/golden';
import { gateway, page, storeOf } from '../test/page';
import type { Halt, Role } from '../wire/wire';
import { HaltBanner } from './HaltBanner';
import { HaltButton } from './HaltButton';
import { WithdrawButton } from './Withdraw';

const demo = golden('halt', 'halt').data;
const { agentId: _demo, ...all } = demo;
const lifted = golden('halt-lifted', 'halt').data;
const comes = (data: Halt) => ({ type: 'frame', frame: { event: 'halt', data }, now: 0 }) as const;

const button = (name: string) => screen.queryByRole<HTMLButtonElement>('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
async function confirm(name: string) {
  await act(() => vi.advanceTimersByTimeAsync(armDelay));
  fireEvent.click(dialog().getByRole('button', { name }));
  await act(() => vi.advanceTimersByTimeAsync(0));
}

beforeEach(() => void vi.useFakeTimers({ now: Date.parse(demo.at) }));

describe('halting', () => {
  it('everything is asked about once, says what it means, and tells the gateway', async () => {
    const asked = gateway({ 'POST /api/halts': { body: all } });
    page(storeOf(['operator']), <HaltButton />);
    fireEvent.click(button('Halt all')!);
    expect(asked).toEqual([]);
    expect(dialog().getByText(/until an admin lifts the halt/)).toBeDefined();
    await confirm('Halt everything');
    expect(asked).toEqual([{ what: 'POST /api/halts', body: { all: true } }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('one agent names it', async () => {
    const asked = gateway({ 'POST /api/halts': { body: demo } });
    page(storeOf(), <HaltButton agentId="demo" />);
    fireEvent.click(button('Halt demo')!);
    await confirm('Halt demo');
    expect(asked).toEqual([{ what: 'POST /api/halts', body: { agentId: 'demo' } }]);
  });

  it('that does not work is told where it was asked for', async () => {
    gateway({ 'POST /api/halts': { status: 503, body: { detail: 'the disk is full' } } });
    page(storeOf(), <HaltButton />);
    fireEvent.click(button('Halt all')!);
    await confirm('Halt everything');
    expect(dialog().getByRole('alert').textContent).toContain('the disk is full');
  });

  it.each<[string, Role[], string[], Halt[]]>([
    ['who may only watch', ['viewer'], [], []],
    ['who is for some agents: they halt these', ['admin'], ['demo'], []],
    ['anybody where everything is halted', ['admin'], [], [all]],
  ])('is not offered to %s', (_, roles, agents, halts) => {
    const store = storeOf(roles);
    store.dispatch({ type: 'loggedIn', identity: { subject: 'ada', roles, agents } }, ...halts.map(comes));
    page(store, <HaltButton />);
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('while something is halted', () => {
  it('every page says what, who pressed and what it means; an admin lifts it', async () => {
    const asked = gateway({ 'POST /api/halts/lift': { body: lifted } });
    const store = storeOf();
    page(store, <HaltBanner />);
    expect(screen.queryByTestId('halt')).toBeNull();
    act(() => store.dispatch(comes(all)));
    const words = screen.getByTestId('halt').textContent;
    for (const part of ['Everything is halted', 'by ada', 'Nothing is approved or run'])
      expect(words).toContain(part);
    fireEvent.click(button('Lift')!);
    await confirm('Lift the halt');
    expect(asked).toEqual([{ what: 'POST /api/halts/lift', body: { all: true } }]);
    act(() => store.dispatch(comes(lifted)));
    expect(screen.queryByTestId('halt')).toBeNull();
  });

  it('others are told who can lift it', () => {
    const store = storeOf(['operator']);
    store.dispatch(comes(demo));
    page(store, <HaltBanner />);
    expect(screen.getByTestId('halt').textContent).toContain('demo is halted');
    expect(screen.getByTestId('halt').textContent).toContain('An admin can lift it');
    expect(button('Lift')).toBeNull();
  });

  it('a tab that comes later knows it from its snapshot, and one that was away that it is over', () => {
    const store = storeOf();
    const snapshot = (halts?: Halt[]) => ({
      type: 'frame' as const,
      frame: {
        event: 'snapshot' as const,
        data: { pending: [], sessions: [], more: false, ...(halts && { halts }) },
      },
      now: 0,
    });
    store.dispatch(snapshot([demo]));
    expect(Object.keys(store.get().halts)).toEqual(['demo']);
    store.dispatch(snapshot());
    expect(store.get().halts).toEqual({});
  });
});

describe('withdrawing all that waits', () => {
  it('says how many, and that turns go on, before it does', async () => {
    const asked = gateway({ 'POST /api/approvals/cancel': { body: { withdrawn: [{}, {}] } } });
    const store = storeOf();
    page(store, <WithdrawButton which={{ sessionId: 's' }} count={2} />);
    fireEvent.click(button('Withdraw all')!);
    expect(dialog().getByText('Withdraw 2 requests?')).toBeDefined();
    expect(dialog().getByText(/The agents continue/)).toBeDefined();
    expect(asked).toEqual([]);
    await confirm('Withdraw 2 requests');
    expect(asked).toEqual([{ what: 'POST /api/approvals/cancel', body: { sessionId: 's' } }]);
    await act(() => vi.advanceTimersByTimeAsync(10));
    expect(store.get().notices).toMatchObject([{ text: '2 requests withdrawn' }]);
  });

  it('is not offered where nothing waits, or to who may not answer', () => {
    page(storeOf(), <WithdrawButton which={{ all: true }} count={0} />);
    page(storeOf(['operator']), <WithdrawButton which={{ all: true }} count={3} />);
    expect(screen.queryByRole('button')).toBeNull();
  });
});
