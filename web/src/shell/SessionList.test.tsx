import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { golden } from '../test/golden';
import { gateway, page, storeOf } from '../test/page';
import { SNAPSHOT_SESSIONS, type Session } from '../wire/wire';
import SessionList from './SessionList';

const session = golden('snapshot', 'snapshot').data.sessions[0]!;
const named = (n: number): Session => ({
  ...session,
  sessionId: `s${n}`,
  title: `number ${n}`,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, -n)).toISOString(),
});
const list = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => named(from + i));
const links = () => screen.getAllByRole('link').map((a) => a.getAttribute('href'));
const button = () => screen.queryByRole('button', { name: 'Show older sessions' });
const path = (before: string) => `GET /api/sessions?before=${before}&limit=50`;

function show(...known: Session[]) {
  const store = storeOf();
  const data = { pending: [], sessions: [...list(0, SNAPSHOT_SESSIONS), ...known], more: false };
  store.dispatch({ type: 'frame', frame: { event: 'snapshot', data }, now: 0 });
  page(store, <SessionList route={{ view: 'approvals' }} />);
  return store;
}

it('reaches every session, page by page; with the last one the button goes, and the focus to what has come', async () => {
  gateway({
    [path('s49')]: { body: { sessions: list(50, 52), next: 's51' } },
    [path('s51')]: { body: { sessions: list(52, 53) } },
  });
  show();
  expect(links()).toHaveLength(50);
  await userEvent.click(button()!);
  await waitFor(() => expect(links()).toHaveLength(52));
  await userEvent.click(button()!);
  await waitFor(() => expect(links()).toHaveLength(53));
  expect(button()).toBeNull();
  expect(document.activeElement?.textContent).toContain('number 52');
});

it('goes on to a page that has something new', async () => {
  gateway({
    [path('s49')]: { body: { sessions: list(50, 51), next: 's50' } },
    [path('s50')]: { body: { sessions: list(51, 52) } },
  });
  show(named(50));
  await userEvent.click(button()!);
  await waitFor(() => expect(links()).toHaveLength(52));
});

it('says so where the gateway could not be asked, and can be tried again', async () => {
  gateway({ [path('s49')]: { status: 503, body: { detail: 'busy' } } });
  const store = show();
  await userEvent.click(button()!);
  await waitFor(() => expect(store.get().notices).toMatchObject([{ kind: 'trouble' }]));
  expect(button()).not.toBeNull();
});

it('a sub-agent’s session stands below the one above it, which counts as waiting with it', () => {
  const store = storeOf();
  const [other, top] = [named(0), named(1)];
  const child = { ...named(-1), sessionId: 'child', parentId: top.sessionId };
  const grandchild = { ...named(-2), sessionId: 'grandchild', parentId: 'child' };
  const orphan = { ...named(2), sessionId: 'orphan', parentId: 'unknown' };
  const asked = { ...golden('approvalRequest-below', 'approvalRequest').data, expiresAt: undefined };
  const pending = [{ ...asked, sessionId: 'grandchild', above: ['child', top.sessionId] }];
  const sessions = [other, top, child, grandchild, orphan];
  store.dispatch({
    type: 'frame',
    frame: { event: 'snapshot', data: { pending, sessions, more: false } },
    now: 0,
  });
  page(store, <SessionList route={{ view: 'approvals' }} />);
  const rows = screen
    .getAllByRole('listitem')
    .map((li) => [
      li.querySelector('a')!.getAttribute('href'),
      li.dataset['depth'],
      li.textContent.includes('Needs approval'),
    ]);
  expect(rows).toEqual([
    ['/sessions/s0', undefined, false],
    ['/sessions/s1', undefined, true],
    ['/sessions/child', '1', true],
    ['/sessions/grandchild', '2', true],
    ['/sessions/orphan', undefined, false],
  ]);
});
