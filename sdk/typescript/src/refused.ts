import type { Approval, ApprovalResponse, Reason } from './types.js';

// An observed call runs.
const words: Record<Exclude<Reason, 'observed'>, (r: ApprovalResponse, a: Approval) => string> = {
  user_denied: (r) => `Denied by ${who(r)}${because(r)} Do not repeat the call unchanged.`,
  policy_denied: (r) =>
    `Denied by the policy${because(r)} Nobody was asked. Do not repeat the call unchanged.`,
  timeout: (_, a) => `Not run: nobody answered${within(a)}. No person refused it.${often(a)}`,
  user_cancelled: (r) => `Not run: the request was cancelled by ${who(r)}${because(r)}`,
  system_cancelled: (r) => `Not run: the request was cancelled by the system${because(r)}`,
  superseded: () => 'Not run: the call was asked again.',
  validation_failed: (r) => `Not run: the arguments can't be used${because(r)} Nobody was asked.`,
  no_handler: () => 'Not run: nobody can be asked for approval at the moment.',
  handler_failed: (r) => `Not run: asking for approval failed${because(r)}`,
  asker_gone: () => 'Not run: the program that asked no longer waits for the answer.',
  halted: (r) => `Not run: ${who(r)} has halted this agent. Nothing is run until the halt is lifted.`,
  too_many_pending: () =>
    'Not run: so many requests of this agent wait for an answer already that nobody was asked. ' +
    'Wait for those, and ask for less at a time.',
};

/** The call was not approved. A model can be shown the message, which says by whom it was refused, and why. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** Why, such as `user_denied` (by a person), `policy_denied` (by a rule) or `timeout` (nobody answered). */
  readonly reason: Reason | undefined;

  constructor(readonly approval: Approval) {
    const last = approval.voided ?? approval.response;
    const say = last?.reason && last.reason !== 'observed' && words[last.reason];
    super(say ? say(last, approval) : 'Not run: the call was not approved.');
    this.reason = last?.reason;
  }
}

const who = (r: ApprovalResponse) => r.by?.subject ?? 'somebody';

function because({ message = '' }: ApprovalResponse): string {
  const text = message.trim();
  if (!text) return '.';
  return `: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function often({ unanswered = 0 }: Approval): string {
  return unanswered > 0 ? ` This same call has gone without an answer ${unanswered + 1} times now.` : '';
}

function within({ requestedAt, expiresAt }: Approval): string {
  return expiresAt ? ` within ${Math.round((Date.parse(expiresAt) - Date.parse(requestedAt)) / 1000)} s` : '';
}
