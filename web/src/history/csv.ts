import { pretty } from '../wire/json';
import type { Approval } from '../wire/wire';

function secondsToAnswer(a: Approval): number | undefined {
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
