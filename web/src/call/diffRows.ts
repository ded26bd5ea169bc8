import type { Change } from './change';
import type { DiffLine } from './diff';

/** One line, two lines side by side, or a gap: unchanged lines that aren't shown. */
export type DiffRow =
  | { kind: 'lines'; key: string; left: DiffLine | undefined; right: DiffLine | undefined }
  | { kind: 'gap'; key: string; from: number; to: number; known: boolean };

export type Layout = 'unified' | 'split';

/** The rows of a diff, and the key of the first row of each change in it. */
export interface DiffRows {
  rows: DiffRow[];
  starts: string[];
}

/** Unified rows have one line: removed ones on the left, unchanged ones on both sides, others on the right. */
export function diffRows(change: Change, layout: Layout, opened: ReadonlySet<string>): DiffRows {
  const made: DiffRows = { rows: [], starts: [] };
  let next = { before: 1, after: 1 };
  for (const block of blocksOf(change.diff.lines)) {
    const [first] = block;
    addGap(made, change, next, first!.after, opened);
    const start = made.rows.length;
    if (layout === 'split') addPairs(made, block);
    else addLines(made, block);
    if (first!.kind !== 'same') made.starts.push(made.rows[start]!.key);
    next = block.reduce(follow, { before: first!.before, after: first!.after });
  }
  if (change.omitted === 0 && change.after) addGap(made, change, next, change.after.length + 1, opened);
  return made;
}

interface Place {
  before: number;
  after: number;
}

function follow({ before, after }: Place, { kind }: DiffLine): Place {
  if (kind === 'note') return { before, after };
  return { before: before + (kind === 'added' ? 0 : 1), after: after + (kind === 'removed' ? 0 : 1) };
}

/** Lines that belong together: unchanged ones, or removed ones with their replacements. */
function* blocksOf(lines: readonly DiffLine[]): Generator<DiffLine[]> {
  let block: DiffLine[] = [];
  let kind = '';
  let at: Place | undefined;
  for (const line of lines) {
    const ends = line.kind !== 'note' && (line.kind === 'same' ? 'same' : 'changed') !== kind;
    const jumps = at && (line.before !== at.before || line.after !== at.after);
    if (block.length > 0 && (ends || jumps)) {
      yield block;
      block = [];
    }
    if (line.kind !== 'note') kind = line.kind === 'same' ? 'same' : 'changed';
    block.push(line);
    at = follow(line, line);
  }
  if (block.length > 0) yield block;
}

function addGap(made: DiffRows, { after }: Change, from: Place, to: number, opened: ReadonlySet<string>) {
  if (to <= from.after) return;
  const key = `gap ${from.after}`;
  if (!after || !opened.has(key)) {
    made.rows.push({ kind: 'gap', key, from: from.after, to: to - 1, known: after !== undefined });
    return;
  }
  for (let line = from.after; line < to; line++) {
    const before = from.before + line - from.after;
    const same: DiffLine = { kind: 'same', text: after[line - 1]!, before, after: line };
    made.rows.push({ kind: 'lines', key: keyOf(same), left: same, right: same });
  }
}

function addLines({ rows }: DiffRows, block: readonly DiffLine[]) {
  for (const line of block) {
    const [left, right] = line.kind === 'same' ? [line, line] : sides(line);
    rows.push({ kind: 'lines', key: keyOf(line), left, right });
  }
}

const sides = (line: DiffLine) => (line.kind === 'removed' ? [line, undefined] : [undefined, line]);

const keyOf = ({ kind, before, after }: DiffLine) => `${kind} ${before} ${after}`;

function addPairs({ rows }: DiffRows, block: readonly DiffLine[]) {
  if (block[0]!.kind === 'same') {
    addLines({ rows, starts: [] }, block);
    return;
  }
  // A note belongs to the line before it.
  const left: DiffLine[] = [];
  const right: DiffLine[] = [];
  let side = left;
  for (const line of block) {
    if (line.kind !== 'note') side = line.kind === 'removed' ? left : right;
    side.push(line);
  }
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const line = (left[i] ?? right[i])!;
    rows.push({ kind: 'lines', key: keyOf(line), left: left[i], right: right[i] });
  }
}

/** Maps removed lines to the added lines that replace them, and back. */
export function partners(lines: readonly DiffLine[]): Map<DiffLine, DiffLine> {
  const found = new Map<DiffLine, DiffLine>();
  for (const block of blocksOf(lines)) {
    const removed = block.filter((line) => line.kind === 'removed');
    const added = block.filter((line) => line.kind === 'added');
    for (let i = 0; i < Math.min(removed.length, added.length); i++) {
      found.set(removed[i]!, added[i]!).set(added[i]!, removed[i]!);
    }
  }
  return found;
}
