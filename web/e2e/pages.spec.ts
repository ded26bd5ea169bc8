import { expect, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { ask, read } from './ask';
import { test } from './gateway';
import { accessible, pictures } from './look';
import { begin, card, press, show, tab, reasonField } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
const main = (page: Page) => page.getByRole('main');

/** One call approved, one denied with a reason, one that nobody has answered. */
async function past(page: Page): Promise<void> {
  await begin(page, 'demo', 'run: uname -a');
  await press(button(page, 'Approve once'));
  await expect(page.getByTestId('result')).toContainText('Linux');
  await begin(page, 'demo', 'run: rm -rf build');
  await (await reasonField(page)).fill('=HYPERLINK("https://example.org")');
  await press(button(page, 'Deny'));
  await expect(card(page)).toHaveCount(0);
  await begin(page, 'demo', 'write notes.txt: hello');
  await expect(card(page)).toBeVisible();
}

test.slow(); // many pictures

test('every page is in the list, has its heading, and stays after a reload', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  const pages = ['Approvals', 'Sessions', 'History', 'Rules', 'Agents', 'Access', 'Statistics', 'Settings'];
  for (const title of pages) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }).click();
    await heading(page, title);
    expect(new URL(page.url()).pathname).toBe(`/${title.toLowerCase()}`);
  }
  await page.reload();
  await heading(page, 'Settings');
  await page.goBack();
  await heading(page, 'Statistics');
  await page.goto(`${gateway.url}sessions/a/b`);
  await expect(page.locator('body')).toContainText('there is no such page');
});

test('the agents’ page tells modes, tools and what waits', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway, 'agents');
  const demo = page
    .getByTestId('agent')
    .filter({ has: page.getByRole('heading', { name: 'demo', exact: true }) });
  await expect(demo).toContainText('Runs what it is told, after approval');
  await expect(demo).toContainText('Idle');
  await ask(browserOf, gateway, { toolName: 'shell', args: { command: 'ls' }, agentId: 'demo' });
  await expect(demo).toContainText('1 request waiting');
  await demo.getByText('Input schema').first().click();
  await expect(demo.locator('pre').first()).toContainText('"type": "object"');
  await accessible(page);
  await pictures(page, 'agents');
});

test('the rules are sentences, their YAML is a click away, and a call can be tried', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway, 'rules');
  await page.getByLabel('Agent', { exact: true }).first().selectOption('ruled');
  const never = page.getByTestId('rules-deny').getByTestId('rule');
  await expect(never.first()).toContainText('ruled may never use shell to run rm -rf ….');
  await expect(never.first()).toContainText('Reason: nothing is deleted for good');
  await expect(never.first()).not.toContainText('rules[0]');
  await never.first().getByRole('button', { name: 'Show as YAML' }).click();
  await expect(never.first()).toContainText(
    /agents\.yaml, line \d+ · agents\.ruled\.toolConfirmation\.rules\[0\]/,
  );
  await expect(never.first().locator('pre')).toContainText('command: ["rm -rf *"]');
  const command = page.getByLabel('Command', { exact: true });
  await command.fill('git status && rm -rf /');
  const told = page.getByTestId('explained');
  await expect(told).toContainText('Never runs');
  await expect(told).toContainText('ruled may never use shell to run rm -rf ….');
  await expect(told).toContainText('deletes everything it can reach');
  await accessible(page);
  await pictures(page, 'rules');
  await command.fill('git status');
  await expect(told).toContainText('Runs without asking');
  await button(page, 'Write the arguments as JSON').click();
  await page.getByLabel('Arguments (JSON)').fill('{ "command": ');
  await expect(page.getByText('This is not JSON')).toBeVisible();
  await expect(told).toBeEmpty();
  expect(await read(browserOf, gateway, 'api/approvals')).toMatchObject({ approvals: [] });
});

test('History: the gateway searches, filters are kept in the URL, and the export contains what they match', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await past(page);
  await show(page, 'history');
  const rows = page.getByTestId('past');
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText('notes.txt');
  await expect(rows.first()).toContainText('Waiting for an answer');
  await expect(rows.nth(1)).toContainText('rm -rf build');
  await accessible(page);
  await pictures(page, 'history');

  await page.getByLabel('Outcome').selectOption('Denied by a person');
  await expect(rows).toHaveCount(1);
  await page.reload();
  await expect(rows).toHaveCount(1);
  await rows.click();
  await expect(page.getByTestId('answered')).toContainText('Denied by owner');
  await page.goBack();
  await expect(rows).toHaveCount(1);
  await button(page, 'Clear filters').click();
  await expect(rows).toHaveCount(3);
  await page.getByLabel('Search', { exact: true }).fill('UNAME');
  await expect(rows).toHaveCount(1);
  await page.getByLabel('Tool', { exact: true }).fill('write_file');
  await expect(page.getByText('No matches')).toBeVisible();
  await button(page, 'Clear filters').click();
  await page.getByLabel('Answered by').fill('nobody-of-that-name');
  await expect(rows).toHaveCount(0);
  await page.getByLabel('Answered by').fill('');
  await page.getByLabel('From', { exact: true }).fill('2099-01-01');
  await expect(rows).toHaveCount(0);
  await button(page, 'Clear filters').click();
  await page.getByLabel('Search', { exact: true }).fill('rm -rf');
  await expect(rows).toHaveCount(1);

  await button(page, 'Export').click();
  let download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'These requests as JSON lines' }).click();
  const text = readFileSync(await (await download).path(), 'utf8').trim();
  expect(text.split('\n').map((line) => (JSON.parse(line) as { outcome: string }).outcome)).toEqual([
    'denied',
  ]);
  await button(page, 'Export').click();
  download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'These requests as CSV' }).click();
  const csv = readFileSync(await (await download).path(), 'utf8');
  expect(csv.split(/\r?\n/)).toHaveLength(3);
  expect(csv).toContain(`"'=HYPERLINK(""https://example.org"")"`); // a text, and no formula
});

test('the statistics count timeouts apart from denials, and a session says which it was', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway, 'statistics');
  await expect(page.getByText('No requests in this period')).toBeVisible();
  await begin(page, 'quick', 'run: date');
  await past(page);
  await begin(page, 'ruled', 'run: rm -rf build');
  await expect(page.getByTestId('decision')).toContainText('Denied by policy');
  const sessions = page.getByRole('navigation').getByRole('listitem');
  await expect(sessions.filter({ hasText: 'run: date' })).toContainText('Ended, its call timed out');
  await expect(sessions.filter({ hasText: 'rm -rf build' }).last()).toContainText(
    'Ended, its call was denied',
  );
  await expect(sessions.filter({ hasText: 'uname' })).toContainText('Done');
  await pictures(page, 'session-ended');

  await show(page, 'statistics');
  const figure = (name: string) =>
    page
      .getByTestId('figures')
      .locator('div')
      .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
      .locator('dd');
  const counts = {
    Approved: 1,
    'Denied by people': 1,
    'Denied by rules': 1,
    'Timed out': 1,
    Cancelled: 0,
    Waiting: 1,
  };
  await expect(figure('Requests')).toHaveText('5');
  for (const [name, n] of Object.entries(counts)) await expect(figure(name)).toHaveText(`${n}`);
  await expect(figure('Median')).toHaveText(/ s$/);
  await expect(page.getByRole('row', { name: /^shell/ })).toContainText('4');
  await expect(page.getByRole('table', { name: 'By day' })).toHaveCount(1);
  await accessible(page);
  await pictures(page, 'statistics');
  await page.getByText('24 hours').click();
  await expect(figure('Requests')).toHaveText('5');
});

test('the settings hold over a reload, and signing out ends the login', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway, 'settings');
  await heading(page, 'Settings');
  await accessible(page);
  await pictures(page, 'settings');
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByLabel('Format messages from agents').uncheck();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page.getByLabel('Format messages from agents')).not.toBeChecked();
  await button(page, 'Log out').click();
  await expect(page.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();
});

test('the connection page measures the line and counts what happens to it', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway, 'settings');
  const fact = (name: string) =>
    page
      .getByTestId('facts')
      .locator('div')
      .filter({ has: page.locator('dt', { hasText: name }) })
      .locator('dd');
  await expect(fact('State')).toHaveText('Connected');
  await expect(fact('Round trip')).toContainText(/\d ms/);
  await expect(fact('Protocol')).toHaveText('lineclear.v1');
  await expect(fact('Gateway').last()).toContainText('version');
  await expect(fact('Reconnects')).toHaveText('0 times');
  await accessible(page);
  await pictures(page, 'connection');
  await gateway.kill();
  await expect(fact('State')).toContainText('Reconnecting');
  await gateway.run();
  await expect(fact('State')).toHaveText('Connected', { timeout: 20_000 });
  await expect(fact('Reconnects')).toHaveText('1 time');
  await expect(fact('Last disconnect')).toContainText('1006');
  await browserOf.grantPermissions(['clipboard-read', 'clipboard-write']);
  await button(page, 'Copy all').click();
  await expect(main(page).getByText('Copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Protocol: lineclear.v1');
});

test(
  'there are no faults that axe finds on the pages that others show',
  { tag: '@long' },
  async ({ browserOf, gateway }) => {
    const page = await tab(browserOf, gateway);
    for (const hash of [
      'approvals',
      'sessions',
      'new/demo',
      'rules',
      'sessions/none',
      'history',
      'statistics',
    ]) {
      await show(page, hash);
      await expect(page.getByRole('main')).toBeVisible();
      await expect(page.getByRole('main').getByLabel('Loading…')).toHaveCount(0);
      await accessible(page);
    }
    await page.setViewportSize({ width: 375, height: 812 });
    await button(page, 'Open the menu').click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await accessible(page);
    await page.getByRole('dialog').getByRole('link', { name: 'Rules' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await heading(page, 'Rules');
  },
);

test('the pages can be walked through with the keyboard alone', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway, 'agents');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await show(page, 'rules');
  await page.getByLabel('Agent', { exact: true }).first().selectOption('ruled');
  await page.getByLabel('Command', { exact: true }).focus();
  await page.keyboard.type('git status');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('explained')).toContainText('Runs without asking');
  await show(page, 'settings');
  await page.getByRole('radio', { name: 'Same as system' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();
});
