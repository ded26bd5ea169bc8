import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Lineclear, type ApprovalRequest } from '../src/index.js';

const binary = process.env['LINECLEAR_BIN'] ?? resolve(import.meta.dirname, '../../../../bin/gateway');

const agents = `
gateway: {localKey: answers, askerGrace: 4s, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models: {demo: {provider: scripted}}
agents: {demo: {model: demo, tools: {shell: {}}}}
toolConfirmation: {rules: [{tool: "*", effect: deny, when: 'tool == "forbidden"', reason: not here}]}
`;

/** The real program on a data folder of its own; it can be killed and started again. */
export class Gateway {
  url = '';
  private process: ChildProcess | undefined;
  private readonly root = mkdtempSync(join(tmpdir(), 'lineclear-sdk-'));
  private readonly config = join(this.root, 'agents', 'agents.yaml');
  private readonly env: NodeJS.ProcessEnv = {
    ...process.env,
    LINECLEAR_PRINT_LINK: '1',
    XDG_CONFIG_HOME: join(this.root, 'config'),
    XDG_CACHE_HOME: join(this.root, 'cache'),
    XDG_STATE_HOME: join(this.root, 'state'),
  };

  static async start(): Promise<Gateway> {
    const gateway = new Gateway();
    mkdirSync(join(gateway.root, 'agents'));
    writeFileSync(gateway.config, agents);
    await gateway.run();
    return gateway;
  }

  /** Starts the program, the second time at the address that it had. */
  async run(): Promise<void> {
    const listen = this.url.replace('http://', '') || '127.0.0.1:0';
    const args = ['serve', '--config', this.config, '--data', this.data, '--listen', listen];
    const child = spawn(binary, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process = child;
    let said = '';
    child.stderr!.on('data', (text: Buffer) => (said += text.toString()));
    for await (const line of createInterface(child.stdout!)) {
      const link = /(http:\/\/127\.0\.0\.1:\d+)\/#login=/.exec(line);
      if (!link) continue;
      this.url = link[1]!;
      child.stdout!.resume();
      return;
    }
    throw new Error(`the gateway does not come up: ${said}`);
  }

  private get data(): string {
    return join(this.root, 'data');
  }

  /** A client with a token of its own. */
  async client(name: string, role: 'agent' | 'approver' | 'admin'): Promise<Lineclear> {
    return new Lineclear({ url: this.url, token: await this.token(name, role) });
  }

  async token(name: string, role: string): Promise<string> {
    const args = ['tokens', 'create', name, '--role', role, '--data', this.data];
    return (await promisify(execFile)(binary, args, { env: this.env })).stdout.trim();
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

/** The next request that waits. */
export async function waiting(approver: Lineclear): Promise<ApprovalRequest> {
  for await (const { event, data } of approver.watch()) {
    if (event === 'snapshot' && data.pending.length > 0) return data.pending[0]!;
    if (event === 'approvalRequest') return data;
  }
  throw new Error('the stream ended');
}
