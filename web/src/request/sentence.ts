import { isObject, pretty } from '../wire/json';
import type { Origin } from '../wire/wire';
import { commandIn } from './arguments';
import { isFromProgram } from './asker';

interface Told {
  toolName?: string | undefined;
  message?: string | undefined;
  args?: unknown;
  commands?: readonly unknown[];
  origin?: Origin;
}

const most = 200;

/** What a request is about, in one line: its command, message or arguments. For lists, never for deciding. */
export function sentenceOf(request: Told): { code?: string; text: string } {
  const { toolName = '', message, args } = request;
  const command = commandIn(request);
  if (command && isObject(args)) return { code: inOneLine(String(args[command])), text: '' };
  // A program's message is its own and not the tool's, so the tool is named too.
  if (message && isFromProgram(request))
    return { text: inOneLine([toolName, message].filter(Boolean).join(': ')) };
  if (message) return { text: inOneLine(message) };
  return { text: inOneLine([toolName, argumentsOf(args)].filter(Boolean).join(' ')) };
}

/** The arguments with their names, short ones first: long ones say little. */
function argumentsOf(args: unknown): string {
  if (args === undefined || args === null) return '';
  if (!isObject(args)) return pretty(args);
  const told = Object.entries(args).map(
    ([name, value]) => [name, typeof value === 'string' ? value : pretty(value)] as const,
  );
  return told
    .sort(([, a], [, b]) => Number(a.length > 60) - Number(b.length > 60))
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}

function inOneLine(text: string): string {
  const line = text
    .trim()
    .slice(0, 2 * most)
    .replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
