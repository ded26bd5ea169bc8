import type { ApprovalRequest, RiskLevel } from '../wire/wire';

const ranks: Record<RiskLevel, number> = { low: 1, medium: 2, high: 3, critical: 4 };

type Risky = Pick<ApprovalRequest, 'risk' | 'type'>;

// A question has no risk and comes last. A call of which nothing is said may do
// anything; a word that this page does not know is taken for the worst.
export function riskRank({ risk, type }: Risky): number {
  if (risk?.level !== undefined) return ranks[risk.level] ?? 5;
  return type === 'tool_confirmation' ? ranks.high : 0;
}

/** What it takes to approve: the riskier, the harder to do by accident. */
export type Confirmation = 'press' | 'hold' | 'typed';

export function confirmationFor(request: Risky): Confirmation {
  const rank = riskRank(request);
  if (rank >= ranks.critical) return 'typed';
  return rank >= ranks.high ? 'hold' : 'press';
}

// What waits without limit comes after what has a deadline.
const forever = 8.64e15;

function at(time: string | undefined): number {
  return time === undefined ? forever : Date.parse(time);
}

/** Highest risk first, then what runs out of time first, then oldest first. */
export function byRisk(a: ApprovalRequest, b: ApprovalRequest): number {
  return (
    riskRank(b) - riskRank(a) ||
    at(a.expiresAt) - at(b.expiresAt) ||
    at(a.requestedAt) - at(b.requestedAt) ||
    compare(a.approvalId, b.approvalId)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
