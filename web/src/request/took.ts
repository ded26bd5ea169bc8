import { took } from '../words/talk';
import type { CallItem } from '../session/buildTranscript';
import type { ApprovalRequest, ApprovalResponse } from '../wire/wire';

/** The time from one instant of the journal to another, in words; empty where one is missing. */
export function between(from: string | undefined, to: string | undefined): string {
  if (!from || !to) return '';
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? took(seconds) : '';
}

/** How long a call ran: from its answer, or from the call where nobody had to answer, to its result. */
export function tookOf(item: CallItem): string {
  const answers = item.rounds.flatMap((r) =>
    r.response && r.request?.type !== 'elicitation' ? (r.response.at ?? []) : [],
  );
  return between(answers.at(-1) ?? item.at, item.resultAt);
}

const byNobody = ['policy', 'grant', 'system'];

/** How long somebody took to answer; empty where no person did. */
export function waitedFor(request: ApprovalRequest | undefined, response: ApprovalResponse): string {
  if (!response.by || byNobody.includes(response.by.via)) return '';
  return between(request?.requestedAt, response.at);
}
