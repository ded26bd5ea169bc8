import { expect, type BrowserContext, type Page } from '@playwright/test';
import { createServer, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { change } from './ask';
import { shots, test, type Gateway } from './gateway';
import { follow, tab } from './page';

// How a browser is logged in, and stays so: by a key that only pages of this origin can use.

const connected = (page: Page) => expect(page.getByTestId('connection')).toContainText('Connected');
const ask = (page: Page, name: RegExp) => page.getByRole('button', { name });

/** A browser that has logged in by the link that the gateway printed. */
async function byLink(context: BrowserContext, gateway: Gateway): Promise<Page> {
  const page = await context.newPage();
  await follow(page, await gateway.link());
  return page;
}

/** Another server of this host, which plants cookies by its answers. */
async function neighbour(cookies: string[] = []): Promise<{ server: Server; url: string; sent: string[] }> {
  const sent: string[] = [];
  const server = createServer((asked, answer) => {
    sent.push(asked.headers.cookie ?? '');
    answer.setHeader('Set-Cookie', cookies);
    answer.setHeader('Content-Type', 'text/html');
    answer.end('<!doctype html><p>a nice page</p>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent };
}

test('a link logs in at a press, and the login outlives reloads, restarts and other tabs', async ({
  browser,
  gateway,
}) => {
  const context = await browser.newContext();
  const page = await byLink(context, gateway);
  expect(await page.evaluate(() => localStorage.getItem('lineclear.csrf'))).toMatch(/^key /);
  await page.reload();
  await connected(page);
  await gateway.kill();
  await gateway.run();
  await connected(page);
  await page.reload();
  await connected(page);
  const other = await context.newPage();
  await other.goto(gateway.url);
  await connected(other);
  // What is kept is nothing that could be taken along.
  const kept = await page.evaluate(async () => {
    const opened = indexedDB.open('lineclear', 1);
    const db = await new Promise<IDBDatabase>((done) => (opened.onsuccess = () => done(opened.result)));
    const all = db.transaction('keys').objectStore('keys').getAll();
    const keys = await new Promise<CryptoKey[]>(
      (done) => (all.onsuccess = () => done(all.result as CryptoKey[])),
    );
    const taken = crypto.subtle.exportKey('pkcs8', keys[0]!).then(
      () => 'taken',
      () => 'refused',
    );
    return [keys.length, keys[0]!.extractable, await taken];
  });
  expect(kept).toEqual([1, false, 'refused']);
  await context.close();
});

test('a browser that has dropped what it kept is told to log in again', async ({ browser, gateway }) => {
  const context = await browser.newContext();
  const page = await byLink(context, gateway);
  await page.evaluate(() => indexedDB.deleteDatabase('lineclear'));
  await page.reload();
  await expect(page.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();
  await context.close();
});

test('a link changes who is here only at a press, and a token in the address not at all', async ({
  browserOf,
  gateway,
}) => {
  const page = await tab(browserOf, gateway);
  const made = await change(browserOf, gateway, 'POST', 'api/links', { subject: 'carol', roles: ['viewer'] });
  const { url } = (await made.json()) as { url: string };
  await page.goto(url);
  await expect(page.getByRole('heading', { name: 'Log in as carol (Viewer)?' })).toBeVisible();
  await expect(page.getByTestId('link')).toContainText('recorded as carol’s');
  await shots(page, 'link-over');
  await ask(page, /^Stay /).click();
  await connected(page);
  const token = await change(browserOf, gateway, 'POST', 'api/tokens', { name: 'evil', roles: ['viewer'] });
  const { secret } = (await token.json()) as { secret: string };
  await page.goto(`${gateway.url}#login=${secret}`);
  await connected(page);
  expect(page.url()).not.toContain('lct_');
  const stranger = await (await browserOf.browser()!.newContext()).newPage();
  await stranger.goto(`${gateway.url}#login=${secret}`);
  await expect(stranger.getByText('A token in the address is not used')).toBeVisible();
  await shots(stranger, 'token-in-address');
  await page.goto(url);
  await ask(page, /^Log in as carol/).click();
  await connected(page);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByText('carol').first()).toBeVisible();
});

test('who is sent the cookie on another port opens nothing, and who plants some there shuts nobody out', async ({
  browser,
  gateway,
}) => {
  const context = await browser.newContext();
  const page = await byLink(context, gateway);
  const thief = await neighbour();
  const evil = await context.newPage();
  await evil.goto(thief.url);
  const cookie = thief.sent.find((c) => c.includes('lineclear_login_'))!;
  const [name, value] = cookie
    .split(';')
    .find((c) => c.includes('lineclear_login_'))!
    .trim()
    .split('=') as [string, string];
  const login = name.replace('lineclear_login_', '');
  const Origin = gateway.url.slice(0, -1);
  for (const headers of [
    { Cookie: cookie },
    { Cookie: cookie, 'X-Lineclear-Csrf': value },
    { Cookie: cookie, 'X-Lineclear-Csrf': `lcp_${login}.9999999999.${value}` },
    { Authorization: `Bearer ${value}` },
  ] as Record<string, string>[]) {
    const status = (await fetch(`${gateway.url}api/me`, { headers })).status;
    expect(status, JSON.stringify(headers)).toBe(401);
  }
  const proof = await fetch(`${gateway.url}api/login/proof`, {
    method: 'POST',
    headers: { Cookie: cookie, Origin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ loginId: login, challenge: 'x', signature: 'y' }),
  });
  expect(proof.status).toBe(401);
  thief.server.close();

  const planter = await neighbour([
    `${name}=planted; path=/api`,
    `${name}=planted; path=/`,
    'lineclear_login=x; path=/',
    'lineclear_login_x=x; path=/api',
  ]);
  await evil.goto(planter.url);
  await page.reload();
  // The one at "/" has taken the place of ours: the page says so, and a login helps.
  await expect(page.getByText('another page on this host has replaced its cookie')).toBeVisible();
  await page.goto('about:blank');
  await follow(page, await gateway.link());
  planter.server.close();
  await context.close();
});

test('a flood of cookies from another port shuts nobody out for good', async ({ browser, gateway }) => {
  const context = await browser.newContext();
  const page = await byLink(context, gateway);
  await page.goto('about:blank'); // what the page asks meanwhile would remove some
  const flood = await neighbour();
  const evil = await context.newPage();
  await evil.goto(flood.url);
  await evil.evaluate(() => {
    for (let i = 0; i < 150; i++) document.cookie = `flood${i}=${'x'.repeat(4000)}; path=/; max-age=9999`;
  });
  await expect.poll(async () => (await context.cookies()).length).toBeGreaterThan(100);
  const first = await page.goto(gateway.url);
  expect(first?.status()).toBe(431);
  const told = await first!.text(); // the page itself loads again until all are gone
  expect(told).toContain('too many cookies');
  await expect(page.getByText('Open a new link to log in again')).toBeVisible({ timeout: 30_000 });
  await page.goto('about:blank');
  await page.setContent(told.replace(/<meta http-equiv="refresh"[^>]*>/, ''));
  await shots(page, 'too-many-cookies');
  await page.goto('about:blank');
  await follow(page, await gateway.link());
  flood.server.close();
  await context.close();
});

test('cookies that are sent below the page alone shut nobody out either', async ({ browser, gateway }) => {
  const context = await browser.newContext();
  const page = await byLink(context, gateway);
  const planter = await neighbour(
    Array.from({ length: 25 }, (_, i) => `below${i}=${'x'.repeat(1500)}; Path=/api; Max-Age=9999`),
  );
  const evil = await context.newPage();
  await evil.goto(planter.url);
  await page.reload();
  await expect(
    page.getByText('Open a new link to log in again').or(page.getByTestId('connection')),
  ).toBeVisible();
  await page.goto('about:blank');
  await follow(page, await gateway.link());
  expect((await context.cookies()).filter((c) => c.name.startsWith('below'))).toEqual([]);
  planter.server.close();
  await context.close();
});

test('a link that is not valid opens the login page', async ({ page, gateway }) => {
  await page.goto(`${gateway.url}#login=%E0%A4%A`);
  await expect(page.getByText('A token in the address is not used')).toBeVisible();
  expect(page.url()).not.toContain('login=');
});

test.describe('with TLS', () => {
  test.use({ config: 'tls.yaml', ignoreHTTPSErrors: true });

  test('another port of the host is sent the cookie and opens nothing with it, nor can it plant one', async ({
    browser,
    gateway,
  }) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await byLink(context, gateway);
    expect(await page.evaluate(() => localStorage.getItem('lineclear.csrf'))).toMatch(/^key /);
    const sent: string[] = [];
    const server = createSecure(gateway.certificate, (asked, answer) => {
      sent.push(asked.headers.cookie ?? '');
      const name = /__Host-lineclear_login_[^=]+/.exec(sent[0]!)?.[0] ?? 'none';
      answer.setHeader('Set-Cookie', [
        `${name}=planted; Path=/api; Secure`, // which the prefix forbids
        'lineclear_login_x=planted; Path=/; Secure',
      ]);
      answer.setHeader('Content-Type', 'text/html');
      answer.end('<!doctype html><p>a nice page</p>');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const evil = await context.newPage();
    await evil.goto(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(sent[0]).toContain('__Host-lineclear_login_');
    const stolen = await context.request.get(`${gateway.url}api/me`); // with the browser's cookies, and without the proof
    expect(stolen.status()).toBe(401);
    await page.reload();
    await connected(page);
    server.close();
    await context.close();
  });
});
