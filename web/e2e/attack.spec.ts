import { chromium, expect, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { change, read } from './ask';
import { test, type Gateway } from './gateway';
import { begin, card, tab } from './page';

// Pages that are not ours, in the browser of somebody who is logged in.

/** A web site of somebody else's, on another port of the same machine. */
async function foreign(): Promise<{ server: Server; port: number; cookies: string[] }> {
  const cookies: string[] = []; // that browsers sent it
  const server = createServer((asked, answer) => {
    if (asked.headers.cookie) cookies.push(asked.headers.cookie);
    answer.setHeader('Content-Type', 'text/html');
    answer.end('<!doctype html><title>nice</title><p>a nice page</p>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: (server.address() as AddressInfo).port, cookies };
}

/** A browser in which a foreign name leads to this machine, as after a rebinding. */
async function rebound(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
  });
}

/** What comes of opening a WebSocket to the gateway from a page. */
const dial = (page: Page, url: string, ticket: string) =>
  page.evaluate(
    ([url, ticket]) =>
      new Promise<string>((done) => {
        const socket = new WebSocket(url!, ['lineclear.v1', `ticket.${ticket}`]);
        socket.onopen = () => done('opened');
        socket.onerror = () => done('refused');
      }),
    [url, ticket],
  );

/** A fresh ticket, which the page of another must not be able to use. */
const ticketOf = (page: Page) =>
  page.evaluate(async () => {
    const csrf = localStorage.getItem('lineclear.csrf') ?? '';
    const answer = await fetch('/api/ws-ticket', { method: 'POST', headers: { 'X-Lineclear-Csrf': csrf } });
    return ((await answer.json()) as { ticket: string }).ticket;
  });

const waitingId = async (browser: BrowserContext, gateway: Gateway) => {
  const path = 'api/approvals?status=pending';
  return (await read<{ approvals: { approvalId: string }[] }>(browser, gateway, path)).approvals[0]!
    .approvalId;
};

async function stillWaits(page: Page, gateway: Gateway): Promise<void> {
  await page.goto(`${gateway.url}approvals`);
  await expect(card(page)).toHaveCount(1);
}

test('a page on another port, which the cookie is sent from, can do nothing', async ({
  browserOf,
  gateway,
}) => {
  const own = await tab(browserOf, gateway);
  await begin(own, 'demo', 'run: echo ran');
  await expect(card(own)).toHaveCount(1);
  const id = await waitingId(browserOf, gateway);
  const { server, port } = await foreign();
  const evil = await browserOf.newPage();
  await evil.goto(`http://127.0.0.1:${port}/`);

  // The ticket is a real one: even who has stolen one has to be our page.
  expect(await dial(evil, `ws://127.0.0.1:${gateway.port}/ws`, await ticketOf(own))).toBe('refused');
  const outcome = await evil.evaluate(
    async ([at, id]) => {
      const tries: string[] = [];
      const attempt = async (name: string, go: () => Promise<Response>) => {
        try {
          const answer = await go();
          tries.push(`${name}: ${answer.type} ${answer.status}`);
        } catch {
          tries.push(`${name}: refused`);
        }
      };
      const body = '{"status":"approved"}';
      const url = `${at}api/approvals/${id}`;
      const login = { credentials: 'include' } as const;
      await attempt('read', () => fetch(`${at}api/approvals`, login));
      await attempt('read blindly', () => fetch(`${at}api/approvals`, { ...login, mode: 'no-cors' }));
      await attempt('json', () =>
        fetch(url, { ...login, method: 'POST', body, headers: { 'Content-Type': 'application/json' } }),
      );
      await attempt('text', () => fetch(url, { ...login, method: 'POST', body, mode: 'no-cors' }));
      await attempt('proof', () =>
        fetch(url, { ...login, method: 'POST', body, headers: { 'X-Lineclear-Csrf': 'x' } }),
      );
      navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' }));
      return tries;
    },
    [gateway.url, id],
  );
  for (const name of ['read', 'json', 'proof']) expect(outcome).toContain(`${name}: refused`);
  expect(outcome.filter((line) => / 2\d\d$/.test(line))).toEqual([]);

  // A form is sent with the cookie, and leads to an error page.
  await evil.evaluate(
    ([url]) => {
      const form = document.createElement('form');
      form.method = 'POST';
      form.enctype = 'text/plain';
      form.action = url!;
      form.innerHTML = `<input name='{"status":"approved","x":"' value='"}'>`;
      document.body.append(form);
      form.submit();
    },
    [`${gateway.url}api/approvals/${id}`],
  );
  await expect(evil.locator('body')).toContainText('requests from that origin are not taken');
  await stillWaits(own, gateway);
  server.close();
});

test('a page can not put the dashboard into a frame of its own, nor reach into a window of it', async ({
  browserOf,
  gateway,
  faults,
}) => {
  await tab(browserOf, gateway);
  const { server, port } = await foreign();
  const evil = await browserOf.newPage();
  const refused = evil.waitForEvent('console', (m) => /frame|X-Frame-Options/i.test(m.text()));
  await evil.goto(`http://127.0.0.1:${port}/`);
  await evil.evaluate(
    ([at]) => {
      const frame = document.createElement('iframe');
      frame.src = at!;
      document.body.append(frame);
    },
    [gateway.url],
  );
  await refused;
  expect(faults.splice(0)).toHaveLength(1); // which is that
  const inside = evil.frames().find((f) => f !== evil.mainFrame())!;
  await expect(inside.locator('#root')).toHaveCount(0);

  const [opened] = await Promise.all([
    browserOf.waitForEvent('page'),
    evil.evaluate(([at]) => void ((window as { it?: Window | null }).it = window.open(at)), [gateway.url]),
  ]);
  await expect(opened.getByTestId('connection')).toBeVisible();
  expect(await opened.evaluate(() => window.opener === null)).toBe(true);
  await expect.poll(() => evil.evaluate(() => (window as { it?: Window | null }).it?.closed)).toBe(true);
  server.close();
});

test('whoever is sent the login cookie on another port can do nothing with it', async ({
  browserOf,
  gateway,
}) => {
  const own = await tab(browserOf, gateway);
  await begin(own, 'demo', 'run: echo ran');
  await expect(card(own)).toHaveCount(1);
  const id = await waitingId(browserOf, gateway);
  const { server, port, cookies } = await foreign();
  await (await browserOf.newPage()).goto(`http://127.0.0.1:${port}/`);
  const cookie = cookies.find((c) => c.includes('lineclear_login_'))!;
  expect(cookie).toBeTruthy(); // cookies know hosts, not ports
  const [login, secret] = cookie.split('lineclear_login_')[1]!.split(';')[0]!.split('=') as [string, string];

  // From outside of any browser, where no rule of browsers holds.
  const Origin = gateway.url.slice(0, -1);
  const send = (path: string, body: string, headers: Record<string, string>) =>
    fetch(`${gateway.url}${path}`, { method: 'POST', body, headers: { Origin, ...headers } });
  const digest = createHash('sha256').update(`csrf:${secret}`).digest('hex');
  for (const proof of ['', secret, digest, `lcp_${login}.${secret}`, `lcp_${login}.${digest}`]) {
    const own = { Cookie: cookie, ...(proof && { 'X-Lineclear-Csrf': proof }) };
    for (const [path, body] of [
      ['api/tokens', '{"name":"thief","roles":["admin"]}'],
      ['api/ws-ticket', '{}'],
      [`api/approvals/${id}`, '{"status":"approved"}'],
    ] as const) {
      expect([401, 429], path).toContain((await send(path, body, own)).status);
    }
    expect([401, 429]).toContain((await fetch(`${gateway.url}api/me`, { headers: own })).status);
  }
  const bearer = { headers: { Authorization: `Bearer ${secret}` } };
  expect([401, 429]).toContain((await fetch(`${gateway.url}api/me`, bearer)).status);
  server.close();
  await stillWaits(own, gateway);
});

test('a token that another port has planted as the login cookie lets nobody in', async ({
  browser,
  browserOf,
  gateway,
}) => {
  const owner = await tab(browserOf, gateway);
  const made = await change(browserOf, gateway, 'POST', 'api/tokens', { name: 'planted', roles: ['viewer'] });
  const { secret } = (await made.json()) as { secret: string };
  const context = await browser.newContext();
  await context.addCookies([{ name: 'lineclear_login_x', value: secret, url: gateway.url }]);
  const page = await context.newPage();
  await page.goto(gateway.url);
  await expect(page.getByRole('heading', { name: 'You’re logged out' })).toBeVisible();
  expect((await page.request.get(`${gateway.url}api/me`)).status()).toBe(401);
  await expect(owner.getByTestId('connection')).toContainText('Connected');
});

test('a host name that was made to lead here is not served', async ({ browserOf, gateway }) => {
  const own = await tab(browserOf, gateway);
  await begin(own, 'demo', 'run: echo ran');
  await expect(card(own)).toHaveCount(1);
  const ticket = await ticketOf(own);
  const browser = await rebound();
  const evil = await browser.newPage();
  const address = `http://evil.example:${gateway.port}/`;
  expect((await evil.goto(address))?.status()).toBe(421);
  // The page came from the attacker's own server, before the name was made to lead here.
  await evil.route(address, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><p>a nice page</p>' }),
  );
  await evil.goto(address);
  // Told that it is not served, or kept by the browser from a page of the local network.
  const read = await evil.evaluate(() =>
    fetch('/api/approvals').then(
      (r) => r.status,
      () => 0,
    ),
  );
  expect([0, 421]).toContain(read);
  expect(await dial(evil, `ws://evil.example:${gateway.port}/ws`, ticket)).toBe('refused');
  expect(await dial(evil, `ws://127.0.0.1:${gateway.port}/ws`, ticket)).toBe('refused');
  await browser.close();
  await stillWaits(own, gateway);
});
