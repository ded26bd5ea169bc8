import { describe, expect, it } from 'vitest';
import { find, openedTo, treeRows, unfolded } from './treeRows';

const rows = treeRows({ a: { b: [1, { 'odd name': 'Needle' }], c: {} }, needles: null });
const paths = (list: typeof rows | readonly (typeof rows)[number][]) => list.map((row) => row.path);

describe('a tree of arguments', () => {
  it('lists every member with its path', () => {
    expect(paths(rows)).toEqual([
      '.a',
      '.a.b',
      '.a.b[0]',
      '.a.b[1]',
      '.a.b[1]["odd name"]',
      '.a.c',
      '.needles',
    ]);
  });

  it('leaves out what is inside a folded member', () => {
    expect(paths(unfolded(rows, new Set(['1'])))).toEqual(['.a', '.a.b', '.a.c', '.needles']);
    expect(paths(unfolded(rows, new Set(['0', '1'])))).toEqual(['.a', '.needles']);
  });

  it('is searched by names and values, case-insensitively, folded or not', () => {
    expect(paths(find(rows, 'needle'))).toEqual(['.a.b[1]["odd name"]', '.needles']);
    expect(paths(find(rows, 'NULL'))).toEqual(['.needles']);
    expect(find(rows, '')).toEqual([]);
  });

  it('is unfolded just far enough to show a row', () => {
    expect(openedTo(rows, new Set(['0', '1', '5']), rows[4]!)).toEqual(new Set(['5']));
    expect(openedTo(rows, new Set(['0', '1']), rows[0]!)).toEqual(new Set(['0', '1']));
  });
});
