import { describe, expect, it } from 'vitest';
import { readEdit, toEditableText, faultPosition } from './editableText';
import { parseJSON } from '../wire/json';
import { secretMark } from '../wire/secretMark';

describe('arguments as text to be changed', () => {
  it.each([
    '{"a": 1, "b": [true, null, "x\\ny"], "c": {}, "d": []}',
    '{"big": 12345678901234567890, "e": 1e400}',
    '{"odd": "a\\u202eb\\u200bc\\u00a0d", "tag": "\\udb40\\udc41"}',
    '{"\\u200bname": "a\\"b\\\\c", "__proto__": 1}',
  ])('%s comes back as it was', (text) => {
    const value = parseJSON(text);
    expect(parseJSON(toEditableText(value))).toEqual(value);
  });

  it('writes out what can’t be seen', () => {
    expect(toEditableText({ a: 'x\u202ey' })).toBe('{\n  "a": "x\\u202ey"\n}');
  });
});

describe('what is to be sent', () => {
  const shown = { command: 'uname -a', token: secretMark };

  it('is nothing while nothing is changed', () => {
    expect(readEdit(shown, toEditableText(shown))).toEqual({ steps: [] });
  });

  it.each(['{"x": 1.0}', '{"x": [1.50, -0]}', '{"x": 1e2, "id": "12e4"}'])(
    'is nothing where %s is left alone, and its numbers stay out of another change',
    (text) => {
      const value = parseJSON(`[${text}, "3e5"]`) as [Record<string, unknown>, string];
      const untouched = toEditableText(value[0]);
      expect(readEdit(value[0], untouched)).toEqual({ steps: [] });
      const added = untouched.replace(/\n}$/, ',\n  "new": "a 7e7"\n}');
      expect(readEdit(value[0], added).edit).toEqual({ new: 'a 7e7' });
    },
  );

  it('takes a number however it is written', () => {
    expect(readEdit({ a: 1 }, '{"a": 1.50, "b": [2e3]}').edit).toEqual({ a: 1.5, b: [2000] });
  });

  it('is the difference alone', () => {
    const text = toEditableText({ ...shown, command: 'uname' });
    expect(readEdit(shown, text).edit).toEqual({ command: 'uname' });
  });

  it.each([
    ['{"command": ', /not JSON/],
    ['[]', /one JSON object/],
    ['{"command": null, "token": "⟦masked⟧"}', /command: null/],
    ['{"command": "x", "token": "⟦masked⟧!"}', /token: the masked value/],
    ['{"command": 12345678901234567890, "token": "⟦masked⟧"}', /digits/],
  ])('is nothing of %s, and says why', (text, why) => {
    const draft = readEdit(shown, text);
    expect(draft.edit).toBeUndefined();
    expect(draft.fault).toMatch(why);
  });

  it('what the gateway says is put where it belongs', () => {
    const text = '{\n  "deep": {\n    "port": "x"\n  }\n}';
    expect(faultPosition(text, 'invalid answer: edit: deep.port: got string, want integer')).toBe(
      text.indexOf('"port"'),
    );
    expect(faultPosition(text, "invalid answer: edit: missing property 'host'")).toBeUndefined();
  });
});
