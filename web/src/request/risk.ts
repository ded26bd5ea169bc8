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

// How many reasons are shown beside the risk.
const mostReasons = 3;

/** Why a call is risky, shortened: "reaches the network (curl)" becomes "reaches the network". */
export function shortReasons(risk: ApprovalRequest['risk']): string[] {
  const short = (reason: string) => reason.replace(/\s*\([^()]*\)$/, '').replace(/(?<=.):\s.*$/s, '');
  return [...new Set((risk?.reasons ?? []).map(short))].slice(0, mostReasons);
}
