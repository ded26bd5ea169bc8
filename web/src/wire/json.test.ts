import { describe, expect, it } from 'vitest';
import { ExactNumber, parseJSON, pretty } from './json';

describe('JSON for showing', () => {
  it('keeps the digits of a number that JavaScript can’t hold', () => {
    const text = '{"id":9007199254740993,"list":[1,{"x":1e400}],"s":"a\\"b}"}';
    expect(pretty(parseJSON(text))).toBe(
      '{\n  "id": 9007199254740993,\n  "list": [\n    1,\n    {\n      "x": 1e400\n    }\n  ],\n  "s": "a\\"b}"\n}',
    );
  });

  it('reads everything else as JSON.parse does', () => {
    const text = '{"a":[],"b":{},"c":null,"d":true,"e":-1.5,"f":"é\\u202e","g":1234567890123456}';
    expect(parseJSON(text)).toEqual(JSON.parse(text));
  });

  it('shows a member named __proto__', () => {
    expect(pretty(parseJSON('{"__proto__":1,"n":90071992547409931}'))).toContain('"__proto__": 1');
  });

  it('refuses what is not JSON', () => {
    expect(() => parseJSON('{"a":1234567890123456789')).toThrow();
  });

  it('never takes a number kept by its digits for an object', () => {
    expect(pretty(new ExactNumber('1e400'))).toBe('1e400');
  });
});
