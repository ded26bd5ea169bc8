import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Rail } from '../shell/Rail';
import { gateway, page, storeOf } from '../test/page';
import type { ClusterNode } from '../wire/wire';
import Gateways from './Gateways';

const since = '2026-11-30T09:00:00Z';
const nodes: ClusterNode[] = [
  {
    name: 'one',
    here: true,
    state: 'works',
    since,
    version: 'v2',
    sessions: 1200,
    behind: 0,
    silentSeconds: 1,
  },
  {
    name: 'two',
    state: 'works',
    since,
    version: 'v2',
    sessions: 0,
    behind: 3,
    silentSeconds: 4,
    differs: [{ agentId: 'demo', digest: 'sha256:0123456789', counts: 'sha256:abcdef0123' }],
  },
  { name: 'three', state: 'stands_by', since, sessions: 0, behind: 0, silentSeconds: 0 },
  { name: 'four', state: 'gone', since, version: 'v1', sessions: 0, behind: 0, silentSeconds: 95 },
];

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse(since) + 20 * 60_000 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const row = (name: string) => within(screen.getByRole('row', { name: new RegExp(`^${name}`) }));
const cells = (name: string) =>
  row(name)
    .getAllByRole('cell')
    .map((cell) => cell.textContent);

it('each gateway has a row with what it does; what does not work has no numbers', async () => {
  gateway({ 'GET /api/nodes': { body: { nodes } } });
  page(storeOf(['viewer']), <Gateways />);
  await screen.findByRole('table', { name: 'Gateways' });
  expect(cells('one')).toEqual(['Works', '20 min ago', '1,200', 'up to date', 'now', 'v2']);
  expect(cells('two')).toEqual(['Works', '20 min ago', '0', '3 commits', '4 s ago', 'v2']);
  expect(cells('three')).toEqual(['Stands by', '20 min ago', '–', '–', 'now', '–']);
  expect(cells('four')).toEqual(['Gone', '20 min ago', '–', '–', '1 min 35 s ago', 'v1']);
  expect(row('one').getByText('answers this page')).toBeDefined();
  expect(row('two').queryByText('answers this page')).toBeNull();
  expect(row('two').getByRole('rowheader').textContent).toContain(
    'Its file differs: it runs nothing for demo (01234567; abcdef01 counts)',
  );
  expect(row('one').getByRole('rowheader').textContent).not.toContain('differs');
});

it('the list is fetched every five seconds while the page is visible, and stays when a fetch fails', async () => {
  let reply: { status?: number; body: unknown } = { body: { nodes } };
  const asked = gateway({ 'GET /api/nodes': () => reply });
  page(storeOf(), <Gateways />);
  await screen.findByRole('table');
  const before = asked.length;
  reply = { body: { nodes: nodes.slice(1) } };
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(asked.length).toBe(before + 1);
  expect(screen.queryByText('one')).toBeNull();
  reply = { status: 503, body: { detail: 'the database is away' } };
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(screen.getByRole('alert').textContent).toContain('the database is away');
  expect(screen.getByRole('table')).toBeDefined();
  const sight = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  const hidden = asked.length;
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(asked.length).toBe(hidden);
  reply = { body: { nodes } };
  sight.mockReturnValue('visible');
  await act(async () => {
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
  });
  expect(asked.length).toBe(hidden + 1);
  expect(screen.queryByRole('alert')).toBeNull();
});

it('a gateway that is the only one says so', async () => {
  gateway({ 'GET /api/nodes': { body: { nodes: [] } } });
  page(storeOf(), <Gateways />);
  expect(await screen.findByText('This gateway is the only one')).toBeDefined();
  expect(screen.queryByRole('table')).toBeNull();
});

it('the page is offered where there is a cluster, to whoever may see all agents', () => {
  const asked = gateway({ 'GET /api/nodes': { body: { nodes } } });
  const offered = (cluster: boolean, agents?: string[]) => {
    const store = storeOf();
    store.dispatch({
      type: 'loggedIn',
      identity: { subject: 'ada', roles: ['viewer'], ...(agents && { agents }) },
      cluster,
    });
    const shown = page(
      store,
      <>
        <Rail route={{ view: 'gateways' }} />
        <Gateways />
      </>,
    );
    const link = screen.queryByRole('link', { name: 'Gateways' }) !== null;
    const refused = screen.queryByText(/Only people who may see all agents/) !== null;
    shown.unmount();
    return { link, refused };
  };
  expect(offered(true)).toEqual({ link: true, refused: false });
  expect(offered(false)).toEqual({ link: false, refused: false });
  const before = asked.length;
  expect(offered(true, ['demo'])).toEqual({ link: false, refused: true });
  expect(asked.length).toBe(before);
});
