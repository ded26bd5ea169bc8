import { argumentBlocks } from '../request/arguments';
import { pretty } from '../wire/json';
import type { Approval } from '../wire/wire';

/** Which requests of the past are to be shown; what is empty does not matter. */
export interface HistoryQuery {
  status: string;
  agent: string;
  tool: string;
  person: string;
  text: string;
  from: string; // days, such as 2026-11-28
  to: string;
}

export const emptyQuery: HistoryQuery = {
  status: '',
  agent: '',
  tool: '',
  person: '',
  text: '',
  from: '',
  to: '',
};

export function isEmptyQuery(query: HistoryQuery): boolean {
  return Object.values(query).every((value: string) => value.trim() === '');
}

/** Those of a list that are wanted. */
export function filterHistory(list: readonly Approval[], query: HistoryQuery): Approval[] {
  const has = (text: string | undefined, part: string) =>
    (text ?? '').toLowerCase().includes(part.trim().toLowerCase());
  const from = query.from ? Date.parse(`${query.from}T00:00:00`) : -Infinity;
  const to = query.to ? endOf(query.to) : Infinity;
  return list.filter((a) => {
    const at = Date.parse(a.requestedAt);
    return (
      (!query.status || a.status === query.status) &&
      (!query.agent || a.agentId === query.agent) &&
      has(a.toolName, query.tool) &&
      has(a.response?.by?.subject, query.person) &&
      (!query.text.trim() || has(wordsOf(a), query.text)) &&
      at >= from &&
      at < to
    );
  });
}

// The next midnight: a day on which clocks are set has not 24 hours.
function endOf(day: string): number {
  const end = new Date(`${day}T00:00:00`);
  return end.setDate(end.getDate() + 1);
}

function wordsOf(a: Approval): string {
  const parts = [a.toolName, a.agentId, a.message, a.response?.message, a.policy?.rule, a.approvalId];
  return [...parts, a.args === undefined ? '' : pretty(a.args)].filter(Boolean).join('\n');
}

/** What a request was about, in a line. */
export function summaryOf(a: Approval): string {
  if (a.type === 'elicitation') return a.message ?? '';
  const blocks = argumentBlocks(a.args);
  const gist = blocks.plain[0]?.text ?? (blocks.empty ? '' : blocks.json);
  const line = gist.trim().replace(/\s+/g, ' ');
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
