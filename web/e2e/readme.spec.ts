import { expect, test, type Browser, type Page } from '@playwright/test';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './gateway';
import { box, card, decision } from './page';

// README's first minute, as somebody new walks it: what is typed and pressed is read out of README.md.

const root = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const minute = readme.split('\n## ').find((part) => part.startsWith('In sixty seconds'))!;

/** What README says at a place; a place that is gone is a fault. */
function said(what: string, form: RegExp): string {
  const found = form.exec(minute)?.[1];
  if (!found) throw new Error(`README.md no longer says ${what}: ${form}`);
  return found;
}

/** A program in a terminal, as a newcomer to this machine: nothing in HOME, no keys. */
class Terminal {
  text = '';
  private readonly child: ChildProcess;

  constructor(command: string, home: string, port: number) {
    const env: NodeJS.ProcessEnv = { HOME: home, TERM: 'xterm', LINECLEAR_LISTEN: `127.0.0.1:${port}` };
    for (const name of ['PATH', 'LANG', 'NODE_EXTRA_CA_CERTS']) env[name] = process.env[name];
    // What Go has already compiled and fetched is used again.
    for (const name of ['GOENV', 'GOCACHE', 'GOMODCACHE', 'GOPATH']) {
      env[name] = execFileSync('go', ['env', name], { encoding: 'utf8' }).trim();
    }
    this.child = spawn('script', ['-qefc', command, '/dev/null'], { cwd: root, env });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (d: Buffer) => (this.text += d.toString()));
  }

  async sees(form: RegExp): Promise<string> {
    await expect.poll(() => this.text, { timeout: 150_000 }).toMatch(form);
    return form.exec(this.text)!.at(-1)!;
  }

  types(text: string): void {
    this.child.stdin!.write(text);
  }

  async ends(): Promise<number | null> {
    if (this.child.exitCode === null) await new Promise((done) => this.child.once('exit', done));
    return this.child.exitCode;
  }
}

test.use({ actionTimeout: 20_000 });
const small = { width: 1280, height: 800 };

async function open(browser: Browser, address: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: small })).newPage();
  await page.goto(address);
  return page;
}

test('the first minute goes as README says, in an ordinary window', async ({ browser }) => {
  test.setTimeout(240_000);
  const home = mkdtempSync(join(tmpdir(), 'lineclear-readme-'));
  const port = await freePort();
  const running = new Terminal(said('what starts it', /```sh\n(.+)\n```/), home, port);
  try {
    const page = await open(browser, await running.sees(/(http:\S+#login=\S+)/));
    await page.getByRole('button', { name: said('how to log in', /press "([^"]+)"/) }).click();
    await page.getByRole('link', { name: said('where to begin', /, then "([^"]+)"/) }).click();
    const begin = said('how to begin', /, then "[^"]+" and "([^"]+)"/);
    await page.getByRole('button', { name: begin }).first().click(); // in the list and on the page
    const agent = said('the agent', /choose the agent \*(\w+)\*/);
    await expect(page.getByRole('menuitem').first()).toContainText(agent); // the first needs no key
    await page.getByRole('menuitem').first().click();
    await box(page).fill(said('the message', /```\n(.+)\n```/));
    await box(page).press('Enter');

    const approve = (on: Page) =>
      on.getByRole('button', { name: said('the button', /press \*([^*]+)\*/), exact: true });
    await expect(approve(page)).toBeInViewport({ ratio: 1 });
    const second = await page.context().newPage();
    await second.goto(page.url());
    for (const tab of [page, second]) await expect(card(tab)).toBeVisible();
    await expect(page.getByTestId('result')).toHaveCount(0);
    await page.bringToFront();
    await expect(approve(page)).toBeInViewport({ ratio: 1 });
    await expect(approve(page)).toHaveAttribute('data-armed', 'true');
    await approve(page).click();
    for (const tab of [page, second]) {
      await expect(decision(tab)).toContainText('Approved by owner');
      await expect(tab.getByTestId('result')).toContainText('Linux');
    }
    await box(page).fill(said('what lists more', /`(\w+)` lists what else/));
    await box(page).press('Enter');
    await expect(page.getByText('write PATH: TEXT')).toBeInViewport();
    await inATerminal(page, home, port);
  } finally {
    running.types('\x03');
    await running.ends();
    rmSync(home, { recursive: true, force: true });
  }
});

/** Logs a terminal in, which is allowed in the browser. */
async function inATerminal(page: Page, home: string, port: number): Promise<void> {
  const login = new Terminal(
    said('how a terminal logs in', /approve it in that browser: `([^`]+)`/),
    home,
    port,
  );
  await page.goto(await login.sees(/(http:\S+\/terminal\/\S+)/));
  await page.getByRole('button', { name: 'Allow' }).click();
  for (const question of [/Choose a passphrase/, /Repeat it/]) {
    await login.sees(question);
    login.types('correct horse battery\r');
  }
  await login.sees(/You are logged in as owner/);
  expect(await login.ends()).toBe(0);
}
