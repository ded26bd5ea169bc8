import { askerOf } from '../request/asker';
import { ExactNumber, pretty } from '../wire/json';
import { byRisk } from '../request/risk';
import type { ApprovalRequest } from '../wire/wire';

// What waits, as a person goes through it: filtered, searched, like beside like.

export interface Filter {
  risk: string; // '' for all, also below
  agent: string;
  tool: string;
  type: string;
  words: string;
}

export const noFilter: Filter = { risk: '', agent: '', tool: '', type: '', words: '' };

export function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((v: string) => v.trim() !== '');
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
  if (filter.type && request.type !== filter.type) return false;
  const wanted = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return true;
  const words = wordsOf(request, title);
  return wanted.every((w) => words.includes(w));
}

/** The form of arguments without what is in them: names and kinds. */
export function shapeOf(args: unknown): string {
  if (args === null || args === undefined) return '-';
  if (Array.isArray(args)) return '[]';
  if (args instanceof ExactNumber) return 'number';
  if (typeof args !== 'object') return typeof args;
  const members = Object.entries(args).map(([name, value]) => `${JSON.stringify(name)}:${shapeOf(value)}`);
  return `{${members.sort().join()}}`;
}

/** Requests that are alike: the same agent, tool and form of arguments, in one session. */
export function groupKey(request: ApprovalRequest): string {
  const known = groups.get(request) ?? nameGroup(request);
  groups.set(request, known);
  return known;
}

// Requests never change, and there may be many of them, and large.
const groups = new WeakMap<ApprovalRequest, string>();

function nameGroup(request: ApprovalRequest): string {
  const { sessionId, agentId, type, toolName = '', args } = request;
  return JSON.stringify([sessionId, agentId, type, toolName, askerOf(request), shapeOf(args)]);
}

/**
 * The riskiest first. The calls of one reply stay together, where the riskiest of
 * them stands, in the order in which the agent made them; so does what is alike
 * and comes from no reply.
 */
export function sortAndGroup(cards: readonly ApprovalRequest[]): ApprovalRequest[] {
  const sorted = [...cards].sort(byRisk);
  const sessions = new Map<string, Map<string, ApprovalRequest[]>>();
  for (const card of sorted) {
    const groups = sessions.get(card.sessionId) ?? new Map<string, ApprovalRequest[]>();
    sessions.set(card.sessionId, groups);
    const key = card.position ? ofReply : groupKey(card);
    groups.set(key, [...(groups.get(key) ?? []), card]);
  }
  return [...sessions.values()].flatMap((groups) =>
    [...groups].flatMap(([key, group]) => (key === ofReply ? group.sort(byCall) : group)),
  );
}

// An agent's session has one reply at a time whose calls wait.
const ofReply = 'reply';

function byCall(a: ApprovalRequest, b: ApprovalRequest): number {
  return (a.position ?? 0) - (b.position ?? 0) || Date.parse(a.requestedAt) - Date.parse(b.requestedAt);
}

/** What there is to choose from, in the order of the alphabet. */
export function filterChoices(cards: readonly ApprovalRequest[]): { agents: string[]; tools: string[] } {
  const agents = new Set(cards.map(askerOf).filter(Boolean));
  const tools = new Set(cards.map((c) => c.toolName ?? '').filter(Boolean));
  return { agents: [...agents].sort(), tools: [...tools].sort() };
}
