import type { ProblemDocument as Document } from './types.js';
import { readJSON, writeJSON } from './json.js';

/** Where the gateway is, and how it is asked. */
export interface Options {
  /** Such as http://127.0.0.1:8787; empty in a page that the gateway serves. */
  url: string;
  /** A token's secret, lct_…; without one, what fetch sends has to say who asks. */
  token?: string;
  /** What sends the requests: such as for a proxy, further headers, or in tests. */
  fetch?: Fetch;
  /** Reads the JSON of answers; a number that would be rounded is an ExactNumber unless it says otherwise. */
  parse?: (text: string) => unknown;
}

/** The part of fetch that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What goes with a request. */
export interface Sent {
  /** Is sent as JSON, with every digit. */
  body?: unknown;
  /** JSON that is sent as it is, in place of a body. */
  text?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The gateway's refusal: a problem document (RFC 9457), or what something in front of the gateway said. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** For programs, such as already_decided; empty where the gateway did not write it. */
  readonly code: string;
  readonly detail: string;

  /**
   * @param status of HTTP
   * @param body the whole document; of a conflict about an answer, `response` is the one that stands
   * @param retryAfter in seconds, where the gateway named a pause
   */
  constructor(
    readonly status: number,
    readonly body: Partial<Document>,
    readonly retryAfter?: number,
  ) {
    const detail = body.detail ?? body.title ?? `status ${status}`;
    super(detail);
    this.detail = detail;
    this.code = body.code ?? '';
  }
}

// What Node says of a connection that stood.
const brokenOff = [
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
];

/** There was no answer, or it broke off; `cause` says why. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  /** Whether the request may have reached the gateway all the same. */
  get mayHaveArrived(): boolean {
    const cause = (this.cause as Error | undefined)?.cause as { code?: string } | undefined;
    return cause === undefined || brokenOff.includes(cause.code ?? ''); // browsers give no cause
  }

  constructor(cause: unknown, message = 'the gateway can’t be reached') {
    super(message, { cause });
  }
}

/** Sends requests to one gateway, and reads what it answers. */
export class Transport {
  private readonly url: string;
  private readonly headers: Record<string, string>;
  private readonly fetch: Fetch;
  /** Reads the JSON that the gateway sends. */
  readonly parse: (text: string) => unknown;

  constructor(options: Options) {
    this.url = options.url.replace(/\/+$/, '');
    this.headers = options.token ? { Authorization: `Bearer ${options.token}` } : {};
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.parse = options.parse ?? readJSON;
  }

  /** Sends a request and reads the answer, undefined where it is empty. */
  async call<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
    const response = await this.open(method, path, sent);
    const text = await reached(response.text(), sent.signal);
    return (text ? this.parse(text) : undefined) as T;
  }

  /** Sends a request; its answer, once it has begun. What is no success is a Problem. */
  async open(method: string, path: string, { body, text, headers, signal }: Sent = {}): Promise<Response> {
    const written = text ?? writeJSON(body) ?? null;
    const init: RequestInit = {
      method,
      headers: {
        ...this.headers,
        ...(written !== null && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: written,
      cache: 'no-store',
      signal: signal ?? null,
    };
    const response = await reached(this.fetch(this.url + path, init), signal);
    if (response.ok) return response;
    const after = Number(response.headers.get('Retry-After') ?? NaN);
    const problem = readProblem(await reached(response.text(), signal));
    throw new Problem(response.status, problem, Number.isNaN(after) ? undefined : after);
  }
}

/** A failure of what is awaited means that the gateway can't be reached, unless the signal is aborted. */
export async function reached<T>(what: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await what;
  } catch (error) {
    signal?.throwIfAborted();
    throw new Unreachable(error);
  }
}

// An error is a problem document where the gateway wrote it, and plain text
// where something in front of it did.
function readProblem(text: string): Partial<Document> {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null) return document as Partial<Document>;
  } catch {
    // not ours
  }
  const detail = text.trim().slice(0, 200);
  return detail ? { detail } : {};
}

/** Whether an error may go away by itself: the gateway is away, overrun or restarting. */
export function passing(error: unknown): boolean {
  if (error instanceof Problem) return error.status >= 500 || error.status === 429;
  return error instanceof Unreachable;
}

/** Ends after so many milliseconds, or once the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      done();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener('abort', over);
  });
}
