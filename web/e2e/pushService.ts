import type { Page } from '@playwright/test';
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certify } from './gateway';

/** A push service on this machine, and the keys of a browser that is subscribed there. */
export class PushService {
  /** What the browser reads, in the order in which it came. */
  readonly messages: string[] = [];
  private readonly ecdh = createECDH('prime256v1');
  private readonly secret = randomBytes(16);

  private constructor(
    private readonly server: Server,
    private readonly folder: string,
  ) {
    this.ecdh.generateKeys();
  }

  static async open(): Promise<PushService> {
    const folder = mkdtempSync(join(tmpdir(), 'lineclear-push-'));
    certify(folder);
    const read = (name: string) => readFileSync(join(folder, name));
    const server = createServer({ cert: read('cert.pem'), key: read('key.pem') });
    const service = new PushService(server, folder);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        service.messages.push(service.decrypt(Buffer.concat(parts)));
        response.writeHead(201).end();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return service;
  }

  /** What the gateway needs in its environment to send to it. */
  get environment() {
    const { port } = this.server.address() as AddressInfo;
    return { PUSH_HOST: `127.0.0.1:${port}`, SSL_CERT_FILE: join(this.folder, 'cert.pem') };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Has a page subscribe here: a browser without a screen has no push service of its own. */
  async serve(page: Page): Promise<void> {
    const subscription = {
      endpoint: `https://${this.environment.PUSH_HOST}/push/browser`,
      keys: { p256dh: this.ecdh.getPublicKey('base64url'), auth: this.secret.toString('base64url') },
    };
    await page.addInitScript((made) => {
      const kept = 'test.subscribed';
      const subscribed = {
        ...made,
        toJSON: () => made,
        unsubscribe: () => Promise.resolve(localStorage.removeItem(kept)),
      };
      Object.assign(PushManager.prototype, {
        getSubscription: () => Promise.resolve(localStorage.getItem(kept) === null ? null : subscribed),
        subscribe: () => Promise.resolve((localStorage.setItem(kept, 'yes'), subscribed)),
      });
    }, subscription);
  }

  /** RFC 8291, section 3.4; RFC 8188, section 2. */
  private decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + body[20]!);
    const record = body.subarray(21 + body[20]!);
    const derive = (input: Buffer, salt: Buffer, info: string | Buffer, length: number) =>
      Buffer.from(hkdfSync('sha256', input, salt, info, length));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.ecdh.getPublicKey(), sender]);
    const input = derive(this.ecdh.computeSecret(sender), this.secret, info, 32);
    const key = derive(input, salt, 'Content-Encoding: aes128gcm\0', 16);
    const decipher = createDecipheriv(
      'aes-128-gcm',
      key,
      derive(input, salt, 'Content-Encoding: nonce\0', 12),
    );
    decipher.setAuthTag(record.subarray(-16));
    const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  }
}
