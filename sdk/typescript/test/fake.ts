import { Lineclear } from '../src/index.js';

/** What is sent to a fake gateway. */
export interface Asked {
  what: string; // METHOD path
  body: unknown;
  headers: Record<string, string>;
  signal: AbortSignal | null | undefined;
}

/** One answer of a fake gateway: JSON, a Response, or a failure that is thrown. */
export type Step = object | Response | Error | ((asked: Asked) => unknown);

/** A gateway that gives these answers, one after the other, and what it was asked. */
export function fake(...steps: Step[]): { gateway: Lineclear; asked: Asked[]; whats: () => string[] } {
  const asked: Asked[] = [];
  const gateway = new Lineclear({
    url: 'http://gateway/',
    token: 'lct_x',
    fetch: async (url, init) => {
      const one: Asked = {
        what: `${init.method} ${url.replace('http://gateway', '')}`,
        body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
        headers: init.headers as Record<string, string>,
        signal: init.signal,
      };
      asked.push(one);
      const step = steps.shift();
      if (!step) throw new Error(`nothing is left to answer ${one.what}`);
      const answer: unknown = typeof step === 'function' ? await (step as (a: Asked) => unknown)(one) : step;
      if (answer instanceof Error) throw answer;
      return answer instanceof Response ? answer : Response.json(answer);
    },
  });
  return { gateway, asked, whats: () => asked.map((a) => a.what) };
}

/** A refusal that names no pause, or a pause of none. */
export const refusal = (status: number, code = '', retryAfter?: string) =>
  Response.json(
    { status, code, detail: `it is ${code || status}` },
    {
      status,
      headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    },
  );

/** How fetch fails where nobody listens, and where the connection breaks off. */
export const nobody = () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
export const broken = () => new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } });

/** Never answers, until it is given up. */
export const silent = ({ signal }: Asked) =>
  new Promise((_, failed) => signal!.addEventListener('abort', () => failed(signal!.reason as Error)));
