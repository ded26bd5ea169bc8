import type { Approvers, ApprovalRequest, Identity } from '../wire/wire';

/** Whether somebody may approve a request, as far as the rules say; the gateway decides again. */
export function mayApprove(identity: Identity | undefined, request: ApprovalRequest): boolean {
  const senders = sendersOf(request);
  return (request.approvers ?? []).every((demand) => satisfies(identity, demand, senders));
}

function satisfies(identity: Identity | undefined, demand: Approvers, senders: string[]): boolean {
  const { subjects = [], roles = [], notSender } = demand;
  const named = subjects.length + roles.length > 0;
  const one = subjects.includes(identity?.subject ?? '') || roles.some((r) => identity?.roles.includes(r));
  if (named && !one) return false;
  return !notSender || (senders.length > 0 && !senders.includes(identity?.subject ?? ''));
}

/** On whose word a request is made. */
export function sendersOf(request: ApprovalRequest): string[] {
  if (request.origin?.kind === 'program') return request.origin.subject ? [request.origin.subject] : [];
  return request.sentBy ?? [];
}
