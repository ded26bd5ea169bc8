import { describe, expect, it } from 'vitest';
import { isObject, parseJSON } from '../wire/json';
import { secretMark } from '../wire/secretMark';
import { patchOf, sameJSON } from './mergePatch';

type Members = Record<string, unknown>;

/** RFC 7396, as the gateway applies it. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Members = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = apply(result[name], value);
  }
  return result;
}

describe('the difference as a merge patch', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, {}],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: 1, b: 2 }, { b: 2 }, { a: null }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    [{ a: { b: 1 } }, { a: {} }, { a: { b: null } }],
    [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
    [{ a: 'x' }, { a: { b: 'y' } }, { a: { b: 'y' } }],
    [{ a: { b: 'y' } }, { a: 'x' }, { a: 'x' }],
    [{}, { list: [null] }, { list: [null] }],
  ])('of %j and %j is %j, and gives the second again', (shown, edited, edit) => {
    const patch = patchOf(shown, edited);
    expect(patch.edit).toEqual(edit);
    expect(patch.fault).toBeUndefined();
    expect(sameJSON(apply(shown, patch.edit), edited)).toBe(true);
  });

  it('names each step by its place', () => {
    const { steps } = patchOf({ a: { b: 1 }, c: 2 }, { a: { b: 5 }, d: 3 });
    expect(steps.map((s) => [s.kind, s.path, s.before, s.after])).toEqual([
      ['removed', 'c', 2, undefined],
      ['set', 'a.b', 1, 5],
      ['set', 'd', undefined, 3],
    ]);
  });

  it('leaves what is masked alone', () => {
    const shown = { token: secretMark, port: 1, deep: { key: secretMark, n: 1 } };
    const patch = patchOf(shown, { token: secretMark, port: 2, deep: { key: secretMark, n: 2 } });
    expect(patch.edit).toEqual({ port: 2, deep: { n: 2 } });
    expect(patch.fault).toBeUndefined();
  });

  it.each([
    [{ a: [secretMark] }, { a: [secretMark, 1] }, 'masked'],
    [{ a: 1 }, { a: `x ${secretMark}` }, 'masked'],
    [{ a: 1 }, { a: null }, 'null'],
    [{ a: 1 }, { a: 1, b: { c: null } }, 'null'],
  ])('can’t be sent from %j to %j: %s', (shown, edited, kind) => {
    expect(patchOf(shown, edited).fault?.kind).toBe(kind);
  });

  it('a number that this page can’t hold stays as it is, and is not sent', () => {
    const shown = parseJSON('{"id": 12345678901234567890, "n": 1}') as Members;
    const kept = parseJSON('{"id": 12345678901234567890, "n": 2}') as Members;
    const other = parseJSON('{"id": 12345678901234567891, "n": 1}') as Members;
    expect(patchOf(shown, kept)).toMatchObject({ edit: { n: 2 } });
    expect(patchOf(shown, kept).fault).toBeUndefined();
    expect(patchOf(shown, other).fault).toEqual({ kind: 'inexact', path: 'id' });
  });
});
