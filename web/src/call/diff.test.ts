import { describe, expect, it } from 'vitest';
import { changeOf } from './change';
import { parseDiff } from './diff';
import { golden } from '../test/golden';

const text = (path: string, ...lines: string[]) => [`--- ${path}`, `+++ ${path}`, ...lines, ''].join('\n');

describe('a diff', () => {
  it('is read line by line, with where each stands', () => {
    const diff = parseDiff(text('a.txt', '@@ -4,2 +4,2 @@', ' same', '-old', '+new'), 'a.txt');
    expect(diff).toMatchObject({ file: 'a.txt', added: 1, removed: 1 });
    expect(diff?.lines).toEqual([
      { kind: 'hunk', text: '@@ -4,2 +4,2 @@', line: 4 },
      { kind: 'same', text: 'same', line: 4 },
      { kind: 'removed', text: 'old', line: 5 },
      { kind: 'added', text: 'new', line: 5 },
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
    expect(open?.lines[1]).toEqual({ kind: 'note', text: 'No newline at end of file', line: 1 });
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

  it('is none without a diff that can be read', () => {
    expect(changeOf(request)).toBeUndefined();
    expect(changeOf({ ...request, preview: { diff: 'hello' } })).toBeUndefined();
  });
});
