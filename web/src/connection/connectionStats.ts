/** What a tab knows of its line to the gateway, for finding out what is wrong. It changes with every frame, so nobody is told. */
export class ConnectionStats {
  received = 0;
  sent = 0;
  connects = 0;
  since: number | undefined; // when the connection that stands was made
  heardAt = 0;
  protocol = '';
  version = '';
  lastClose: { code: number; reason: string; at: number } | undefined;
  lastError: { text: string; at: number } | undefined;
  // The wall clock against one that nobody sets: what it gained, somebody has set, or the machine has slept.
  private skew = 0;

  opened(): void {
    this.connects++;
    this.since = Date.now();
  }

  heard(): void {
    this.received++;
    this.heardAt = Date.now();
  }

  welcomed(protocol: string, version: string | undefined): void {
    this.protocol = protocol;
    this.version = version ?? '';
    this.skew = skewNow();
  }

  /** A failed attempt is not the end of a connection. An end without a code is abnormal: 1006 (RFC 6455, section 7.1.5). */
  closed(code: unknown, reason: unknown): void {
    if (this.since === undefined) return;
    this.since = undefined;
    this.lastClose =
      typeof code === 'number'
        ? { code, reason: String(reason), at: Date.now() }
        : { code: 1006, reason: '', at: Date.now() };
  }

  failed(text: string): void {
    this.lastError = { text, at: Date.now() };
  }

  /** For how long nothing was heard, in ms. */
  silentFor(): number {
    return Date.now() - this.heardAt;
  }

  /** Whether the difference to the gateway's clock has to be taken again. */
  clockWasMoved(): boolean {
    return Math.abs(skewNow() - this.skew) > 2000;
  }
}

function skewNow(): number {
  return Date.now() - performance.now();
}
