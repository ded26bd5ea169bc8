import type { BrowserContext } from '@playwright/test';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { binary, freePort, loggedIn, test as base } from './gateway';

/** What make cluster runs: a Postgres server, three gateways, each started again when it ends, and a proxy that leads to each in turn. */
export class Cluster {
  private output = '';

  private constructor(
    private readonly program: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {
    for (const stream of [program.stdout!, program.stderr!])
      stream.on('data', (d: Buffer) => (this.output += d.toString()));
  }

  static async start(): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'lineclear-e2e-cluster-'));
    const program = join(folder, 'cluster');
    execFileSync('go', ['build', '-o', program, './internal/cluster'], {
      cwd: resolve(import.meta.dirname, '../..'),
    });
    const listen = `127.0.0.1:${await freePort()}`;
    const child = spawn(program, ['-gateway', resolve(binary), '-listen', listen], { cwd: folder });
    return new Cluster(child, folder, `http://${listen}/`);
  }

  /** The login link that was printed. */
  async link(): Promise<string> {
    const link = /https?:\/\/\S+#login=[^\s"\\]+/;
    for (const deadline = Date.now() + 40_000; Date.now() < deadline;) {
      const found = link.exec(this.output);
      if (found) return found[0];
      if (this.program.exitCode !== null) break;
      await new Promise((r) => setTimeout(r, 50));
    }
    throw new Error(`the cluster does not come up:\n${this.output}`);
  }

  /** Ends a gateway at once, as a power cut does. */
  kill(name: string): void {
    process.kill(this.process(name), 'SIGKILL');
  }

  /** Holds a gateway still meanwhile. It ends itself once it goes on, if that was for longer than its lease. */
  async hangs(name: string, meanwhile: () => Promise<void>): Promise<void> {
    const held = this.process(name);
    process.kill(held, 'SIGSTOP');
    try {
      await meanwhile();
    } finally {
      process.kill(held, 'SIGCONT');
    }
  }

  private process(name: string): number {
    const started = [...this.output.matchAll(new RegExp(`${name} is process (\\d+)`, 'g'))];
    return Number(started.at(-1)![1]);
  }

  async end(): Promise<void> {
    if (this.program.exitCode === null) {
      const gone = once(this.program, 'exit');
      this.program.kill('SIGTERM');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface Fixtures {
  cluster: Cluster;
  /** A browser that is logged in at all gateways of the cluster. */
  person: BrowserContext;
}

export const test = base.extend<Fixtures>({
  cluster: async ({}, use) => {
    const cluster = await Cluster.start();
    await use(cluster);
    await cluster.end();
  },
  person: async ({ browser, cluster, faults }, use) => {
    const context = await loggedIn(browser, cluster, faults);
    await use(context);
    await context.close();
  },
});
