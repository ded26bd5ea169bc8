import { argumentBlocks } from '../request/arguments';
import { describe } from '../request/decision';
import { pretty } from '../wire/json';
import type { Approval } from '../wire/rest';

/** Which requests of the past are to be shown; what is empty does not matter. */
export interface Wanted {
  status: string;
  agent: string;
  tool: string;
  person: string;
  text: string;
  from: string; // days, such as 2026-11-28
  to: string;
}

export const anything: Wanted = { status: '', agent: '', tool: '', person: '', text: '', from: '', to: '' };

export function isAnything(wanted: Wanted): boolean {
  return Object.values(wanted).every((value: string) => value.trim() === '');
}

/** Those of a list that are wanted. */
export function chosenOf(list: readonly Approval[], wanted: Wanted): Approval[] {
  const has = (text: string | undefined, part: string) =>
    (text ?? '').toLowerCase().includes(part.trim().toLowerCase());
  const from = wanted.from ? Date.parse(`${wanted.from}T00:00:00`) : -Infinity;
  const to = wanted.to ? endOf(wanted.to) : Infinity;
  return list.filter((a) => {
    const at = Date.parse(a.requestedAt);
    return (
      (!wanted.status || a.status === wanted.status) &&
      (!wanted.agent || a.agentId === wanted.agent) &&
      has(a.toolName, wanted.tool) &&
      has(a.response?.by?.subject, wanted.person) &&
      (!wanted.text.trim() || has(wordsOf(a), wanted.text)) &&
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
export function gistOf(a: Approval): string {
  if (a.type === 'elicitation') return a.message ?? '';
  const blocks = argumentBlocks(a.args);
  const gist = blocks.plain[0]?.text ?? (blocks.empty ? '' : blocks.json);
  const line = gist.trim().replace(/\s+/g, ' ');
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

/** What became of it, in words; empty while it waits. */
export function outcomeOf(a: Approval): string {
  return a.response ? describe(a.response, a).title : '';
}

export function secondsToAnswer(a: Approval): number | undefined {
  const at = a.response?.at;
  return at ? (Date.parse(at) - Date.parse(a.requestedAt)) / 1000 : undefined;
}

const columns: [string, (a: Approval) => string | number | undefined][] = [
  ['requestedAt', (a) => a.requestedAt],
  ['agent', (a) => a.agentId],
  ['type', (a) => a.type],
  ['tool', (a) => a.toolName],
  ['status', (a) => a.status],
  ['reason', (a) => a.response?.reason],
  ['by', (a) => a.response?.by?.subject],
  ['via', (a) => a.response?.by?.via],
  ['answeredAt', (a) => a.response?.at],
  ['seconds', secondsToAnswer],
  ['scope', (a) => a.response?.scope],
  ['message', (a) => a.response?.message],
  ['risk', (a) => a.risk?.level],
  ['rule', (a) => a.policy?.rule],
  ['run', (a) => a.run],
  ['arguments', (a) => (a.args === undefined ? '' : pretty(a.args))],
  ['session', (a) => a.sessionId],
  ['approval', (a) => a.approvalId],
];

/** The list as comma-separated values (RFC 4180). */
export function asCSV(list: readonly Approval[]): string {
  const rows = [columns.map(([name]) => name), ...list.map((a) => columns.map(([, of]) => cell(of(a))))];
  return rows.map((row) => `${row.join(',')}\r\n`).join('');
}

// What begins like this a spreadsheet would take for a formula and run it; a
// quote in front makes it a text. Only what came as a number is left as one.
// Some take the full-width forms for the others.
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe;
}
