import { expect, type Page } from '@playwright/test';
import { shots, test } from './gateway';
import {
  answered,
  begin,
  beside,
  box,
  card,
  decision,
  press,
  row,
  show,
  tab,
  reasonField,
  readToEnd,
} from './page';

test('who has no login is told where to find the link, and each link works once', async ({
  browser,
  gateway,
}) => {
  const page = await browser.newPage();
  await page.goto(gateway.url);
  await expect(page.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();
  await shots(page, 'login');
  const link = await gateway.link();
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByRole('heading', { name: /^Log in as \S+ \(Admin\)\?$/ })).toBeVisible();
  await shots(page, 'link');
  await page.getByRole('button', { name: /^Log in as/ }).click();
  await expect(page.getByTestId('connection')).toContainText('Connected');
  expect(page.url()).not.toContain('login=');
  await shots(page, 'empty');
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(link);
  await expect(stranger.getByText('has been used or has expired')).toBeVisible();
});

test('approved in one tab, it runs once and both tabs show by whom', async ({ browserOf, gateway }) => {
  const one = await tab(browserOf, gateway);
  await begin(one, 'demo', 'run: uname -a');
  const two = await beside(one);
  for (const page of [one, two]) {
    await expect(card(page)).toBeVisible();
    await expect(card(page).getByLabel('command')).toHaveText('uname -a');
    await expect(page).toHaveTitle('(1) Lineclear');
  }
  await shots(one, 'card');
  await press(one.getByRole('button', { name: 'Approve once' }));
  for (const page of [one, two]) {
    await expect(card(page)).toHaveCount(0);
    await expect(decision(page)).toContainText(/Approved by \S+/);
    await expect(page.getByTestId('result')).toHaveCount(1);
    await expect(page.getByTestId('result')).toContainText('Linux');
    await expect(page).toHaveTitle('Lineclear');
  }
  await shots(one, 'approved');
});

test('denied with a reason, the agent’s next words have it', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await (await reasonField(page)).fill('not on a Friday');
  await press(page.getByRole('button', { name: 'Deny' }));
  await expect(card(page)).toHaveCount(0);
  await expect(decision(page)).toContainText('Denied by');
  await expect(decision(page)).toContainText('not on a Friday');
  await expect(page.getByTestId('assistant').last()).toContainText('not on a Friday');
  await shots(page, 'denied');
});

test('nobody answers: both tabs count to the same instant, and it is no person’s no', async ({
  browserOf,
  gateway,
}) => {
  const one = await tab(browserOf, gateway);
  const two = await tab(browserOf, gateway, 'approvals');
  await begin(one, 'quick', 'run: uname -a');
  const left = (page: Page) => page.getByTestId('countdown');
  await expect(left(two)).toBeVisible();
  const expires = await left(one).getAttribute('data-expires');
  expect(await left(two).getAttribute('data-expires')).toBe(expires);
  for (const page of [one, two]) {
    await expect(card(page)).toHaveCount(0);
  }
  await expect(answered(two)).toContainText('Timed out after 3 seconds');
  await expect(decision(one)).toContainText('Timed out after 3 seconds');
  await expect(decision(one)).toContainText('Nobody answered; it was not run');
  await expect(decision(one)).not.toContainText('Denied');
  await expect(one.getByTestId('assistant').last()).toContainText(/nobody answered/i);
  await two.getByRole('button', { name: 'Back to Approvals' }).click();
  await expect(two.getByText('Nothing needs you right now')).toBeVisible();
  await shots(one, 'nobody');
  await shots(two, 'nothing-waits');
});

test('a reload in the middle keeps everything', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toBeVisible();
  const before = {
    id: await card(page).getAttribute('data-approval'),
    expires: await page.getByTestId('countdown').getAttribute('data-expires'),
  };
  await page.reload();
  await expect(card(page)).toHaveAttribute('data-approval', before.id!);
  await expect(page.getByTestId('countdown')).toHaveAttribute('data-expires', before.expires!);
  await expect(page.getByText('run: uname -a').first()).toBeVisible();
  await press(page.getByRole('button', { name: 'Approve once' }));
  await expect(page.getByTestId('result')).toContainText('Linux');
  await page.reload();
  await expect(page.getByTestId('result')).toContainText('Linux');
  await expect(decision(page)).toContainText('Approved by');
});

test('the gateway dies and comes back: the page says so, and the card is still good', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toBeVisible();
  await gateway.kill();
  await expect(page.getByTestId('offline')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve once' })).toBeDisabled();
  await shots(page, 'offline');
  await gateway.run();
  await expect(page.getByTestId('offline')).toHaveCount(0, { timeout: 20_000 });
  await expect(card(page)).toHaveCount(1);
  await press(page.getByRole('button', { name: 'Approve once' }));
  await expect(decision(page)).toContainText('Approved by');
  await expect(page.getByTestId('result')).toContainText('Linux'); // and the run goes on where it was
});

test('a tab that was away while another answered comes back without the card', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toBeVisible();
  const away = await beside(page);
  await expect(card(away)).toBeVisible();
  const back = away.url();
  await away.goto('about:blank'); // its connection is gone
  await press(page.getByRole('button', { name: 'Approve once' }));
  await expect(page.getByTestId('result')).toContainText('Linux');
  await away.goto(back);
  await expect(away.getByTestId('result')).toContainText('Linux');
  await expect(card(away)).toHaveCount(0);
});

test('after approval for the session, the same call runs without asking again', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await page.getByRole('button', { name: 'Approve for this session…' }).click();
  await press(page.getByRole('button', { name: 'Approve and remember this' }));
  await expect(decision(page)).toContainText('for this session');
  await expect(page.getByTestId('result')).toHaveCount(1);
  await box(page).fill('run: uname -a');
  await box(page).press('Enter');
  await expect(page.getByTestId('result')).toHaveCount(2);
  await expect(decision(page).nth(1)).toContainText(/Allowed by \S+’s standing approval: uname -a/);
  await shots(page, 'allowed');
});

test('cards of every session are in one place, long and odd arguments whole', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', `run: echo safe\u202e txt.exe && ls`);
  await expect(card(page)).toContainText('⟨U+202E⟩');
  await begin(page, 'demo', `run: echo ${'a-very-long-word-'.repeat(200)}; touch end`);
  await expect(page.getByRole('button', { name: 'Approve once', disabled: false })).toHaveCount(0);
  await show(page, 'approvals');
  await expect(row(page)).toHaveCount(2);
  await shots(page, 'waiting');
  await page.setViewportSize({ width: 1440, height: 900 });
  await row(page).filter({ hasText: 'a-very-long-word' }).getByRole('link').click();
  const long = card(page);
  await long.getByRole('button', { name: 'Show everything' }).click();
  await expect(long.getByLabel('command')).toContainText('; touch end');
  await readToEnd(page);
  await expect(long.getByRole('button', { name: 'Approve once' })).toBeEnabled();
  await press(long.getByRole('button', { name: 'Deny' }));
  await expect(answered(page)).toContainText('Denied by');
});

test('Stop withdraws what waits', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'run: uname -a');
  await expect(card(page)).toBeVisible();
  await page.getByRole('button', { name: /Stop the agent/ }).click();
  await expect(card(page)).toHaveCount(0);
  await expect(decision(page)).toContainText('Withdrawn by');
});

test('a reload in the middle of a message brings the whole of it', async ({ browserOf, gateway }) => {
  const page = await tab(browserOf, gateway);
  await begin(page, 'demo', 'help');
  await expect(page.getByText('run: COMMAND')).toBeVisible(); // it is being written, word by word
  await page.reload();
  await expect(page.getByText('write PATH: TEXT')).toBeVisible();
  await expect(page.getByText('Done').first()).toBeVisible();
});
