import { expect, type Browser, type Page } from '@playwright/test';
import { change as askApi } from './ask';
import { shots, test } from './gateway';
import { accessible, pictures } from './look';
import { begin, card, decision, follow, press, show, tab } from './page';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const person = (page: Page, name: string) =>
  page.getByTestId('person').filter({ has: page.getByRole('heading', { name: new RegExp(`^${name}`) }) });
const logins = (page: Page, name: string) => person(page, name).getByTestId('login');
const invitation = (page: Page, name: string) => page.getByTestId('invitation').filter({ hasText: name });

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

const agents = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
};

/** Somebody follows a link in a browser of their own. */
async function visitor(browser: Browser, link: string, userAgent = agents.firefox): Promise<Page> {
  const viewport = { width: 1440, height: 900 };
  const page = await (await browser.newContext({ viewport, userAgent, reducedMotion: 'reduce' })).newPage();
  await follow(page, link);
  return page;
}

/** Reopens Access, which fetches its data each time it is opened. */
async function accessPage(page: Page): Promise<void> {
  for (const [hash, title] of [
    ['settings', 'Settings'],
    ['access', 'Access'],
  ] as const) {
    await show(page, hash);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  }
}

const loggedOut = (page: Page) =>
  expect(page.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();

async function change(admin: Page, name: string, role: RegExp): Promise<void> {
  await person(admin, name).getByRole('button', { name: 'Change' }).click();
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
  await button(owner, 'Remove: carol').click();
  await expect(person(owner, 'carol')).toContainText('This signs carol out of 1 browser.');
  await button(owner, 'Remove carol').click();
  await loggedOut(carol);
  await expect(carol.getByRole('alert')).toContainText(/Your access was removed by owner at \d/);
  await expect(person(owner, 'carol')).toHaveCount(0);
  await carol.context().close();
});

test('a person signs out their other browsers; the login page there says who did it, even after a reload', async ({
  browser,
  gateway,
}) => {
  const laptop = await visitor(browser, await gateway.link());
  const phone = await visitor(browser, await gateway.link(), agents.iphone);
  const desk = await visitor(browser, await gateway.link(), agents.mac);
  const ben = await visitor(browser, await invite(laptop, 'ben', /^Approver/), agents.mac);
  await accessPage(laptop);
  await expect(logins(laptop, 'owner')).toHaveCount(3);
  await expect(logins(laptop, 'owner').first()).toContainText('Firefox on LinuxThis browser');
  for (const row of await logins(laptop, 'owner').all()) await expect(row).toContainText(/127\.0\.0\.1.*now/);
  await expect(logins(laptop, 'owner').filter({ hasText: 'Safari on iPhone' })).toHaveCount(1);
  await expect(logins(laptop, 'ben')).toContainText('Safari on macOS');

  await button(laptop, 'Remove: ben').click();
  await expect(person(laptop, 'ben')).toContainText('can only come back with a new invitation');
  await accessible(laptop);
  await shots(laptop, 'access-people');
  await laptop.setViewportSize({ width: 1440, height: 900 });
  await button(laptop, 'Cancel').click();
  await logins(laptop, 'owner').filter({ hasText: 'iPhone' }).getByRole('button').click();
  await button(laptop, 'Confirm: sign out').click();
  await loggedOut(phone);
  const why = /You were signed out by owner at \d/;
  await expect(phone.getByRole('alert')).toContainText(why);
  await phone.reload();
  await loggedOut(phone);
  await expect(phone.getByRole('alert')).toContainText(why);
  await accessible(phone);
  await shots(phone, 'login-signed-out');

  await button(laptop, 'Sign out the other').click();
  await button(laptop, 'Confirm: sign out the other').click();
  await loggedOut(desk);
  await expect(desk.getByRole('alert')).toContainText(why);
  await expect(logins(laptop, 'owner')).toHaveCount(1);
  await expect(laptop.getByTestId('connection')).toContainText('Connected');
  await expect(ben.getByTestId('connection')).toContainText('Connected');

  // Another page on this host gets the cookie, but isn't told why the login ended.
  const cookies = (await phone.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const other = await fetch(`${gateway.url}api/me`, { headers: { Cookie: cookies } });
  expect(cookies).toContain('lineclear_login_');
  expect(await other.text()).not.toContain('owner');

  // After a new login, why the previous one ended is no longer shown.
  await follow(phone, await gateway.link());
  await phone.evaluate(() => localStorage.clear());
  await phone.reload();
  await loggedOut(phone);
  await expect(phone.getByText(why)).toHaveCount(0);
  for (const page of [laptop, phone, desk, ben]) await page.context().close();
});

test('invitations are listed, withdrawn and replaced; a link that no longer works says why', async ({
  browser,
  browserOf,
  gateway,
}) => {
  const owner = await tab(browserOf, gateway);
  const first = await invite(owner, 'cara', /^Approver/);
  const dora = await invite(owner, 'dora', /^Viewer/);
  const used = await invite(owner, 'ben', /^Approver/);
  const ben = await visitor(browser, used, agents.mac);
  await accessPage(owner);
  await expect(invitation(owner, 'cara')).toContainText(
    /as Approver for all agents.*invited by owner.*valid until tomorrow/,
  );
  await expect(invitation(owner, 'ben')).toContainText('used today');
  await button(owner, 'New link: cara').click();
  const second = await owner.getByTestId('secret').innerText();
  expect(second).not.toBe(first);
  await button(owner, 'Done').click();
  await expect(invitation(owner, 'cara')).toHaveCount(1);
  await button(owner, 'Withdraw: dora').click();
  await button(owner, 'Confirm: withdraw').click();
  await expect(invitation(owner, 'dora')).toContainText('withdrawn by owner');
  await button(owner, 'New token').click();
  await owner.getByLabel(/^Name/).fill('ci-deployer');
  await button(owner, 'Create').click();
  await button(owner, 'Done').click();
  await expect(owner.getByTestId('token')).toContainText('not used yet');
  await accessible(owner);
  await pictures(owner, 'access');

  const stranger = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  for (const [link, words] of [
    [first, 'was withdrawn or replaced'],
    [dora, 'was withdrawn or replaced'],
    [used, 'has been used'],
    [`${gateway.url}#login=lci_guessed`, 'has been used or has expired'],
  ] as const) {
    await stranger.goto('about:blank');
    await stranger.goto(link);
    await loggedOut(stranger);
    await expect(stranger.getByRole('alert')).toContainText(words);
  }
  await accessible(stranger);
  await shots(stranger, 'login-link-over');
  await ben.goto('about:blank');
  await ben.goto(dora); // a logged-in person stays logged in, but is told too
  await expect(ben.getByRole('alert')).toContainText('was withdrawn or replaced');
  await accessible(ben);
  await shots(ben, 'link-over-logged-in');
  await button(ben, 'Stay ben').click();
  await expect(ben.getByTestId('connection')).toContainText('Connected');
  await stranger.goto('about:blank');
  await follow(stranger, second);
  await stranger.context().close();
  await ben.context().close();
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
  const terminal = logins(owner, 'owner').filter({ hasText: 'ada@laptop' });
  await expect(terminal).toContainText('Terminal');
  await terminal.getByRole('button', { name: /^Sign out/ }).click();
  await button(owner, 'Confirm: sign out').click();
  await expect(terminal).toHaveCount(0);
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
