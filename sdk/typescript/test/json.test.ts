import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExactNumber, parseExactly, parseJSON, readJSON, writeJSON } from '../src/index.js';

describe('JSON', () => {
  const exact = (source: string) => new ExactNumber(source);
  const rows: [string, string, unknown][] = [
    ['an integer beyond 2^53', '9007199254740993', exact('9007199254740993')],
    [
      'a negative one, deep inside',
      '{"a":[{"b":-9007199254740993}]}',
      { a: [{ b: exact('-9007199254740993') }] },
    ],
    ['the largest safe integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['a number too large', '1e400', exact('1e400')],
    ['a number too small', '1e-400', exact('1e-400')],
    ['a fraction with more digits than are kept', '0.1234567890123456789', exact('0.1234567890123456789')],
    ['a fraction in another form', '[1.50,2E3,"4e1"]', [1.5, 2000, '4e1']],
    ['digits in a text', '{"a":"9007199254740993"}', { a: '9007199254740993' }],
  ];
  for (const [name, text, value] of rows) {
    it(`keeps ${name}`, () => assert.deepEqual(readJSON(text), value));
  }

  it('for showing is as it was written', () => {
    assert.deepEqual(parseJSON('[1.50,9007199254740993]'), [exact('1.50'), exact('9007199254740993')]);
    assert.deepEqual(parseExactly('1.50'), exact('1.50'));
  });

  it('is written with every digit, and otherwise as JSON.stringify does', () => {
    const value = {
      a: exact('9007199254740993'),
      b: 9007199254740995n,
      c: [undefined, null, 'ü"'],
      d: undefined,
    };
    assert.equal(writeJSON(value), '{"a":9007199254740993,"b":9007199254740995,"c":[null,null,"ü\\""]}');
    const plain = { at: new Date(0), n: NaN, o: { t: true }, f: () => 1, s: '\u2028' };
    assert.equal(writeJSON(plain), JSON.stringify(plain));
    assert.equal(writeJSON(undefined), undefined);
  });

  it('gives the digits to who asks for them', () => {
    assert.equal(BigInt(String(readJSON('9007199254740993'))), 9007199254740993n);
  });
});
