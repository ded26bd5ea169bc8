import type { ApprovalRequest, RiskLevel } from './wire';

const ranks: Record<RiskLevel, number> = { low: 1, medium: 2, high: 3, critical: 4 };

// A request that says nothing of its risk, such as a question, comes last; a
// word that this page does not know is taken for the worst.
export function riskRank(request: ApprovalRequest): number {
  const level = request.risk?.level;
  return level === undefined ? 0 : (ranks[level] ?? 5);
}

/** Highest risk first, then oldest first. */
export function byRisk(a: ApprovalRequest, b: ApprovalRequest): number {
  return (
    riskRank(b) - riskRank(a) ||
    a.requestedAt.localeCompare(b.requestedAt) ||
    a.approvalId.localeCompare(b.approvalId)
  );
}
