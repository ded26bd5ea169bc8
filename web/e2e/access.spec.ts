import { expect, type Browser, type Page } from '@playwright/test';
import { change as askApi } from './ask';
import { shots, test } from './gateway';
import { accessible } from './look';
import { begin, card, decision, follow, press, show, tab } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const entry = (page: Page, name: string) => page.getByTestId('access').filter({ hasText: name });

/** An admin invites somebody, and gets the link. */
async function invite(admin: Page, name: string, role: RegExp): Promise<string> {
  await show(admin, 'access');
  await button(admin, 'Invite a person').click();
  await admin.getByLabel(/Person’s name/).fill(name);
  await admin.getByRole('radio', { name: role }).check();
  await button(admin, 'Create').click();
  const link = await admin.getByTestId('secret').innerText();
  await button(admin, 'Done').click();
  return link;
}

/** Somebody follows a link in a browser of their own. */
async function visitor(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await follow(page, link);
  return page;
}

async function change(admin: Page, name: string, role: RegExp): Promise<void> {
  await entry(admin, name).getByRole('button', { name: 'Change' }).click();
  await admin.getByRole('radio', { name: role }).check();
  await button(admin, 'Save').click();
  await expect(admin.getByRole('status').filter({ hasText: 'was changed' })).toBeVisible();
}

test('two people see each other at a request, and one becomes what the other makes of them, at once', async ({
  browser,
  browserOf,
  gateway,
}) => {
  const owner = await tab(browserOf, gateway);
  const carol = await visitor(browser, await invite(owner, 'carol', /^Viewer/));
  await begin(owner, 'demo', 'run: echo for two');
  await show(carol, 'approvals');
  await expect(card(carol)).toContainText('echo for two');
  await expect(card(carol)).toContainText('Your role can view requests, but not answer them.');

  await show(owner, 'access');
  await accessible(owner);
  await shots(owner, 'access');
  await owner.setViewportSize({ width: 1440, height: 900 });
  await change(owner, 'carol', /^Approver/);
  await expect(carol.getByTestId('connection')).toContainText('Connected');
  await expect(button(carol, /^Deny/)).toBeVisible(); // without a reload

  await show(owner, 'approvals');
  await expect(card(carol)).toContainText('owner is also viewing this');
  await expect(card(owner)).toContainText('carol is also viewing this');
  await press(button(carol, /Approve once/));
  await expect(card(owner)).toHaveCount(0);
  await show(owner, 'history');
  await expect(owner.getByText(/carol/).first()).toBeVisible();

  await show(owner, 'access');
  await entry(owner, 'carol').getByRole('button', { name: 'Revoke: carol' }).click();
  await button(owner, 'Confirm revoking').click();
  await expect(carol.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();
  await carol.context().close();
});

test('a token is shown once, and lets its bearer in where there is no link', async ({
  browser,
  browserOf,
  gateway,
}) => {
  const owner = await tab(browserOf, gateway);
  await show(owner, 'access');
  await button(owner, 'New token').click();
  await owner.getByLabel(/^Name/).fill('bob');
  await owner.getByRole('radio', { name: /^Viewer/ }).check();
  await accessible(owner);
  await shots(owner, 'access-new');
  await owner.setViewportSize({ width: 1440, height: 900 });
  await button(owner, 'Create').click();
  const secret = await owner.getByTestId('secret').innerText();
  await shots(owner, 'access-secret');
  await owner.setViewportSize({ width: 1440, height: 900 });
  await owner.keyboard.press('Escape'); // it is not lost by that
  await expect(owner.getByTestId('secret')).toBeVisible();
  await button(owner, 'Done').click();

  const bob = await (await browser.newContext()).newPage();
  await bob.goto(gateway.url);
  await bob.getByText('Log in with a token instead').click();
  await bob.getByLabel('Token').fill('lct_wrong');
  await button(bob, 'Log in').click();
  await expect(bob.getByRole('alert')).toContainText('not valid');
  await accessible(bob);
  await shots(bob, 'login-token');
  await bob.getByLabel('Token').fill(secret);
  await button(bob, 'Log in').click();
  await expect(bob.getByTestId('connection')).toContainText('Connected');
  await bob.context().close();
});

test.describe('rules about people', () => {
  test.use({ config: 'people.yaml' });

  test('who asked for a risky call may deny it, and somebody else approves it', async ({
    browser,
    browserOf,
    gateway,
  }) => {
    const owner = await tab(browserOf, gateway);
    const carol = await visitor(browser, await invite(owner, 'carol', /^Admin/));
    await begin(owner, 'demo', 'run: echo together');
    await expect(card(owner).getByTestId('approvers')).toContainText(
      'anyone with the role admin, but not by the person who asked for it',
    );
    await expect(card(owner)).toContainText('You can deny this, but not approve it.');
    await expect(button(owner, /Approve once/)).toBeDisabled();
    await expect(button(owner, /Deny/)).toBeEnabled();
    await accessible(owner);
    await shots(owner, 'approvers');
    await owner.setViewportSize({ width: 1440, height: 900 });
    await show(carol, 'approvals');
    await press(button(carol, /Approve once/));
    await expect(decision(owner)).toContainText('carol');
    await carol.context().close();
  });
});

test('a terminal logs in by a press, and is listed and ended like a browser', async ({
  browserOf,
  gateway,
}) => {
  const owner = await tab(browserOf, gateway);
  const ask = async () =>
    (await (
      await askApi(browserOf, gateway, 'POST', 'api/device-logins', { name: 'ada@laptop' })
    ).json()) as {
      deviceCode: string;
      userCode: string;
      url: string;
    };
  const collect = async (deviceCode: string) =>
    (await (
      await askApi(browserOf, gateway, 'POST', 'api/device-logins/collect', { deviceCode })
    ).json()) as { waiting: boolean; secret?: string };
  const asked = await ask();
  await owner.goto(asked.url);
  await expect(owner.getByTestId('terminal')).toContainText(
    'The terminal ada@laptop wants to log in as you, owner.',
  );
  await expect(owner.getByTestId('terminal')).toContainText(asked.userCode);
  await accessible(owner);
  await shots(owner, 'terminal');
  expect(await collect(asked.deviceCode)).toEqual({ waiting: true });
  await owner.getByText('1 hour').click();
  await button(owner, 'Allow this terminal').click();
  await expect(owner.getByText('The terminal is logged in.')).toBeVisible();
  const { secret } = await collect(asked.deviceCode);
  const me = () => fetch(`${gateway.url}api/me`, { headers: { Authorization: `Bearer ${secret}` } });
  expect((await me()).status).toBe(200);

  await show(owner, 'access');
  await expect(entry(owner, 'ada@laptop')).toContainText('Terminal');
  await entry(owner, 'ada@laptop')
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await button(owner, 'Confirm revoking').click();
  await expect(entry(owner, 'ada@laptop')).toHaveCount(0);
  expect((await me()).status).toBe(401);

  const other = await ask();
  await owner.goto(other.url);
  await button(owner, 'Refuse').click();
  await expect(owner.getByText('The terminal was refused.')).toBeVisible();
  await owner.goto(`${gateway.url}terminal/NONE-SUCH`);
  await expect(owner.getByText(/no terminal is waiting with this code/)).toBeVisible();
});

test.describe('where the local key answers', () => {
  test.use({ config: 'local-key.yaml' });
  test('every page says so', async ({ browserOf, gateway }) => {
    const owner = await tab(browserOf, gateway);
    await expect(owner.getByTestId('local-key')).toContainText(
      'Programs on the gateway’s machine can approve.',
    );
    await accessible(owner);
    await shots(owner, 'local-key');
  });
});
