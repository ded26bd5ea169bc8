import { isObject, writeJSON, type JSONObject } from './json.js';
import { Refused } from './refused.js';
import { passing, pause, Problem, Transport, Unreachable, type Sent } from './transport.js';
import type { Approval, AskBody, Claimed, ToolResult } from './types.js';

const longestWait = '60s'; // with one request; the gateway takes no more
const again = 1000; // ms between attempts to reach the gateway
const longestAgain = 60_000;
const claimWithin = 30_000;
const reportWithin = 30_000;
const withdrawWithin = 5_000;
const overtime = 5_000; // after expiresIn, to let the gateway report the timeout

/** What a program asks that runs the call itself. */
export interface Question extends AskBody {
  /** Names the call: asking again under it, in the same run, gives the same request. Made where there is none. */
  key?: string;
}

/** Runs a call with the arguments that were cleared. A text, or a whole ToolResult, is reported as it is, anything else as JSON. */
export type Run<R> = (args: JSONObject, how: { signal: AbortSignal; approval: Approval }) => R | Promise<R>;

/** The answer to the claim was lost: the approval may be used up. The call was not run. */
export class Unclear extends Error {
  override readonly name = 'Unclear';
  constructor(
    readonly approval: Approval,
    cause: unknown,
  ) {
    super('whether the approval was claimed is not known; the call was not run', { cause });
  }
}

/** The call has run, and the gateway could not be told what came of it: that is `result`. */
export class Unreported extends Error {
  override readonly name = 'Unreported';
  constructor(
    readonly result: unknown,
    cause: unknown,
  ) {
    super('the call has run, but its result could not be reported', { cause });
  }
}

/** See Lineclear.ask. */
export async function ask(gateway: Transport, question: Question, signal?: AbortSignal): Promise<Approval> {
  signal?.throwIfAborted();
  const { key = newKey(), ...body } = question;
  const bound = boundOf(body.expiresIn);
  let until = Date.now() + bound;
  const inTime = () => Date.now() < until;
  const put = (wait: string, sent: Sent) =>
    gateway.call<Approval>('POST', `/api/approvals${wait}`, {
      body,
      headers: { 'Idempotency-Key': key },
      ...sent,
    });
  try {
    const first = () => put(`?wait=${longestWait}`, { signal });
    let a = await patiently(first, signal, (error, times) => inTime() && (times > 0 || mayComeBack(error)));
    while (a.status === 'pending') {
      until = Date.now() + bound;
      const path = `${pathOf(a.approvalId)}?wait=${longestWait}`;
      a = await patiently(() => gateway.call<Approval>('GET', path, { signal }), signal, inTime);
    }
    signal?.throwIfAborted();
    return a;
  } catch (error) {
    if (!signal?.aborted) throw error;
    await withdraw(gateway, (sent) => put('', sent));
    throw signal.reason;
  }
}

/** See Lineclear.guard. */
export async function guard<R>(
  gateway: Transport,
  question: Question,
  run: Run<R>,
  signal: AbortSignal = new AbortController().signal,
): Promise<R> {
  const answered = await ask(gateway, question, signal);
  if (answered.status !== 'approved') throw new Refused(answered);
  const { args, approval } = await claim(gateway, answered);
  const report = (result: unknown) => tell(gateway, approval.approvalId, result);
  let result: R;
  try {
    result = await run(args as JSONObject, { signal, approval });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    await report({ text, isError: true }).catch(() => undefined); // what run threw matters more
    throw error;
  }
  await report(result).catch((error: unknown) => {
    throw new Unreported(result, error);
  });
  return result;
}

async function claim(gateway: Transport, answered: Approval): Promise<Claimed> {
  const path = pathOf(answered.approvalId);
  try {
    return await gateway.call<Claimed>('POST', `${path}/claim`, { signal: AbortSignal.timeout(claimWithin) });
  } catch (error) {
    if (!(error instanceof Problem)) throw new Unclear(answered, error);
    const now = await gateway.call<Approval>('GET', path).catch(() => undefined);
    throw now?.voided ? new Refused(now) : error;
  }
}

/** Reports a result, also where the caller has given up: the call did run. */
async function tell(gateway: Transport, approvalId: string, outcome: unknown): Promise<void> {
  const path = pathOf(approvalId);
  const signal = AbortSignal.timeout(reportWithin);
  let result = resultOf(outcome);
  let lost = false;
  await patiently(async () => {
    try {
      await gateway.call('POST', `${path}/result`, { body: result, signal });
    } catch (error) {
      if (error instanceof Problem && error.status === 413 && result.text !== tooLarge) {
        result = { text: tooLarge, isError: result.isError };
        return gateway.call('POST', `${path}/result`, { body: result, signal });
      }
      // It may have been taken, and the answer lost.
      const taken = lost && error instanceof Problem && error.status === 409;
      if (taken && (await gateway.call<Approval>('GET', path, { signal })).run === 'finished') return;
      lost ||= passing(error);
      throw error;
    }
  }, signal);
}

const fields = ['text', 'structured', 'images', 'isError'];

function resultOf(outcome: unknown): ToolResult {
  if (typeof outcome === 'string') return { text: outcome };
  const isWhole = isObject(outcome) && Object.keys(outcome).every((name) => fields.includes(name));
  if (isWhole && typeof outcome['text'] === 'string') return outcome as unknown as ToolResult;
  const text = writeJSON(outcome);
  return text === undefined ? { text: '' } : { text, structured: outcome };
}

const tooLarge = 'The result is too large to be kept.';

/** Withdraws a question. It asks again to learn the id, which may not be known yet. */
async function withdraw(gateway: Transport, put: (sent: Sent) => Promise<Approval>): Promise<void> {
  const sent = { signal: AbortSignal.timeout(withdrawWithin) };
  try {
    const { approvalId, status } = await put(sent);
    if (status === 'pending' || status === 'approved') {
      await gateway.call('POST', `${pathOf(approvalId)}/cancel`, { ...sent, body: { reason: 'asker_gone' } });
    }
  } catch {
    // The gateway withdraws it by itself once nobody waits for it.
  }
}

/** Calls until the gateway is reached, a failure does not go away by itself, or the signal is aborted. */
async function patiently<T>(
  act: () => Promise<T>,
  signal?: AbortSignal,
  goesOn: (error: unknown, times: number) => boolean = () => true,
): Promise<T> {
  for (let times = 0; ; times += 1) {
    try {
      return await act();
    } catch (error) {
      if (signal?.aborted || !passing(error) || !goesOn(error, times)) throw error;
      const named = error instanceof Problem ? error.retryAfter : undefined;
      await pause(Math.min(named === undefined ? again : named * 1000, longestAgain), signal);
      signal?.throwIfAborted();
    }
  }
}

/** Of the first attempt: whether the request may have arrived, or was refused for the moment. */
function mayComeBack(error: unknown): boolean {
  if (error instanceof Problem) return error.status === 429 || error.status === 503;
  return error instanceof Unreachable && error.mayHaveArrived;
}

const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** How long a gateway that is away is waited for, in milliseconds. */
function boundOf(expiresIn = ''): number {
  const parts = [...expiresIn.matchAll(/([\d.]+)(h|ms|m|s)/g)];
  const bound = parts.reduce((sum, [, n, unit]) => sum + Number(n) * units[unit!]!, 0);
  return parts.length > 0 ? bound + overtime : Infinity;
}

export const pathOf = (approvalId: string) => `/api/approvals/${encodeURIComponent(approvalId)}`;

// randomUUID is missing in pages that came by plain HTTP.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
