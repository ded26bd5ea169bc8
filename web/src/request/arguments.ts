import { head } from '../words/clipped';
import { isObject, pretty } from '../wire/json';

export interface ArgumentBlocks {
  /** Strings that read better as they are than as JSON: a command, a file's text. */
  plain: { name: string; text: string }[];
  /** The arguments that are not among them; undefined if there are none. */
  rest: unknown;
  restJSON: string;
  json: string; // of all
  lines: number;
  bytes: number;
  empty: boolean;
}

// What is longer is folded at first, and has to be opened before approving.
const foldLines = 28;
const foldChars = 2400;

export function argumentBlocks(args: unknown, command?: string): ArgumentBlocks {
  const empty = args === undefined || args === null || (isObject(args) && Object.keys(args).length === 0);
  const json = args === undefined ? '' : pretty(args);
  const plain: ArgumentBlocks['plain'] = [];
  if (typeof args === 'string') plain.push({ name: '', text: args });
  if (isObject(args)) {
    const members = Object.entries(args);
    for (const [name, value] of members) {
      if (typeof value !== 'string') continue;
      if (members.length === 1 || name === command || value.includes('\n')) plain.push({ name, text: value });
    }
  }
  const texts = [json, ...plain.map((p) => p.text)];
  const lines = Math.max(...texts.map((t) => t.split('\n').length));
  const rest = restOf(args, plain);
  const restJSON = rest === args ? json : rest === undefined ? '' : pretty(rest);
  return { plain, rest, restJSON, json, lines, bytes: new TextEncoder().encode(json).length, empty };
}

function restOf(args: unknown, plain: ArgumentBlocks['plain']): unknown {
  if (plain.length === 0) return args;
  if (!isObject(args)) return undefined;
  const rest = Object.entries(args).filter(([name]) => !plain.some((p) => p.name === name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

export function isLongArguments(blocks: ArgumentBlocks): boolean {
  return blocks.lines > foldLines || blocks.json.length > foldChars;
}

export function isLongText(text: string): boolean {
  return text.length > foldChars || text.split('\n', foldLines + 1).length > foldLines;
}

/** The parts of the arguments that scroll in a box of their own, and are read once its end was in view. */
export function longParts({ plain, restJSON }: ArgumentBlocks): string[] {
  const parts = plain.filter((p) => isLongText(p.text)).map((p) => textPart(p.name));
  return isLongText(restJSON) ? [...parts, allPart] : parts;
}

export const textPart = (name: string) => `text ${name}`;
export const allPart = 'all';

/** The beginning of a text, for a folded block. */
export function beginningOf(text: string, lines = 8, chars = 700): string {
  return head(text.split('\n').slice(0, lines).join('\n'), chars);
}

export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

// How many more characters than the command a message may have and still add nothing.
const around = 40;

/** Whether a message says more than the command, which is shown anyway. */
export function saysMore({ message, args }: { message?: string; args?: unknown }, command?: string): boolean {
  if (!message) return false;
  const line = command && isObject(args) ? args[command] : undefined;
  return typeof line !== 'string' || !message.includes(line) || message.length - line.length > around;
}

// Tools of agents and of coding programs that take a command line.
const shells = /^(?:shell|bash|sh|exec|run_command|execute_command|terminal)$/i;

/** The name of the argument that is a command line, where there is one. */
export function commandIn(request: {
  toolName?: string;
  args?: unknown;
  commands?: readonly unknown[];
}): string | undefined {
  const { toolName = '', args, commands } = request;
  if (!isObject(args) || typeof args['command'] !== 'string') return undefined;
  return shells.test(toolName) || (commands?.length ?? 0) > 0 ? 'command' : undefined;
}
