import { formatDuration } from '../words/durations';
import type { ApprovalRequest, ApprovalResponse } from '../wire/wire';

/** The time from one instant of the journal to another, in words; empty where one is missing. */
export function durationBetween(from: string | undefined, to: string | undefined): string {
  if (!from || !to) return '';
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? formatDuration(seconds) : '';
}

const byNobody = ['policy', 'grant', 'system'];

/** How long somebody took to answer; empty where no person did. */
export function timeToAnswer(request: ApprovalRequest | undefined, response: ApprovalResponse): string {
  if (!response.by || byNobody.includes(response.by.via)) return '';
  return durationBetween(request?.requestedAt, response.at);
}
