import { describe, expect, it } from 'vitest';
import { changeOf } from './change';
import { parseDiff } from './diff';
import { golden } from '../test/golden';
import type { ApprovalRequest } from '../wire/wire';

const text = (path: string, ...lines: string[]) => [`--- ${path}`, `+++ ${path}`, ...lines, ''].join('\n');

describe('a diff', () => {
  it('is read line by line, with where each stands', () => {
    const diff = parseDiff(text('a.txt', '@@ -4,2 +4,2 @@', ' same', '-old', '+new'), 'a.txt');
    expect(diff).toMatchObject({ file: 'a.txt', added: 1, removed: 1 });
    expect(diff?.lines).toEqual([
      { kind: 'same', text: 'same', before: 4, after: 4 },
      { kind: 'removed', text: 'old', before: 5, after: 5 },
      { kind: 'added', text: 'new', before: 6, after: 5 },
    ]);
  });

  it('takes lines of the file that look like its own syntax for lines of the file', () => {
    const diff = parseDiff(text('a', '@@ -1,2 +1,2 @@', '--- b', '+++ b', '-@@ -1 +1 @@', '+\\ x'));
    expect(diff?.lines.map((l) => l.text)).toEqual(['-- b', '++ b', '@@ -1 +1 @@', '\\ x']);
    expect(diff).toMatchObject({ file: 'a', added: 2, removed: 2 });
  });

  it('can’t be given lines by the name of the file', () => {
    const path = 'a\n@@ -1 +1 @@\n+harmless';
    const diff = parseDiff(text(path, '@@ -1 +1 @@', '-x', '+y'), path);
    expect(diff?.file).toBe(path);
    expect(diff?.lines.map((l) => l.text)).toEqual(['x', 'y']);
  });

  it('that is cut off, or ends without a line break, is read as far as it goes', () => {
    const cut = parseDiff(text('a', '@@ -0,0 +1,9 @@', '+1', '+2'));
    expect(cut?.added).toBe(2);
    const open = parseDiff(text('a', '@@ -1 +1 @@', '-x', '\\ No newline at end of file', '+y'));
    expect(open?.lines[1]).toEqual({ kind: 'note', text: 'No newline at end of file', before: 2, after: 1 });
  });

  it('numbers its lines even if one side has none', () => {
    const all = parseDiff(text('a', '@@ -3,2 +2,0 @@', '-x', '-y', '@@ -9,0 +8,2 @@', '+x', '+y'), 'a');
    expect(all?.lines.map((l) => [l.before, l.after])).toEqual([
      [3, 3],
      [4, 3],
      [10, 8],
      [10, 9],
    ]);
  });

  it('is none where it does not look like one', () => {
    expect(parseDiff('hello')).toBeUndefined();
    expect(parseDiff(text('a', 'hello'))).toBeUndefined();
    expect(parseDiff(text('a', '@@ -1 +1 @@', 'x'))).toBeUndefined();
  });
});

describe('a change', () => {
  const request = golden('approvalRequest', 'approvalRequest').data;
  const diff = text('a.txt', '@@ -0,0 +1 @@', '+x');

  it('leaves no argument out that the diff does not show', () => {
    const edit = { path: 'a.txt', old: 'y', new: 'x', all: true };
    const change = changeOf({ ...request, toolName: 'edit_file', args: edit, preview: { diff } });
    expect(change?.rest).toEqual({ all: true });
    const other = changeOf({ ...request, toolName: 'my_tool', args: edit, preview: { diff } });
    expect(other?.rest).toEqual(edit);
    const elsewhere = { path: '/etc/passwd', content: 'x' };
    expect(
      changeOf({ ...request, toolName: 'write_file', args: elsewhere, preview: { diff } })?.rest,
    ).toEqual({
      path: '/etc/passwd',
    });
  });

  it('counts the whole, and nothing if only part of it is known', () => {
    const counts = (preview: ApprovalRequest['preview']) => changeOf({ ...request, preview })?.counts;
    expect(counts({ diff, added: 139, removed: 12, omitted: 300 })).toEqual({ added: 139, removed: 12 });
    expect(counts({ diff })).toMatchObject({ added: 1, removed: 0 });
    expect(counts({ diff, omitted: 300 })).toBeUndefined();
  });

  it('is still one if all its lines are omitted', () => {
    const cut = text('a.txt', '@@ -1 +1 @@');
    expect(changeOf({ ...request, preview: { diff: cut, omitted: 2 } })?.diff.lines).toEqual([]);
    expect(changeOf({ ...request, preview: { diff: cut } })).toBeUndefined();
  });

  it('knows the lines between hunks if the arguments contain them unmasked', () => {
    const after = (content: string) =>
      changeOf({ ...request, toolName: 'write_file', args: { path: 'a.txt', content }, preview: { diff } })
        ?.after;
    expect(after('x\nrest\n')).toEqual(['x', 'rest']);
    expect(after('⟦masked⟧\nrest\n')).toBeUndefined();
  });

  it('is none without a diff that can be read', () => {
    expect(changeOf(request)).toBeUndefined();
    expect(changeOf({ ...request, preview: { diff: 'hello' } })).toBeUndefined();
  });
});
