import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
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

beforeEach(() => {
  history.replaceState(null, '', '/');
  sessionStorage.clear();
});

it('leaves the URL alone once another page is shown', () => {
  history.replaceState(null, '', '/history');
  show(asks('a', 'low'));
  expect(location.pathname).toBe('/history');
});

const order = () => screen.getAllByTestId('row').map((row) => row.getAttribute('data-approval'));
const link = (n: number) => within(screen.getAllByTestId('row')[n]!).getByRole('link');
const list = () => screen.getByRole('region', { name: 'Waiting requests' });
const again = () => screen.queryByRole('button', { name: /arrived. Re-sort/ });
const shown = () => screen.getByTestId('card').getAttribute('data-approval');
const answer = (store: Store, approvalId: string) =>
  act(() =>
    store.dispatch({
      type: 'frame',
      frame: {
        event: 'approvalResponse',
        data: {
          approvalId,
          status: 'denied',
          reason: 'user_denied',
          rev: 2,
          by: { subject: 'bob', via: 'rest' },
        },
      },
      now: 0,
    }),
  );

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

  it('no row moves under the pointer: until it leaves, new ones are added below', () => {
    const store = show(asks('low', 'low'));
    fireEvent.pointerEnter(list());
    send(store, asks('high', 'high', 1));
    expect(order()).toEqual(['low', 'high']);
    expect(again()).not.toBeNull();
    fireEvent.pointerLeave(list());
    expect(order()).toEqual(['high', 'low']);
    expect(again()).toBeNull();
  });

  it('no row moves while something in the list has the focus', () => {
    const store = show(asks('low', 'low'));
    act(() => link(0).focus());
    send(store, asks('high', 'high', 1));
    expect(order()).toEqual(['low', 'high']);
    act(() => link(0).blur());
    expect(order()).toEqual(['high', 'low']);
  });

  it('is sorted again when the person says so', () => {
    const store = show(asks('low', 'low'));
    fireEvent.pointerEnter(list());
    send(store, asks('high', 'high', 1), asks('medium', 'medium', 2));
    fireEvent.click(again()!);
    expect(order()).toEqual(['high', 'medium', 'low']);
  });

  it('a request answered under the pointer keeps its row, which says what became of it', () => {
    const store = show(asks('a', 'low'), asks('b', 'low', 1));
    fireEvent.pointerEnter(list());
    answer(store, 'b');
    expect(order()).toEqual(['a', 'b']);
    expect(screen.getByTestId('gone').textContent).toBe('Denied by bob');
    fireEvent.click(screen.getByRole('button', { name: /Hide .*closed/ }));
    expect(order()).toEqual(['a']);
  });

  it('is sorted as the URL says', () => {
    history.replaceState(null, '', '/approvals?sort=newest');
    show(asks('old', 'high'), asks('new', 'low', 5));
    expect(order()).toEqual(['new', 'old']);
    fireEvent.change(screen.getByLabelText('Order'), { target: { value: 'risk' } });
    expect(order()).toEqual(['old', 'new']);
    expect(location.search).toBe('');
  });

  it('is filtered as the URL says, and filters are kept there', () => {
    history.replaceState(null, '', '/approvals?risk=high');
    show(asks('high', 'high'), asks('low', 'low'));
    expect(order()).toEqual(['high']);
    fireEvent.change(screen.getByLabelText('Risk'), { target: { value: 'low' } });
    expect(order()).toEqual(['low']);
    expect(location.search).toBe('?risk=low');
  });
});

describe('the request beside the list', () => {
  it('is the first, at its own URL, and stays when another is added above it', () => {
    const store = show(asks('low', 'low'));
    expect(shown()).toBe('low');
    expect(location.pathname).toBe('/requests/low');
    send(store, asks('high', 'high', 1));
    expect(shown()).toBe('low');
  });

  it('is chosen in the list or by j and k, and the query stays in the URL', () => {
    history.replaceState(null, '', '/approvals?sort=oldest');
    show(asks('a', 'low'), asks('b', 'low', 1), asks('c', 'low', 2));
    fireEvent.click(link(1));
    expect([shown(), location.pathname, location.search]).toEqual(['b', '/requests/b', '?sort=oldest']);
    fireEvent.keyDown(window, { key: 'j' });
    expect(shown()).toBe('c');
    fireEvent.keyDown(window, { key: 'j' });
    expect(shown()).toBe('c');
    fireEvent.keyDown(window, { key: 'k' });
    expect(shown()).toBe('b');
  });

  it('moves on to the next after Later; skipped ones have a filter of their own', () => {
    show(asks('a', 'low'), asks('b', 'low', 1));
    fireEvent.click(screen.getByRole('button', { name: 'Later' }));
    expect(shown()).toBe('b');
    expect(screen.getByLabelText('Later')).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: 'Later 1' }));
    expect(order()).toEqual(['a']);
  });

  it('is still put off after a reload', () => {
    show(asks('a', 'low'), asks('b', 'low', 1));
    fireEvent.click(screen.getByRole('button', { name: 'Later' }));
    cleanup();
    show(asks('a', 'low'), asks('b', 'low', 1));
    expect(screen.getByRole('button', { name: 'Later 1' })).toBeDefined();
  });

  it('says what became of it once answered, and focuses the button for the next', () => {
    const store = show(asks('a', 'low'), asks('b', 'low', 1));
    act(() => screen.getByRole('button', { name: 'Deny' }).focus());
    answer(store, 'a');
    expect(within(screen.getByTestId('answered')).getByRole('status').textContent).toContain('Denied by bob');
    expect(document.activeElement?.textContent).toBe('Next request (1 waiting)');
    fireEvent.click(screen.getByRole('button', { name: 'Next request (1 waiting)' }));
    expect(shown()).toBe('b');
  });

  it('leaves the focus where it is when somebody else answers', () => {
    const store = show(asks('a', 'low'), asks('b', 'low', 1));
    act(() => link(1).focus());
    answer(store, 'a');
    expect(document.activeElement).toBe(link(1));
  });
});

describe('several requests', () => {
  const boxes = () => screen.getAllByLabelText<HTMLInputElement>('Select');
  const selected = () => boxes().map((box) => box.checked);

  it('are selected as a range, without critical ones and questions', () => {
    show(asks('critical', 'critical'), asks('a', 'low', 1), asks('b', 'low', 2), asks('c', 'low', 3), {
      ...asks('question', undefined),
      type: 'elicitation',
    });
    expect(boxes()).toHaveLength(3);
    fireEvent.click(boxes()[0]!);
    fireEvent.click(boxes()[2]!, { shiftKey: true });
    expect(selected()).toEqual([true, true, true]);
    expect(screen.getByTestId('batch').textContent).toContain('3 selected');
    fireEvent.click(boxes()[1]!);
    expect(selected()).toEqual([true, false, true]);
  });

  it('of one risk are selected at once; the key x toggles the one that is shown', () => {
    show(asks('a', 'high'), asks('b', 'high', 1), asks('c', 'low', 2));
    fireEvent.click(screen.getByRole('button', { name: 'Select 2' }));
    expect(selected()).toEqual([true, true, false]);
    fireEvent.keyDown(window, { key: 'x' });
    expect(selected()).toEqual([false, true, false]);
  });
});
