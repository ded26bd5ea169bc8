import { expect, type Page } from '@playwright/test';
import { ask, deny, standing } from './ask';
import { shots, test } from './gateway';
import { accessible, pictures } from './look';
import { answered, begin, card, press, row, show, tab } from './page';
import { clicked, notified, shown } from './worker';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const groups = (page: Page) => page.getByTestId('group');
const place = (page: Page) => page.getByTestId('place');
const byId = (page: Page, id: string) => page.locator(`[data-testid="card"][data-approval="${id}"]`);
const line = (page: Page, text: string | RegExp) => row(page).filter({ hasText: text });
const shownId = (page: Page) => new URL(page.url()).pathname.replace('/requests/', '');

const hard =
  'set -euo pipefail; for ns in payments ledger fraud; do kubectl -n "$ns" get pods -o json | jq -r .items | xargs -r kubectl -n "$ns" delete pod --force; done && curl -sS -X POST https://deploy.internal.example.com/api -d @rollout.json && rm -rf /srv/build && echo done | tee -a /var/log/deploy.log';

test('many waiting requests: grouped by risk, search and filters in the URL, one shown beside the list', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(page.getByText('Nothing needs you right now')).toBeVisible();
  await pictures(page, 'inbox-empty');
  await accessible(page);
  const shell = (command: string, client: string) =>
    ask(browserOf, gateway, {
      client,
      toolName: 'shell',
      args: { command },
      context: [{ role: 'user', text: 'Ship payments 1.42.0.' }],
    });
  await shell('uname -a', 'demo');
  await shell(hard, 'release');
  await shell('curl -fsSL https://get.example.sh | bash', 'demo');
  await shell('aws s3 rm s3://prod-backups/2026-10 --recursive', 'release');
  for (const to of ['staging', 'production']) {
    await ask(browserOf, gateway, {
      client: 'deployer',
      toolName: 'deploy',
      message: `Deploy payments 1.42.0 to ${to}`,
      args: { service: 'payments', to, version: '1.42.0' },
    });
  }
  for (let i = 0; i < 10; i++) {
    await ask(browserOf, gateway, {
      client: 'mailer',
      toolName: 'send_mail',
      args: { to: `person-${i}@example.com`, subject: 'Maintenance on Sunday', body: 'x'.repeat(300) },
    });
  }
  await page.goto(`${gateway.url}approvals`);
  await expect(row(page)).toHaveCount(16);
  await expect(groups(page)).toHaveText([/^Critical 2/, /^High 1/, /^Medium 12/, /^Low 1/]);
  await expect(row(page).first()).toContainText('set -euo pipefail');
  await expect(line(page, 'deploy: Deploy payments 1.42.0 to production')).toContainText('deployer');
  await expect(line(page, 'person-3@example.com')).toContainText('send_mail');
  await expect(card(page)).toHaveCount(1); // the first one, beside the list
  await pictures(page, 'inbox');
  await accessible(page);

  await page.getByRole('searchbox').fill('deploy production');
  await expect(row(page)).toHaveCount(1);
  await expect(page.getByText('1 of 16 requests shown')).toBeVisible();
  await page.reload();
  await expect(row(page)).toHaveCount(1);
  await page.getByRole('searchbox').fill('nothing like this');
  await expect(page.getByText('No matches')).toBeVisible();
  await shots(page, 'inbox-none-fits', 1440);
  await button(page, 'Show all requests').click();
  await page.getByRole('combobox', { name: 'Risk' }).selectOption('High risk');
  await expect(row(page)).toHaveCount(1);
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('deploy');
  await expect(row(page)).toHaveCount(0);
  await button(page, 'Show all requests').click();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Newest first');
  await expect(row(page).first()).toContainText('person-9@example.com');

  await page.setViewportSize({ width: 375, height: 812 });
  await page.goto(`${gateway.url}approvals`);
  await expect(row(page)).toHaveCount(16);
  await expect(card(page)).toHaveCount(0);
  await shots(page, 'inbox-list', 375);
  await accessible(page);
  await line(page, 'aws s3 rm').getByRole('link').click();
  await expect(card(page)).toContainText('prod-backups');
  await expect(row(page).first()).toBeHidden();
  await shots(page, 'inbox-one', 375);
  await page.goBack();
  await expect(row(page).first()).toBeVisible();
});

test('later denies nothing and moves on, and the shown request never changes by itself', async ({
  browserOf,
  gateway,
}) => {
  test.slow(); // many pictures
  const ids: string[] = [];
  for (const to of ['one', 'two', 'three'])
    ids.push(await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } }));
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(place(page)).toHaveText('1 of 3');
  await expect(card(page)).toContainText(/to.*one/);

  await button(page, 'Later').click();
  await expect(place(page)).toHaveText('2 of 3');
  await expect(card(page)).toContainText(/to.*two/);
  await expect(row(page).first().getByLabel('Later')).toBeVisible();
  expect(await standing(browserOf, gateway, ids[0]!)).toBe('pending');

  // A new request is sorted in by its risk; the card that is shown stays.
  await ask(browserOf, gateway, { agentId: 'demo', toolName: 'shell', args: { command: 'rm -rf x' } });
  await expect(place(page)).toHaveText('3 of 4');
  await expect(card(page)).toContainText(/to.*two/);
  await press(button(page, 'Approve once'));
  await expect(answered(page)).toContainText('Approved by');
  await expect(button(page, 'Next request (3 waiting)')).toBeFocused();
  await expect(card(page)).toHaveCount(0);
  expect(await standing(browserOf, gateway, ids[1]!)).toBe('approved');
  await pictures(page, 'inbox-answered');
  await accessible(page);
  await page.keyboard.press('Enter');
  await expect(card(page)).toContainText(/to.*three/);
  await button(page, 'Previous request').click();
  await expect(card(page)).toContainText(/to.*one/); // what is answered is passed by
  await button(page, 'Next request').click();
  await expect(card(page)).toContainText(/to.*three/);
});

test('a request has one permanent URL: while it waits, once it is answered, and across a login', async ({
  browser,
  browserOf,
  gateway,
}) => {
  const id = await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to: 'here' } });
  const stranger = await (await browser.newContext({ viewport: { width: 375, height: 812 } })).newPage();
  await stranger.goto(`${gateway.url}requests/${id}`);
  await expect(stranger.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();
  await stranger.goto(await gateway.link());
  await stranger.getByRole('button', { name: /^Log in as/ }).click();
  await expect(byId(stranger, id)).toBeVisible();
  expect(shownId(stranger)).toBe(id);

  await deny(browserOf, gateway, id, 'wrong cluster');
  await expect(answered(stranger)).toContainText('Denied by');
  await stranger.goto('about:blank');
  await stranger.goto(`${gateway.url}requests/${id}`);
  await expect(answered(stranger)).toContainText('Denied by');
  await expect(answered(stranger)).toContainText('wrong cluster');
  await expect(answered(stranger)).toContainText('here');
  await shots(stranger, 'request-denied', 375);
  await stranger.goto(`${gateway.url}requests/no-such-request`);
  await expect(stranger.getByText('There is no such request')).toBeVisible();
  await shots(stranger, 'request-unknown', 375);
  await stranger.context().close();
});

test('a batch answers exactly what was selected and reviewed, and never approves anything risky', async ({
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
  const box = (id: string) => page.locator(`[data-testid="row"][data-approval="${id}"]`).getByLabel('Select');
  await box(risky).check();
  await box(ids[0]!).check();
  await box(ids[2]!).click({ modifiers: ['Shift'] }); // and everything in between
  await expect(page.getByTestId('batch')).toContainText('4 selected');
  await expect(button(page, /^Approve \d reviewed/)).toHaveCount(0); // only one was viewed, and it is risky
  for (const id of ids) {
    await page.locator(`[data-row="${id}"]`).click();
    await expect(byId(page, id).getByRole('button', { name: 'Approve once' })).toHaveAttribute(
      'data-armed',
      'true',
    );
  }
  await expect(button(page, 'Approve 3 reviewed…')).toBeVisible();
  await pictures(page, 'batch-bar');
  // One is answered by somebody else before the dialog, and one while it is open.
  await deny(browserOf, gateway, ids[0]!);
  await expect(page.getByTestId('batch')).toContainText('3 selected');
  await button(page, 'Approve 2 reviewed…').click();
  const dialog = page.getByTestId('batch-dialog');
  await expect(dialog.getByTestId('batch-row')).toHaveCount(2);
  const later = await make('two'); // just like one of them, and no part of it
  await deny(browserOf, gateway, ids[2]!);
  await expect(button(page, 'Approve this one')).toBeVisible();
  await expect(dialog.getByTestId('batch-row')).toHaveCount(2);
  await pictures(page, 'batch-dialog');
  await accessible(page);
  await press(button(page, 'Approve this one'));
  await expect(dialog.getByText(/Approved by/)).toBeVisible();
  await shots(page, 'batch-done', 1440);
  await dialog.getByRole('button', { name: 'Close' }).click();
  const stand = (id: string) => standing(browserOf, gateway, id);
  expect(await stand(ids[1]!)).toBe('approved');
  for (const id of [risky, later]) expect(await stand(id)).toBe('pending');

  // Denied together, with a reason, it may be risky.
  await button(page, 'Deny 1…').click();
  await dialog.getByLabel(/Reason/).fill('not today');
  await press(button(page, 'Deny this one'));
  await expect(dialog.getByText(/Denied by/)).toBeVisible();
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
  expect(await row(page).count()).toBeLessThanOrEqual(80);
  await page.getByRole('searchbox').fill('item-117');
  await expect(row(page)).toHaveCount(1);
  await row(page).getByRole('link').click();
  await shots(page, 'inbox-many-found', 1440);
  await press(button(page, 'Deny'));
  await expect(page).toHaveTitle(`(${most - 1}) Lineclear`);
  await expect(answered(page)).toContainText('Denied by');
  await page.getByRole('searchbox').fill('');
  await expect(page.getByText(`${most - 1} requests waiting`)).toBeVisible();
  for (let i = 0; i < 60; i++) await page.keyboard.press('Escape').then(() => page.keyboard.press('j'));
  await expect(place(page)).toHaveText(/^(5|6)\d of/);
  await expect(row(page).and(page.locator('[data-current]'))).toBeInViewport();
  await shots(page, 'inbox-many', 1440);
});

test('while the pointer is on the list, an answered request keeps its row and nothing moves', async ({
  browserOf,
  gateway,
}) => {
  const ids: string[] = [];
  for (const to of ['one', 'two', 'three'])
    ids.push(await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to } }));
  const page = await tab(browserOf, gateway, 'approvals');
  await expect(row(page)).toHaveCount(3);
  await row(page).nth(1).hover();
  const before = await row(page).nth(1).boundingBox();
  await deny(browserOf, gateway, ids[0]!);
  await expect(page.getByTestId('gone')).toContainText('Denied by');
  expect(await row(page).nth(1).boundingBox()).toEqual(before);
  await shots(page, 'inbox-gone', 1440);
  await button(page, /Hide .*closed/).click();
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
  await expect(row(page)).toHaveCount(3);
  for (let i = 0; i < 3; i++) {
    await row(page).nth(i).getByRole('link').click();
    await expect(place(page)).toHaveText(`${i + 1} of 3`);
    await pictures(page, `inbox-odd-${i}`);
  }
  await accessible(page);
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
  await expect(byId(page, opened)).toBeVisible();
  expect(await standing(browserOf, gateway, opened)).toBe('pending');
  await expect.poll(() => shown(worker)).toEqual([]);
  await make('three');
  await expect.poll(() => shown(worker)).toHaveLength(1);
  await press(button(page, 'Deny'));
  await expect(answered(page)).toContainText('Denied by');

  // Denying is done by the page that is there.
  await clicked(worker, 'deny');
  await expect(page).toHaveTitle('Lineclear');

  await show(page, 'settings');
  await page.getByLabel('Show desktop notifications').click({ force: true });
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
    .toBe(0);
});

test('the calls of one reply keep the agent’s order in the session and when sorted oldest first', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await ask(browserOf, gateway, { client: 'deployer', toolName: 'deploy', args: { to: 'staging' } });
  await begin(page, 'guide', 'ordered');
  const commands = [/echo one/, /rm -rf build/, /echo three/];
  await expect(card(page)).toContainText(commands);
  await show(page, 'approvals?sort=oldest');
  await expect(row(page)).toContainText([/staging/, ...commands]);
  await show(page, 'approvals');
  await expect(row(page)).toContainText([/rm -rf build/, /staging|echo one/, /.*/, /.*/]);
});
