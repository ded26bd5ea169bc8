import { describe, expect, it } from 'vitest';
import { changeOf } from './change';
import { diffRows, type DiffRow, type Layout } from './diffRows';

const lines = ['one', 'two', 'new', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const hunks = [
  '@@ -2,4 +2,3 @@',
  ' two',
  '-old',
  '-older',
  '+new',
  ' four',
  '@@ -9,2 +8,2 @@',
  ' eight',
  '-neun',
  '+nine',
];

const change = (toolName: string, diff: readonly string[] = hunks) =>
  changeOf({
    toolName,
    args: { path: 'f', content: `${lines.join('\n')}\n` },
    preview: { diff: ['--- f', '+++ f', ...diff, ''].join('\n') },
  })!;

const told = (row: DiffRow) => {
  if (row.kind === 'gap') return `${row.from}-${row.to}${row.known ? '' : ' unknown'}`;
  const side = (line: typeof row.left) => (line ? `${line.kind[0]} ${line.text}` : '');
  return row.left === row.right ? side(row.left) : `${side(row.left)}|${side(row.right)}`;
};

const rows = (toolName: string, layout: Layout, opened: string[] = [], diff?: readonly string[]) =>
  diffRows(change(toolName, diff), layout, new Set(opened)).rows.map(told);

describe('the rows of a change', () => {
  it('have one line each in one column, with gaps in between', () => {
    expect(rows('write_file', 'unified')).toEqual([
      '1-1',
      's two',
      'r old|',
      'r older|',
      '|a new',
      's four',
      '5-7',
      's eight',
      'r neun|',
      '|a nine',
      '10-10',
    ]);
  });

  it('pair removed lines with their replacements in two columns', () => {
    expect(rows('write_file', 'split').slice(1, 8)).toEqual([
      's two',
      'r old|a new',
      'r older|',
      's four',
      '5-7',
      's eight',
      'r neun|a nine',
    ]);
  });

  it('include the lines of a gap once it is opened', () => {
    expect(rows('write_file', 'unified', ['gap 5']).slice(5, 10)).toEqual([
      's four',
      's five',
      's six',
      's seven',
      's eight',
    ]);
    expect(rows('write_file', 'unified', ['gap 10']).at(-1)).toBe('s ten');
    const opened = diffRows(change('write_file'), 'unified', new Set(['gap 5'])).rows[6]!;
    expect(opened).toMatchObject({ left: { before: 6, after: 5 } });
  });

  it('don’t offer lines that are not known', () => {
    expect(rows('edit_file', 'unified', ['gap 5'])).toContain('5-7 unknown');
    expect(rows('edit_file', 'unified').at(-1)).toBe('|a nine');
  });

  it('keep a note after its line', () => {
    const open = [
      '@@ -1 +1 @@',
      '-x',
      '\\ No newline at end of file',
      '+one',
      '\\ No newline at end of file',
    ];
    expect(rows('edit_file', 'split', [], open)).toEqual([
      'r x|a one',
      'n No newline at end of file|n No newline at end of file',
    ]);
  });

  it('have unique keys, and each change starts at its first row', () => {
    for (const layout of ['unified', 'split'] as const) {
      const made = diffRows(change('write_file'), layout, new Set(['gap 1', 'gap 5', 'gap 10']));
      const keys = made.rows.map((row) => row.key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(made.starts).toEqual(['removed 3 3', 'removed 10 9']);
    }
  });
});
