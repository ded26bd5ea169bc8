import { expect, test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const binary = process.env['LINECLEAR_BIN'] ?? resolve(import.meta.dirname, '../../bin/gateway');
const files = [
  'agents.yaml',
  'served.yaml',
  'people.yaml',
  'guide.yaml',
  'local-key.yaml',
  'observed.yaml',
  'push.yaml',
  'rules.yaml',
  'tls.yaml',
  'crowd.yaml',
];
const servers = resolve(import.meta.dirname, '../node_modules/@modelcontextprotocol');

/** One real gateway with a data folder of its own; it can be killed and started again. */
export class Gateway {
  private process: ChildProcess | undefined;
  private output = '';
  private readonly root = mkdtempSync(join(tmpdir(), 'lineclear-e2e-'));
  /** Where its agents work; its data is elsewhere. */
  readonly folder = join(this.root, 'work');

  private constructor(
    readonly port: number,
    private readonly config: string,
    private readonly modelURL: string,
  ) {
    mkdirSync(this.folder);
    // Its own copies: what agents do happens in the folder of the file.
    for (const name of files) {
      writeFileSync(join(this.folder, name), readFileSync(resolve(import.meta.dirname, name)));
    }
    if (this.tls) certify(this.folder);
  }

  static async start(config: string, modelURL: string): Promise<Gateway> {
    const gateway = new Gateway(await freePort(), config, modelURL);
    await gateway.run();
    return gateway;
  }

  get url(): string {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}/`;
  }

  private get tls(): boolean {
    return this.config === 'tls.yaml';
  }

  /** The certificate that it serves with, and its key. */
  get certificate(): { cert: Buffer; key: Buffer } {
    return {
      cert: readFileSync(join(this.folder, 'cert.pem')),
      key: readFileSync(join(this.folder, 'key.pem')),
    };
  }

  /** Starts the program; the port and the data stay the same over restarts. */
  async run(): Promise<void> {
    this.output = '';
    const config = join(this.folder, this.config);
    const args = [
      'serve',
      '--config',
      config,
      '--data',
      join(this.root, 'data'),
      '--listen',
      `127.0.0.1:${this.port}`,
    ];
    const env = {
      ...process.env,
      MCP_SERVERS: servers,
      MODEL_URL: this.modelURL,
      TODAY: new Date().toLocaleDateString('sv'), // as 2026-11-29
      LINECLEAR_PRINT_LINK: '1',
      XDG_CONFIG_HOME: join(this.root, 'config'),
      XDG_CACHE_HOME: join(this.root, 'cache'),
    };
    const child = spawn(binary, args, { cwd: this.folder, env });
    this.process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (d: Buffer) => (this.output += d.toString()));
    // Nobody here trusts the certificate: then it is up when it has printed its link.
    await this.until(async () =>
      this.tls ? this.links().length > 0 : (await fetch(`${this.url}healthz`)).ok,
    );
  }

  /** The newest login link that was printed. */
  async link(): Promise<string> {
    await this.until(() => Promise.resolve(this.links().length > 0));
    return this.links().at(-1)!;
  }

  private links(): string[] {
    return this.output.match(/https?:\/\/\S+#login=[^\s"\\]+/g) ?? [];
  }

  private async until(done: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (Date.now() < deadline) {
      if (this.process?.exitCode !== null) break;
      if (await done().catch(() => false)) return;
      await new Promise((r) => setTimeout(r, 50));
    }
    throw new Error(`the gateway does not come up:\n${this.output}`);
  }

  /** Ends one of the programs that it has started, as if that had crashed. */
  killProgram(name: string): void {
    const found = descendants(this.process?.pid ?? 0).filter((pid) => commandOf(pid).includes(name));
    if (found.length !== 1) throw new Error(`the gateway runs ${found.length} programs ${name}`);
    process.kill(found[0]!, 'SIGKILL');
  }

  /** Holds it still meanwhile, so that it says nothing. */
  async silent(meanwhile: () => Promise<void>): Promise<void> {
    this.process?.kill('SIGSTOP');
    try {
      await meanwhile();
    } finally {
      this.process?.kill('SIGCONT');
    }
  }

  /** Ends it at once, as a power cut does. */
  async kill(): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((r) => child.once('exit', r));
    child.kill('SIGKILL');
    await gone;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A certificate for this machine, which nobody has to trust. */
export function certify(folder: string): void {
  const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
  const args = [
    'run',
    join(root, 'src/crypto/tls/generate_cert.go'),
    '--host',
    '127.0.0.1',
    '--ecdsa-curve',
    'P256',
  ];
  execFileSync('go', args, { cwd: folder, stdio: 'ignore' });
  chmodSync(join(folder, 'key.pem'), 0o600);
}

function descendants(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.map(Number).filter((p) => parentOf(p) === pid);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function parentOf(pid: number): number {
  return Number(/\nPPid:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1]);
}

function commandOf(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ');
}

// A process may end while it is looked at.
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', r));
  const { port } = server.address() as AddressInfo;
  await new Promise((r) => server.close(r));
  return port;
}

interface Fixtures {
  /** The file of agents. Programs start with some of them, so not each test has all. */
  config: string;
  /** Where the model "told" is asked; nowhere unless a test says so. */
  modelURL: string;
  gateway: Gateway;
  /** A browser that is logged in, for any number of tabs. */
  browserOf: BrowserContext;
  /** What the pages were forbidden by the policy, or threw. */
  faults: string[];
}

export const test = base.extend<Fixtures>({
  config: ['agents.yaml', { option: true }],
  modelURL: ['http://127.0.0.1:9/v1', { option: true }],
  gateway: async ({ config, modelURL }, use) => {
    const gateway = await Gateway.start(config, modelURL);
    await use(gateway);
    await gateway.end();
  },
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    if (faults.length > 0) throw new Error(`the pages complained:\n${faults.join('\n')}`);
  },
  browserOf: async ({ browser, gateway, faults }, use) => {
    const context = await loggedIn(browser, gateway, faults);
    await use(context);
    await context.close();
  },
});

/** A browser that is logged in; its faults are noted. */
export async function loggedIn(browser: Browser, gateway: Served, faults: string[]): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  context.on('console', (m) => {
    if (/Content Security Policy|Refused to/.test(m.text())) faults.push(m.text());
  });
  context.on('weberror', (e) => faults.push(e.error().message));
  await login(context, gateway);
  return context;
}

/** What a browser needs to know of what it talks to. */
export type Served = Pick<Gateway, 'url' | 'link'>;

/** As the page does it with a link; that it does is a test of its own. */
async function login(context: BrowserContext, gateway: Served): Promise<void> {
  const token = decodeURIComponent((await gateway.link()).split('#login=')[1]!);
  const response = await context.request.post(`${gateway.url}api/login`, {
    headers: { Origin: gateway.url.slice(0, -1) },
    data: { token },
  });
  if (!response.ok()) throw new Error(`no login: ${await response.text()}`);
  const { csrf } = (await response.json()) as { csrf: string };
  proofs.set(context, csrf);
  await context.addInitScript(
    ([origin, csrf]) => {
      if (location.origin !== origin || localStorage.getItem('lineclear.csrf') !== null) return;
      localStorage.setItem('lineclear.csrf', csrf!);
    },
    [gateway.url.slice(0, -1), csrf],
  );
}

/** The second proofs of the logins, which the pages keep. */
export const proofs = new WeakMap<BrowserContext, string>();

/** A picture of what is on the screen, for people; SHOTS=1 has them made. */
export async function shot(page: Page, name: string): Promise<void> {
  if (process.env['SHOTS']) await page.screenshot({ path: `test-results/shots/${name}.png` });
}

const sizes = { 375: 812, 1440: 900 };

/** A page fits its screen, narrow and wide; with pictures of it, light and dark. */
export async function shots(page: Page, name: string, only?: number): Promise<void> {
  for (const [width, height] of Object.entries(sizes)) {
    if (only && Number(width) !== only) continue;
    await page.setViewportSize({ width: Number(width), height });
    // Colours take no room: the width is the same in all of them.
    // What lies over the page is moved a moment after its size changes.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), {
        message: `${name}: px of content`,
      })
      .toBeLessThanOrEqual(Number(width));
    if (!process.env['SHOTS']) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await shot(page, `${name}-${width}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  }
}
