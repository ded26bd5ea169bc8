import { expect, type BrowserContext, type Page, type Worker } from '@playwright/test';
import { ask, deny, standing } from './ask';
import { shots, test } from './gateway';
import { accessible, pictures } from './look';
import { begin, card, press, show, tab } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const groups = (page: Page) => page.getByTestId('group');
const place = (page: Page) => page.getByTestId('place');
const byId = (page: Page, id: string) => page.locator(`[data-testid="card"][data-approval="${id}"]`);

test('what waits stands by risk, what is alike together; it is searched and filtered', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(page.getByText('Nothing needs you right now')).toBeVisible();
  await pictures(page, 'inbox-empty');
  await accessible(page);
  for (const to of ['staging', 'production']) {
    await ask(browserOf, gateway, {
      client: 'deployer',
      toolName: 'deploy',
      args: { to, replicas: 3, env: { DEBUG: false, REGIONS: ['eu-1', 'eu-2'] } },
    });
  }
  await ask(browserOf, gateway, { agentId: 'demo', toolName: 'shell', args: { command: 'uname -a' } });
  await ask(browserOf, gateway, {
    agentId: 'demo',
    client: 'cleaner',
    toolName: 'shell',
    args: { command: 'rm -rf "$BUILD" && ls' },
  });
  await expect(card(page)).toHaveCount(4);
  await expect(card(page).first()).toContainText('rm -rf');
  await expect(groups(page)).toHaveCount(3);
  await expect(groups(page).filter({ hasText: 'deploy' })).toContainText('2 requests');
  await pictures(page, 'inbox');
  await accessible(page);

  await page.getByRole('searchbox').fill('deploy eu-2');
  await expect(card(page)).toHaveCount(2);
  await page.getByRole('searchbox').fill('production');
  await expect(card(page)).toHaveCount(1);
  await expect(page.getByText('1 of 4 requests shown')).toBeVisible();
  await page.getByRole('searchbox').fill('nothing like this');
  await expect(page.getByText('No matches')).toBeVisible();
  await shots(page, 'inbox-none-fits');
  await button(page, 'Show all requests').click();
  await page.getByRole('combobox', { name: 'Risk' }).selectOption('High risk');
  await expect(card(page)).toHaveCount(1);
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('deploy');
  await expect(card(page)).toHaveCount(0);
  await button(page, 'Clear').click();
  await expect(card(page)).toHaveCount(4);
});

test('one at a time: not now denies nothing and moves on, and nothing comes in by itself', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const ids: string[] = [];
  for (const to of ['one', 'two', 'three'])
    ids.push(await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } }));
  const page = await tab(browserOf, gateway, 'approvals');
  await button(page, 'Review one by one').click();
  await expect(place(page)).toHaveText('1 of 3');
  await expect(card(page)).toHaveCount(1);
  await expect(card(page)).toContainText(/to.*one/);
  await pictures(page, 'focus');
  await accessible(page);

  await button(page, 'Skip').click();
  await expect(place(page)).toHaveText('2 of 3');
  await expect(card(page)).toContainText(/to.*two/);
  await expect(page.getByTestId('queue')).toContainText('skipped');
  expect(await standing(browserOf, gateway, ids[0]!)).toBe('pending');

  // What comes in meanwhile stands at the end, and the card that is shown stays.
  await ask(browserOf, gateway, { agentId: 'demo', toolName: 'shell', args: { command: 'rm -rf x' } });
  await expect(place(page)).toHaveText('2 of 4');
  await expect(page.getByTestId('queue')).toContainText('1 higher-risk request arrived. Re-sort');
  await expect(card(page)).toContainText(/to.*two/);
  await press(button(page, 'Approve once'));
  await expect(page.getByTestId('gone')).toContainText('Approved by');
  await expect(card(page)).toHaveCount(0);
  expect(await standing(browserOf, gateway, ids[1]!)).toBe('approved');
  await shots(page, 'focus-answered');
  await button(page, 'Go to the next request').click();
  await expect(card(page)).toContainText(/to.*three/);
  await button(page, 'Previous').click();
  await expect(card(page)).toContainText(/to.*one/); // what is answered is passed by
  await button(page, 'Next').click();
  await expect(card(page)).toContainText(/to.*three/);
  await button(page, /All requests|Back to the list/).click();
  await expect(card(page)).toHaveCount(3);
});

test('exactly what was chosen is answered together, and nothing risky is approved so', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const make = (to: string) =>
    ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } });
  const ids = [await make('one'), await make('two'), await make('three')];
  const risky = await ask(browserOf, gateway, {
    agentId: 'demo',
    toolName: 'shell',
    args: { command: 'rm -rf x' },
  });
  const page = await tab(browserOf, gateway, 'approvals');
  const tick = (id: string) => byId(page, id).getByLabel('Select', { exact: true }).check();
  for (const id of [ids[0]!, ids[1]!, ids[2]!, risky]) await tick(id);
  await expect(page.getByTestId('batch')).toContainText('4 requests selected');
  await shots(page, 'batch-bar');
  // One is answered by somebody else before the dialog, and one while it is open.
  await deny(browserOf, gateway, ids[0]!);
  await expect(page.getByTestId('batch')).toContainText('3 requests selected');
  await button(page, 'Approve selected…').click();
  const dialog = page.getByTestId('batch-dialog');
  await expect(dialog.getByTestId('batch-row')).toHaveCount(3);
  await expect(dialog).toContainText('Too risky to approve with others');
  const later = await make('two'); // just like one of them, and no part of it
  await deny(browserOf, gateway, ids[2]!);
  await expect(button(page, 'Approve this one')).toBeVisible();
  await expect(dialog.getByTestId('batch-row')).toHaveCount(3);
  await pictures(page, 'batch-dialog');
  await accessible(page);
  await press(button(page, 'Approve this one'));
  await expect(dialog.getByText(/Approved by/)).toBeVisible();
  await shots(page, 'batch-done');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const stand = (id: string) => standing(browserOf, gateway, id);
  expect(await stand(ids[1]!)).toBe('approved');
  for (const id of [risky, later]) expect(await stand(id)).toBe('pending');

  // Denied together, with a reason, it may be risky.
  await button(page, 'Deny selected…').click();
  await page
    .getByTestId('batch-dialog')
    .getByLabel(/Reason/)
    .fill('not today');
  await press(button(page, 'Deny this one'));
  await expect(page.getByTestId('batch-dialog').getByText(/Denied by/)).toBeVisible();
  expect(await stand(risky)).toBe('denied');
  expect(await stand(later)).toBe('pending');
});

// 150 are several pages; of one agent no more than 200 may wait (maxPending).
test('hundreds that wait stay usable', { tag: '@long' }, async ({ browserOf, gateway }) => {
  test.slow(); // many requests
  const page = await tab(browserOf, gateway, 'approvals');
  const most = Number(process.env['WAITING'] ?? 150);
  const all = Array.from({ length: most }, (_, i) => i);
  for (let i = 0; i < all.length; i += 20) {
    await Promise.all(
      all.slice(i, i + 20).map((n) =>
        ask(browserOf, gateway, {
          client: `job-${n % 7}`,
          agentId: 'external',
          toolName: n % 2 ? 'deploy' : 'migrate',
          args: { number: n, name: `item-${String(n).padStart(3, '0')}` },
        }),
      ),
    );
  }
  await expect(page).toHaveTitle(`(${most}) Lineclear`);
  await expect(page.getByText(`${most} requests waiting`)).toBeVisible();
  expect(await card(page).count()).toBeLessThanOrEqual(60);
  await expect(page.getByTestId('page')).toHaveText(`1–20 of ${most}`);
  await button(page, 'Next page').click();
  await expect(page.getByTestId('page')).toHaveText(`21–40 of ${most}`);
  expect(await card(page).count()).toBeLessThanOrEqual(60);
  await page.getByRole('searchbox').fill('item-117');
  await expect(card(page)).toHaveCount(1);
  await shots(page, 'inbox-many-found', 1440);
  await press(button(page, 'Deny'));
  await expect(page).toHaveTitle(`(${most - 1}) Lineclear`);
  await expect(page.getByTestId('gone')).toContainText('Denied by');
  await button(page, 'Clear').click();
  await button(page, 'Review one by one').click();
  await expect(place(page)).toHaveText(`1 of ${most - 1}`);
  await expect(page.getByTestId('queue').getByRole('listitem')).toHaveCount(30);
  await shots(page, 'focus-many', 1440);
});

test('a card that is answered under the pointer leaves its place, and nothing moves', async ({
  browserOf,
  gateway,
}) => {
  const ids: string[] = [];
  for (const to of ['one', 'two', 'three'])
    ids.push(await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } }));
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(card(page)).toHaveCount(3);
  const second = byId(page, ids[1]!);
  await second.hover();
  const before = await second.boundingBox();
  await deny(browserOf, gateway, ids[0]!);
  await expect(page.getByTestId('gone')).toContainText('Denied by');
  expect(await second.boundingBox()).toEqual(before);
  await shots(page, 'inbox-gone', 1440);
  await button(page, /Hide .*answered/).click();
  await expect(page.getByTestId('gone')).toHaveCount(0);
});

test('long names, and letters from right to left, break nothing', async ({ browserOf, gateway }) => {
  test.slow(); // many pictures
  await ask(browserOf, gateway, {
    client: 'a-program-with-a-name-that-does-not-end-'.repeat(3).slice(0, 110),
    toolName: 'a_tool_whose_name_is_longer_than_anybody_would_like_'.repeat(2).slice(0, 100),
    args: { path: '/srv/'.repeat(40), text: 'x'.repeat(400) },
    message: 'A message without any space: ' + 'word'.repeat(120),
  });
  await ask(browserOf, gateway, {
    client: 'deployer',
    toolName: 'deploy',
    args: { שם: 'שלום עולם', النص: 'مرحبا بالعالم (1) [2]', n: 5 },
    message: 'מבקש לפרוס גרסה 1.2 לסביבת הבדיקות (staging).',
  });
  await ask(browserOf, gateway, {
    agentId: 'demo',
    toolName: 'shell',
    args: { command: 'echo "שלום" && ls -la עברית | grep ق' },
  });
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(card(page)).toHaveCount(3);
  await pictures(page, 'inbox-odd');
  await accessible(page);
  await button(page, 'Review one by one').click();
  await expect(card(page)).toHaveCount(1);
  await pictures(page, 'focus-odd');
  await show(page, 'requests/no-such-request');
  await expect(page.getByText('This request is no longer waiting')).toBeVisible();
  await shots(page, 'focus-unknown');
});

test('a request is told by a notification, which is withdrawn when it is answered elsewhere', async ({
  browserOf,
  gateway,
}) => {
  await browserOf.grantPermissions(['notifications']);
  const page = await tab(browserOf, gateway, 'settings');
  const worker = await notified(browserOf, page);
  await pictures(page, 'attention');
  const make = (to: string) =>
    ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } });
  const id = await make('one');
  await expect.poll(() => shown(worker)).toEqual(['deployer wants to use deploy: open, deny']);
  await deny(browserOf, gateway, id);
  await expect.poll(() => shown(worker)).toEqual([]);

  // A click on it opens the card, and answers nothing.
  const opened = await make('two');
  await expect.poll(() => shown(worker)).toHaveLength(1);
  await clicked(worker, '');
  await expect(page.getByTestId('place')).toHaveText('1 of 1');
  await expect(byId(page, opened)).toBeVisible();
  expect(await standing(browserOf, gateway, opened)).toBe('pending');
  await make('three');
  await expect.poll(() => shown(worker)).toHaveLength(1);
  await press(button(page, 'Deny'));
  await expect(page.getByTestId('gone')).toContainText('Denied by');

  // Denying is done by the page that is there.
  await clicked(worker, 'deny');
  await expect(page).toHaveTitle('Lineclear');

  await show(page, 'settings');
  await page.getByLabel('Show desktop notifications').click({ force: true });
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
    .toBe(0);
});

/** Turns notifications on. Playwright gives every page the focus, which would keep them back. */
async function notified(browser: BrowserContext, page: Page): Promise<Worker> {
  const starting = browser.waitForEvent('serviceworker');
  await page.getByLabel('Show desktop notifications').click({ force: true });
  const worker = await starting;
  await expect(page.getByLabel('Show desktop notifications')).toBeChecked();
  await worker.evaluate(() => {
    const clients = (self as unknown as { clients: Clients }).clients;
    const real = clients.matchAll.bind(clients);
    clients.matchAll = async (options) =>
      (await real(options)).map((c) => ({
        focused: false,
        postMessage: c.postMessage.bind(c),
        focus: () => Promise.resolve(c),
      }));
  });
  // A browser without a desktop needs a moment until it keeps what it is given to show.
  await expect.poll(() => probed(worker)).toBe(true);
  return worker;
}

interface Client {
  focused: boolean;
  postMessage: (...args: unknown[]) => void;
  focus: () => Promise<unknown>;
}

interface Clients {
  matchAll: (options?: unknown) => Promise<Client[]>;
}

interface Scope {
  registration: {
    getNotifications: (filter?: { tag: string }) => Promise<Shown[]>;
    showNotification: (title: string, options: { tag: string }) => Promise<void>;
  };
}

interface Shown {
  title: string;
  actions: { action: string }[];
  close: () => void;
}

/** Shows a notification, and takes it away again; whether it was kept. */
const probed = (worker: Worker) =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as Scope;
    await registration.showNotification('probe', { tag: 'probe' });
    const [kept] = await registration.getNotifications({ tag: 'probe' });
    kept?.close();
    return kept !== undefined;
  });

const shown = (worker: Worker) =>
  worker.evaluate(async () => {
    const list = await (self as unknown as Scope).registration.getNotifications();
    return list.map((n) => `${n.title}: ${n.actions.map((a) => a.action).join(', ')}`);
  });

/** A person's click on the notification that is shown, which a headless browser has no screen for. */
const clicked = (worker: Worker, action: string) =>
  worker.evaluate(async (action) => {
    const [notification] = await (self as unknown as Scope).registration.getNotifications();
    const Click = (self as unknown as { NotificationEvent: new (type: string, init: object) => Event })
      .NotificationEvent;
    self.dispatchEvent(new Click('notificationclick', { notification, action }));
  }, action);

test('the calls of a reply stand in the agent’s order everywhere, whatever their risk', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to: 'staging' } });
  await begin(page, 'guide', 'ordered');
  const commands = [/echo one/, /rm -rf build/, /echo three/];
  await expect(card(page)).toContainText(commands);
  await show(page, 'approvals');
  await expect(card(page)).toContainText([...commands, /staging/]); // the riskiest reply first
  await shots(page, 'inbox-order');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Review one by one' }).click();
  for (const command of commands) {
    await expect(card(page)).toContainText(command);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
  }
  await expect(card(page)).toContainText('staging');
});
