import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Store } from '../store/store';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';
import { Inbox } from './Inbox';

const request = golden('approvalRequest', 'approvalRequest').data;

function asks(id: string, level: RiskLevel | undefined, second = 0): ApprovalRequest {
  const requestedAt = new Date(Date.parse(request.requestedAt) + second * 1000).toISOString();
  return { ...request, approvalId: id, requestedAt, expiresAt: undefined, risk: level && { level } };
}

const send = (store: Store, ...requests: ApprovalRequest[]) =>
  act(() =>
    store.dispatch(
      ...requests.map(
        (data) => ({ type: 'frame', frame: { event: 'approvalRequest', data }, now: 0 }) as const,
      ),
    ),
  );

function show(...requests: ApprovalRequest[]): Store {
  const store = storeOf();
  send(store, ...requests);
  page(store, <Inbox />);
  return store;
}

const order = () => screen.getAllByTestId('card').map((c) => c.getAttribute('data-approval'));
const card = (n: number) => screen.getAllByTestId('card')[n]!;
const again = () => screen.queryByRole('button', { name: /arrived below/ });

describe('what waits', () => {
  it('stands with the highest risk first, then the oldest', () => {
    show(
      asks('low', 'low', 0),
      asks('new-high', 'high', 3),
      { ...asks('question', undefined, 0), type: 'elicitation' },
      asks('unknown', undefined, 4),
      asks('high', 'high', 2),
      asks('critical', 'critical', 9),
      asks('medium', 'medium', 5),
    );
    expect(order()).toEqual(['critical', 'high', 'new-high', 'unknown', 'medium', 'low', 'question']);
  });

  it('a word that this page does not know is taken for the worst', () => {
    show(asks('critical', 'critical'), asks('odd', 'catastrophic' as RiskLevel, 1));
    expect(order()).toEqual(['odd', 'critical']);
  });

  it('a riskier one goes above while nobody points at the list', () => {
    const store = show(asks('low', 'low'));
    send(store, asks('high', 'high', 1));
    expect(order()).toEqual(['high', 'low']);
    expect(again()).toBeNull();
  });

  it('a card never moves under the pointer: new ones come in below, until it leaves', () => {
    const store = show(asks('low', 'low'));
    fireEvent.pointerEnter(card(0));
    send(store, asks('high', 'high', 1));
    expect(order()).toEqual(['low', 'high']);
    expect(again()).not.toBeNull();
    fireEvent.pointerLeave(card(0));
    expect(order()).toEqual(['high', 'low']);
    expect(again()).toBeNull();
  });

  it('nor while something in a card has the focus', () => {
    const store = show(asks('low', 'low'));
    const field = screen.getByRole('button', { name: 'Add reason…' });
    act(() => field.focus());
    send(store, asks('high', 'high', 1));
    expect(order()).toEqual(['low', 'high']);
    act(() => field.blur());
    expect(order()).toEqual(['high', 'low']);
  });

  it('is sorted again when the person says so', () => {
    const store = show(asks('low', 'low'));
    fireEvent.pointerEnter(card(0));
    send(store, asks('high', 'high', 1), asks('medium', 'medium', 2));
    fireEvent.click(again()!);
    expect(order()).toEqual(['high', 'medium', 'low']);
  });

  it('is not held by the focus of a card that has gone', () => {
    const store = show(asks('low', 'low'), asks('gone', 'low', 1));
    act(() => screen.getAllByRole('button', { name: 'Add reason…' })[1]!.focus());
    const response = { approvalId: 'gone', status: 'denied', rev: 2 } as const;
    act(() =>
      store.dispatch({ type: 'frame', frame: { event: 'approvalResponse', data: response }, now: 0 }),
    );
    send(store, asks('high', 'high', 2));
    expect(order()).toEqual(['high', 'low']);
  });
});
