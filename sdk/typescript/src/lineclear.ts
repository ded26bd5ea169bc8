import { ask, guard, pathOf, type Question, type Run } from './guard.js';
import { Transport } from './transport.js';
import type { Answer } from './generated.js';
import type { Approval, RunOf, Session, Status } from './types.js';
import { watch, type Watched, type WatchEvent } from './watch.js';

const pageSize = 500; // the largest page that the gateway gives

/** A person's answer. */
export type AnswerGiven = Omit<Answer, 'approvalId' | 'status' | 'reason'> & {
  status: Exclude<Status, 'pending'>;
};

/** Which approvals are wanted; without any field all of them. */
export interface Filter {
  status?: Status;
  sessionId?: string;
  agentId?: string;
}

/**
 * A running gateway, for programs that ask it and for programs that answer.
 *
 * Every method rejects with a Problem where the gateway refuses, and with an
 * Unreachable where there is no answer.
 */
export class Lineclear extends Transport {
  /**
   * Begins a run, in whose session the program asks; the same name is the same
   * run until that ends. An approval for the session holds in the run alone.
   */
  beginRun(run: RunOf = {}): Promise<Session> {
    return this.call('POST', '/api/runs', { body: run });
  }

  /** Ends a run and withdraws what it still asks. */
  async endRun(sessionId: string): Promise<void> {
    await this.call('DELETE', `/api/runs/${encodeURIComponent(sessionId)}`);
  }

  /**
   * Asks, and resolves with the approval once it is answered, whatever the
   * answer is. Once the gateway has been asked, restarts of it are waited
   * through, for `expiresIn` where the question has that; so is, in browsers,
   * a gateway that is not there at first. When the signal is aborted the
   * request is withdrawn, and the promise rejects with its reason.
   */
  ask(question: Question, { signal }: { signal?: AbortSignal } = {}): Promise<Approval> {
    return ask(this, question, signal);
  }

  /**
   * Asks, and when the call is cleared, runs it with the arguments that were
   * cleared, which an approver may have changed, and reports its result, which
   * it resolves with. What run throws is reported as an error and thrown on.
   *
   * Rejects with Refused where the call was not cleared, with Unclear where it
   * may have been and was not run, with Unreported where it has run and the
   * gateway could not be told, and with the signal's reason.
   */
  guard<R>(question: Question, run: Run<R>, { signal }: { signal?: AbortSignal } = {}): Promise<R> {
    return guard(this, question, run, signal);
  }

  /**
   * What happens, as it happens, until the signal is aborted. A broken stream
   * is opened again after pauses that grow: a session's goes on where it was,
   * any other begins with a snapshot, which replaces what was known before.
   */
  watch(what: Watched = {}): AsyncGenerator<WatchEvent> {
    return watch(this, what);
  }

  /** Answers a request. Where somebody was faster, the Problem's `body.response` is what stands. */
  answer(approvalId: string, answer: AnswerGiven): Promise<Approval> {
    return this.call('POST', pathOf(approvalId), { body: answer });
  }

  /** One approval as it is now. */
  approval(approvalId: string): Promise<Approval> {
    return this.call('GET', pathOf(approvalId));
  }

  /** Moves the deadline of the program's own request to a time from now, such as `90s`, within the policy's limit. */
  extend(approvalId: string, expiresIn: string): Promise<Approval> {
    return this.call('POST', `${pathOf(approvalId)}/extend`, { body: { expiresIn } });
  }

  /** The program's own requests under a key, newest first. */
  async asked(key: string): Promise<Approval[]> {
    const query = new URLSearchParams({ idempotencyKey: key });
    return (await this.call<{ approvals: Approval[] }>('GET', `/api/approvals?${query}`)).approvals;
  }

  /** The approvals that fit, newest first. */
  async *approvals(filter: Filter = {}): AsyncGenerator<Approval> {
    const query = new URLSearchParams({ ...filter, limit: String(pageSize) });
    for (let more = true; more;) {
      const page = await this.call<{ approvals: Approval[]; next?: string }>(
        'GET',
        `/api/approvals?${query}`,
      );
      yield* page.approvals;
      more = !!page.next;
      query.set('before', page.next ?? '');
    }
  }

  /** What waits for an answer; of all sessions where none is named. */
  async pending(sessionId?: string): Promise<Approval[]> {
    const list: Approval[] = [];
    for await (const a of this.approvals({ status: 'pending', ...(sessionId && { sessionId }) }))
      list.push(a);
    return list;
  }
}
