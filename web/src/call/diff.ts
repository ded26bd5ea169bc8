// A unified diff, read by the counts of its hunks: a line of a file that looks
// like a part of the diff's own syntax is still a line of the file.

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'note';
  text: string; // without the sign
  before: number; // line number before the change; for an added line, that of the next line
  after: number; // line number after the change; for a removed line, that of the next line
}

export interface Diff {
  file: string;
  lines: readonly DiffLine[];
  added: number;
  removed: number;
}

const kinds: Partial<Record<string, DiffLine['kind']>> = { ' ': 'same', '+': 'added', '-': 'removed' };

/** Undefined for what is not a diff of one file; path is the file's name where it is known. */
export function parseDiff(text: string, path?: string): Diff | undefined {
  const header = headerOf(text, path);
  if (!header) return undefined;
  const diff = { file: header.file, lines: [] as DiffLine[], added: 0, removed: 0 };
  let before = { at: 0, left: 0 };
  let after = { at: 0, left: 0 };
  const body = text.slice(header.length).split('\n');
  if (body.at(-1) === '') body.pop();
  for (const raw of body) {
    if (raw.startsWith('\\')) {
      diff.lines.push({ kind: 'note', text: raw.slice(1).trim(), before: before.at, after: after.at });
      continue;
    }
    if (before.left <= 0 && after.left <= 0) {
      const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(raw);
      if (!hunk) return undefined;
      before = startOf(hunk[1]!, hunk[2]);
      after = startOf(hunk[3]!, hunk[4]);
      continue;
    }
    const kind = raw === '' ? 'same' : kinds[raw[0]!];
    if (!kind) return undefined;
    diff.lines.push({ kind, text: raw.slice(1), before: before.at, after: after.at });
    if (kind === 'added') diff.added++;
    if (kind === 'removed') diff.removed++;
    if (kind !== 'added') before = { at: before.at + 1, left: before.left - 1 };
    if (kind !== 'removed') after = { at: after.at + 1, left: after.left - 1 };
  }
  return diff;
}

// A side with 0 lines gives the number of the line before it.
function startOf(line: string, count = '1'): { at: number; left: number } {
  const left = Number(count);
  return { at: Number(line) + (left === 0 ? 1 : 0), left };
}

// A name that holds line breaks could bring lines of its own into the diff, so
// the name that the call gives goes before what is read.
function headerOf(text: string, path: string | undefined): { file: string; length: number } | undefined {
  if (path !== undefined) {
    const expected = `--- ${path}\n+++ ${path}\n`;
    if (text.startsWith(expected)) return { file: path, length: expected.length };
  }
  const header = /^--- ([^\n]*)\n\+\+\+ ([^\n]*)\n/.exec(text);
  return header ? { file: header[2]!, length: header[0].length } : undefined;
}
