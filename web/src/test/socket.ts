import type { ServerFrame } from '../wire/wire';

interface Sent {
  event: string;
  id: string;
  data: Record<string, unknown>;
}

/** A socket of which the test is the other end. */
export class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  binaryType = 'blob';
  readonly sent: Sent[] = [];

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    super();
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Sent);
  }

  close(): void {
    this.readyState = 3;
  }

  open(...frames: ServerFrame[]): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    for (const frame of frames) this.give(frame);
  }

  give(frame: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  drop(): void {
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent('close', { code: 1006 }));
  }

  of(event: string): Sent[] {
    return this.sent.filter((s) => s.event === event);
  }
}
