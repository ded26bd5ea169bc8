import { askerOf } from '../request/asker';
import { riskRank } from '../request/risk';
import { pretty } from '../wire/json';
import type { ApprovalRequest } from '../wire/wire';

// Search, filters and order of the waiting requests, all kept in the URL.

export const orders = ['risk', 'time', 'oldest', 'newest'] as const;
export type Order = (typeof orders)[number];

/** '' matches all. */
export interface Filter {
  q: string;
  risk: string;
  agent: string;
  tool: string;
  show: '' | 'ending' | 'skipped';
  sort: Order;
}

export const noFilter: Filter = { q: '', risk: '', agent: '', tool: '', show: '', sort: 'risk' };

/** The filter in a URL; unknown values are ignored. */
export function filterIn(query: URLSearchParams): Filter {
  const of = (name: keyof Filter) => query.get(name) ?? '';
  const show = of('show');
  return {
    q: of('q'),
    risk: of('risk'),
    agent: of('agent'),
    tool: of('tool'),
    show: show === 'ending' || show === 'skipped' ? show : '',
    sort: orders.find((o) => o === of('sort')) ?? 'risk',
  };
}

export function queryOf(filter: Filter): URLSearchParams {
  const set = Object.entries(filter).filter(([name, value]) => value !== noFilter[name as keyof Filter]);
  return new URLSearchParams(set as [string, string][]);
}

export function isFiltered({ sort: _order, ...filter }: Filter): boolean {
  return Object.values(filter).some((v) => v.trim() !== '');
}

/** The words that are searched: tool, arguments, session, and who asks. */
function wordsOf(request: ApprovalRequest, title: string): string {
  const { toolName, message, agentId, args } = request;
  const text = args === undefined ? '' : pretty(args);
  return [toolName, message, agentId, askerOf(request), title, text].join('\n').toLowerCase();
}

export function matches(request: ApprovalRequest, filter: Filter, title: string): boolean {
  if (filter.risk && (request.risk?.level ?? 'none') !== filter.risk) return false;
  if (filter.agent && askerOf(request) !== filter.agent) return false;
  if (filter.tool && (request.toolName ?? '') !== filter.tool) return false;
  const wanted = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return true;
  const words = wordsOf(request, title);
  return wanted.every((w) => words.includes(w));
}

// Requests without a deadline come last.
const forever = 8.64e15;

// Requests of the same moment belong to one reply and keep the order of its calls.
const byAge = (a: ApprovalRequest, b: ApprovalRequest) =>
  Date.parse(a.requestedAt) - Date.parse(b.requestedAt) ||
  (a.position ?? 0) - (b.position ?? 0) ||
  a.approvalId.localeCompare(b.approvalId);

/** To the second: the deadlines of one reply's calls differ slightly. */
const ends = ({ expiresAt }: ApprovalRequest) =>
  expiresAt ? Math.floor(Date.parse(expiresAt) / 1000) : forever;

const byTime = (a: ApprovalRequest, b: ApprovalRequest) => ends(a) - ends(b) || byAge(a, b);

const comparers: Record<Order, (a: ApprovalRequest, b: ApprovalRequest) => number> = {
  risk: (a, b) => riskRank(b) - riskRank(a) || byTime(a, b),
  time: byTime,
  oldest: byAge,
  newest: (a, b) => byAge(b, a),
};

export function inOrder(cards: readonly ApprovalRequest[], order: Order): ApprovalRequest[] {
  return [...cards].sort(comparers[order]);
}

/** What there is to choose from, in the order of the alphabet. */
export function filterChoices(cards: readonly ApprovalRequest[]): { agents: string[]; tools: string[] } {
  const agents = new Set(cards.map(askerOf).filter(Boolean));
  const tools = new Set(cards.map((c) => c.toolName ?? '').filter(Boolean));
  return { agents: [...agents].sort(), tools: [...tools].sort() };
}
