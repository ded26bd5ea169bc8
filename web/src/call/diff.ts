// A unified diff, read by the counts of its hunks: a line of a file that looks
// like a part of the diff's own syntax is still a line of the file.

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string; // without the sign
  line: number; // where it stands in the file afterwards; a removed one, before
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
      diff.lines.push({ kind: 'note', text: raw.slice(1).trim(), line: after.at });
      continue;
    }
    if (before.left <= 0 && after.left <= 0) {
      const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(raw);
      if (!hunk) return undefined;
      before = { at: Number(hunk[1]), left: Number(hunk[2] ?? 1) };
      after = { at: Number(hunk[3]), left: Number(hunk[4] ?? 1) };
      // That a file begins at its first line goes without saying.
      if (diff.lines.length > 0 || after.at > 1) diff.lines.push({ kind: 'hunk', text: raw, line: after.at });
      continue;
    }
    const kind = raw === '' ? 'same' : kinds[raw[0]!];
    if (!kind) return undefined;
    diff.lines.push({ kind, text: raw.slice(1), line: kind === 'removed' ? before.at : after.at });
    if (kind === 'added') diff.added++;
    if (kind === 'removed') diff.removed++;
    if (kind !== 'added') before = { at: before.at + 1, left: before.left - 1 };
    if (kind !== 'removed') after = { at: after.at + 1, left: after.left - 1 };
  }
  return diff.lines.length > 0 ? diff : undefined;
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
