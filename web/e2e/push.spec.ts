import { expect, type Worker } from '@playwright/test';
import { ask, deny } from './ask';
import { test } from './gateway';
import { accessible, pictures } from './look';
import { show, tab } from './page';
import { PushService } from './pushService';
import { clicked, shown, unfocused } from './worker';

test.use({ config: 'push.yaml' });

let service: PushService;

test.beforeAll(async () => {
  service = await PushService.open();
  Object.assign(process.env, service.environment); // of the gateways of this file
});

test.beforeEach(() => void service.messages.splice(0));

test.afterAll(async () => {
  for (const name of Object.keys(service.environment)) Reflect.deleteProperty(process.env, name);
  await service.close();
});

/** Hands a message to the worker, as the browser does. */
const receive = (worker: Worker, message: string) =>
  worker.evaluate((message) => {
    const Push = (self as unknown as { PushEvent: new (type: string, init: object) => Event }).PushEvent;
    self.dispatchEvent(new Push('push', { data: message }));
  }, message);

/** From now on the worker finds no page, and tells where it would open one. */
const closePages = (worker: Worker) =>
  worker.evaluate(() => {
    const scope = self as unknown as { clients: Record<string, unknown>; opened: string[] };
    scope.opened = [];
    scope.clients['matchAll'] = () => Promise.resolve([]);
    scope.clients['openWindow'] = (path: string) => Promise.resolve(void scope.opened.push(path));
  });

const opened = (worker: Worker) => worker.evaluate(() => (self as unknown as { opened: string[] }).opened);

/** Keeps what the worker puts on the icon. */
const watchBadge = (worker: Worker) =>
  worker.evaluate(() => {
    const scope = self as unknown as { badges: number[]; navigator: object };
    scope.badges = [];
    const setAppBadge = (n: number) => Promise.resolve(void scope.badges.push(n));
    Object.assign(scope.navigator, { setAppBadge, clearAppBadge: () => setAppBadge(0) });
  });

const badges = (worker: Worker) => worker.evaluate(() => (self as unknown as { badges: number[] }).badges);

test('a person is called when something needs approval, also while no page is open', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  await browserOf.grantPermissions(['notifications']);
  const page = await browserOf.newPage();
  await service.serve(page);
  await page.goto(`${gateway.url}approvals`);
  const offer = page.getByTestId('push-offer');
  await expect(offer).toContainText('Get called when something needs approval');
  await pictures(page, 'push-offer');
  await accessible(page);
  const starting = browserOf.waitForEvent('serviceworker');
  await offer.getByRole('button', { name: 'Turn on' }).click();
  const worker = await starting;
  await expect(page.getByRole('status').filter({ hasText: 'This browser will call you' })).toBeVisible();
  await pictures(page, 'push-on');
  await show(page, 'settings');
  await expect(page.getByLabel('Show desktop notifications')).toBeChecked();
  await expect(page.getByLabel('Also when this page is closed')).toBeChecked();
  await pictures(page, 'push-settings');
  await accessible(page);
  await unfocused(worker);
  await watchBadge(worker);

  const make = (to: string) =>
    ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } });
  const came = async (n: number) => {
    await expect.poll(() => service.messages.length).toBe(n);
    await receive(worker, service.messages[n - 1]!);
  };

  // A page that is there tells the worker what it is about, and the message adds nothing to that.
  const first = await make('one');
  await came(1);
  expect(JSON.parse(service.messages[0]!)).toEqual({ approvalId: first, waiting: 1 });
  await expect.poll(() => shown(worker)).toEqual(['deployer wants to use deploy: open, deny']);
  await deny(browserOf, gateway, first);
  await came(2);
  expect(JSON.parse(service.messages[1]!)).toEqual({ approvalId: first, settled: true, waiting: 0 });
  await expect.poll(() => badges(worker)).toEqual([1, 0]);
  await expect.poll(() => shown(worker)).not.toContain('deployer wants to use deploy: open, deny');

  // Without a page the message alone is shown.
  await page.close();
  await closePages(worker);
  const second = await make('two');
  await came(3);
  await expect.poll(() => shown(worker)).toEqual(['A request needs approval: open']);
  await clicked(worker, 'open');
  await expect.poll(() => opened(worker)).toEqual([`/requests/${second}`]);
  expect(await shown(worker)).toEqual([]);

  // What is answered elsewhere is taken away, for which a browser wants to see something else.
  const third = await make('three');
  await came(4);
  await expect.poll(() => shown(worker)).toEqual(['A request needs approval: open']);
  await deny(browserOf, gateway, third);
  await came(5);
  await expect.poll(() => shown(worker)).toEqual(['A request was answered: ']);

  // Many are counted.
  for (let n = 6; n <= 9; n++) {
    await make(`no. ${n}`);
    await came(n);
  }
  await expect.poll(() => shown(worker)).toEqual(['5 requests need approval: open']);
  await deny(browserOf, gateway, second);
  await came(10);
  await expect.poll(() => shown(worker)).toEqual(['4 requests need approval: open']);
  await clicked(worker, '');
  await expect.poll(() => opened(worker)).toEqual([`/requests/${second}`, '/approvals']);
});

test('the offer is made once, and a browser is called no more once that is turned off', async ({
  browserOf,
  gateway,
}) => {
  await browserOf.grantPermissions(['notifications']);
  const page = await browserOf.newPage();
  await service.serve(page);
  await page.goto(`${gateway.url}approvals`);
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.reload();
  await expect(page.getByText('Nothing needs you right now')).toBeVisible();
  await expect(page.getByTestId('push-offer')).toHaveCount(0);
  await show(page, 'settings');
  const push = page.getByLabel('Also when this page is closed');
  await expect(push).toBeEnabled();
  await push.click({ force: true });
  await expect(push).toBeChecked();
  await page.reload();
  await expect(push).toBeChecked();
  await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy' });
  await expect.poll(() => service.messages.length).toBe(1);
  await push.click({ force: true });
  await expect(push).not.toBeChecked();
  await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy' });
  const other = await tab(browserOf, gateway, 'settings');
  await expect(other.getByLabel('Also when this page is closed')).not.toBeChecked();
  expect(service.messages).toHaveLength(1);
});
