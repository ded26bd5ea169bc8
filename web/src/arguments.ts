import { pretty } from './json';

export interface ArgumentBlocks {
  /** Strings that read better as they are than as JSON: a command, a file's text. */
  plain: { name: string; text: string }[];
  json: string;
  lines: number;
  bytes: number;
  empty: boolean;
}

// What is longer is folded at first, and has to be opened before approving.
const foldLines = 28;
const foldChars = 2400;

export function argumentBlocks(args: unknown): ArgumentBlocks {
  const empty = args === undefined || args === null || (isObject(args) && Object.keys(args).length === 0);
  const json = args === undefined ? '' : pretty(args);
  const plain: ArgumentBlocks['plain'] = [];
  if (typeof args === 'string') plain.push({ name: '', text: args });
  if (isObject(args)) {
    const members = Object.entries(args);
    for (const [name, value] of members) {
      if (typeof value !== 'string') continue;
      if (members.length === 1 || value.includes('\n')) plain.push({ name, text: value });
    }
  }
  const texts = [json, ...plain.map((p) => p.text)];
  const lines = Math.max(...texts.map((t) => t.split('\n').length));
  return { plain, json, lines, bytes: new TextEncoder().encode(json).length, empty };
}

export function isLong(blocks: ArgumentBlocks): boolean {
  return blocks.lines > foldLines || blocks.json.length > foldChars;
}

/** The beginning of a text, for a folded block. */
export function head(text: string, lines = 8, chars = 700): string {
  return text.split('\n').slice(0, lines).join('\n').slice(0, chars);
}

export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
