import { expect, type BrowserContext, type Page } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import { ownHeaders, read, standing } from './ask';
import { test, type Cluster } from './cluster';
import { accessible, pictures } from './look';
import { beside, press, row, show, tab } from './page';

const names = ['node1', 'node2', 'node3'];
const patience = { timeout: 40_000 }; // a gateway that was killed waits for its own old lease

test.slow(); // gateways are killed

/** Does something by the API, again while a gateway goes away in the middle of it. */
async function post<T>(person: BrowserContext, cluster: Cluster, path: string, data: object): Promise<T> {
  const headers = { ...ownHeaders(person, cluster), 'Idempotency-Key': randomUUID() };
  let got: unknown;
  await expect(async () => {
    const response = await person.request.post(cluster.url + path, { headers, data });
    expect(response.ok(), await response.text()).toBe(true);
    got = await response.json();
  }).toPass(patience);
  return got as T;
}

async function ask(person: BrowserContext, cluster: Cluster): Promise<string> {
  const call = { toolName: 'deploy', args: { to: randomUUID() } };
  return (await post<{ approvalId: string }>(person, cluster, 'api/approvals', call)).approvalId;
}

/** What waits, as the page's list has it. */
const waiting = (page: Page) =>
  page
    .locator('[data-testid="row"]:not([data-gone])')
    .evaluateAll((rows) => rows.map((r) => r.getAttribute('data-approval')).sort());

const shows = (page: Page, ids: readonly string[]) =>
  expect.poll(() => waiting(page), patience).toEqual([...ids].sort());

interface Node {
  name: string;
  state: string;
  since: string;
}

const nodes = async (person: BrowserContext, cluster: Cluster) =>
  (await read<{ nodes?: Node[] }>(person, cluster, 'api/nodes').catch(() => undefined))?.nodes ?? [];

/** Waits until all gateways work, and since when each does. */
async function allWork(person: BrowserContext, cluster: Cluster): Promise<Record<string, string>> {
  let working: Node[] = [];
  const count = async () => {
    working = (await nodes(person, cluster)).filter((n) => n.state === 'works');
    return working.length;
  };
  await expect.poll(count, patience).toBe(names.length);
  return Object.fromEntries(working.map((n) => [n.name, n.since]));
}

test(
  'the page of a cluster’s gateways says which work, and which are gone',
  { tag: '@long' },
  async ({ cluster, person }) => {
    await allWork(person, cluster);
    const page = await tab(person, cluster);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Gateways' }).click();
    const of = (name: string) =>
      page.getByTestId('gateways').getByRole('row', { name: new RegExp(`^${name}`) });
    for (const name of names) await expect(of(name)).toContainText('Works');
    await expect(page.getByText('answers this page')).toHaveCount(1);
    await accessible(page);
    await pictures(page, 'gateways');
    await cluster.hangs('node2', async () => {
      await expect(of('node2')).toContainText('Gone', patience);
      await expect(page.getByTestId('connection')).toContainText('Connected', patience);
      await accessible(page);
      await pictures(page, 'gateways-gone');
    });
    await expect(of('node2')).toContainText('Works', patience);
    await expect(of('node2')).toContainText('up to date', patience);
  },
);

test(
  'every tab shows what waits, each once, while the gateways of a cluster are killed',
  { tag: '@long' },
  async ({ cluster, person }) => {
    const since = await allWork(person, cluster);
    const first = await tab(person, cluster, 'approvals');
    const tabs = [first, await beside(first), await beside(first)];
    const waits: string[] = [];
    for (const _ of names) waits.push(await ask(person, cluster));
    for (const name of names) {
      for (const page of tabs) await shows(page, waits);
      cluster.kill(name);
      const elsewhere = waits.shift()!;
      await post(person, cluster, `api/approvals/${elsewhere}`, { status: 'denied' });
      waits.push(await ask(person, cluster));
      for (const page of tabs) await shows(page, waits);

      const here = waits.shift()!;
      await expect(first.getByTestId('connection')).toContainText('Connected', patience);
      await row(first).locator(`[data-row="${here}"]`).click();
      const its = first.locator(`[data-testid="card"][data-approval="${here}"]`);
      await press(its.getByRole('button', { name: 'Deny', exact: true }));
      for (const page of tabs) await shows(page, waits);
      expect(await standing(person, cluster, here)).toBe('denied');
      waits.push(await ask(person, cluster));
      await expect.poll(async () => (await allWork(person, cluster))[name], patience).not.toBe(since[name]);
    }
    for (const page of tabs) {
      await shows(page, waits);
      await show(page, 'settings');
      await expect(page.getByTestId('facts')).not.toContainText('0 times');
      await page.goto(`${cluster.url}approvals`);
      await shows(page, waits);
    }
  },
);
