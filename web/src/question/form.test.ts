import { describe, expect, it } from 'vitest';
import { collect, formOf, faultsByField, type Field } from './form';
import { parseJSON } from '../wire/json';

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

function field(property: object, rest: object = {}): Field {
  const form = formOf(object({ x: property }, rest));
  if (form.kind !== 'fields') throw new Error('not fields');
  return form.fields[0]!;
}

const send = (schema: object, ...values: string[]) => {
  const { data, faults } = collect(formOf(schema), { values });
  return { data, faults: [...faults.keys()] };
};

describe('a form from a schema', () => {
  it.each([
    ['a string has room for lines', { type: 'string' }, 'lines'],
    ['a short string is one line', { type: 'string', maxLength: 40 }, 'text'],
    ['a string with a pattern is one line', { type: 'string', pattern: '^a' }, 'text'],
    ['a string with a format is one line', { type: 'string', format: 'email' }, 'text'],
    ['a number', { type: 'number' }, 'number'],
    ['an integer', { type: 'integer' }, 'integer'],
    ['a boolean', { type: 'boolean' }, 'boolean'],
    ['an enum', { type: 'string', enum: ['a', 'b'] }, 'choice'],
    ['titled choices', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
  ])('%s', (_, property, kind) => {
    expect(field(property).kind).toBe(kind);
  });

  it.each([
    ['a nested object', object({ x: object({}) })],
    ['a list', object({ x: { type: 'array' } })],
    ['a reference', object({ x: { $ref: '#/$defs/y' } })],
    ['several types at once', object({ x: { type: ['string', 'null'] } })],
    ['a condition', object({ x: { type: 'string' } }, { if: {} })],
    ['something required that has no field', object({}, { required: ['y'] })],
    ['choices that are no single values', object({ x: { enum: [{}] } })],
    ['something else than an object', { type: 'string' }],
  ])('%s is answered as JSON', (_, schema) => {
    expect(formOf(schema).kind).toBe('json');
  });

  it('is none without a schema', () => {
    expect(formOf(undefined)).toEqual({ kind: 'none' });
    expect(collect({ kind: 'none' }, {})).toEqual({ faults: new Map() });
  });

  it('shows the value of a choice beside its title', () => {
    const { options } = field({ enum: ['stg', 'prod'], enumNames: ['Staging', 'prod'] });
    expect(options.map((o) => o.label)).toEqual(['Staging (stg)', 'prod']);
  });

  it('asks what is required first where the order of the fields was lost, and else keeps it', () => {
    const names = (schema: object) => {
      const form = formOf(schema);
      return form.kind === 'fields' && form.fields.map((f) => f.name);
    };
    const one = { type: 'string' };
    expect(names(object({ a: one, b: one, c: one }, { required: ['c', 'b'] }))).toEqual(['c', 'b', 'a']);
    expect(names(object({ b: one, a: one, c: one }, { required: ['c'] }))).toEqual(['b', 'a', 'c']);
  });

  it('begins with the defaults, and with no choice where there is none', () => {
    expect(field({ type: 'integer', default: 8080 }).initial).toBe('8080');
    expect(field({ type: 'boolean', default: false }).initial).toBe('false');
    expect(field({ type: 'boolean' }).initial).toBe('');
    expect(field({ enum: ['a', 'b'], default: 'b' }).initial).toBe('1');
    expect(field({ type: 'string', default: 5 }).initial).toBe('');
    expect(formOf(object({ x: { type: 'array', default: [1] }, y: { type: 'string' } }))).toEqual({
      kind: 'json',
      initial: '{\n  "x": [\n    1\n  ]\n}',
    });
  });
});

describe('what is sent', () => {
  const all = object({
    text: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    sure: { type: 'boolean' },
    size: { enum: [1, 'two', null, true] },
  });

  it('has each value in its own type', () => {
    expect(send(all, 'a\nb', '7', '0.5', 'false', '0').data).toEqual({
      text: 'a\nb',
      count: 7,
      share: 0.5,
      sure: false,
      size: 1,
    });
    expect(send(all, '', '', '', '', '2').data).toEqual({ size: null });
  });

  it('leaves out what was left open', () => {
    expect(send(all, '', ' ', '', '', '')).toEqual({ data: {}, faults: [] });
  });

  it('is held back where something required is open', () => {
    expect(send({ ...all, required: ['text', 'sure'] }, '', '', '', '', '').faults).toEqual([0, 3]);
  });

  it.each(['abc', '1.5', '0x10', '1e3', '9007199254740993'])('has no integer %s', (typed) => {
    expect(send(object({ x: { type: 'integer' } }), typed).faults).toEqual([0]);
  });

  it.each(['abc', '1,5', 'NaN', 'Infinity', '1e999', '0.12345678901234567891'])(
    'has no number %s',
    (typed) => {
      expect(send(object({ x: { type: 'number' } }), typed).faults).toEqual([0]);
    },
  );

  it.each([
    ['email', 'ada@example.com', ['nonsense', '@', 'ada@']],
    ['date', '2028-02-29', ['31.12.2026', '2026-02-30', 'tomorrow']],
    [
      'date-time',
      '2026-11-27T12:30:00.5+02:00',
      ['2026-11-27', '2026-11-27T12:30:00', '2026-02-30T12:30:00Z'],
    ],
    ['uri', 'https://example.com/a', ['not a uri', 'example.com']],
  ])('has the format %s', (format, right, wrong) => {
    const schema = object({ x: { type: 'string', format } });
    expect(send(schema, right)).toEqual({ data: { x: right }, faults: [] });
    expect(send(schema, '')).toEqual({ data: {}, faults: [] });
    for (const typed of wrong) expect([typed, send(schema, typed).faults]).toEqual([typed, [0]]);
    expect(collect(formOf(schema), { values: [wrong[0]!] }).faults.get(0)).toMatch(/^Enter an? .+\.$/);
  });

  it('has nothing in the place of an answer that the person did not see', () => {
    const schema = object({
      word: { type: 'string', default: 'go' },
      n: { type: 'integer', default: 3 },
      of: { type: 'array', items: { enum: ['a', 'b'] }, default: ['a'] },
      wipe: { type: 'boolean', default: true },
    });
    const all = { word: 'go', n: 3, of: ['a'], wipe: true };
    expect(collect(formOf(schema), {}).data).toEqual(all);
    expect(send(schema, '', '4', '', 'false')).toEqual({
      data: { word: '', n: 4, of: [], wipe: false },
      faults: [],
    });
    expect(send(schema, 'go', '', '0', 'true').faults).toEqual([1]);
  });

  it('may be called by any name', () => {
    const schema = parseJSON('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object;
    expect(JSON.stringify(send(schema, 'x').data)).toBe('{"__proto__":"x"}');
  });

  it('is one object where it is written as JSON', () => {
    const form = formOf(object({ x: { type: 'array' } }));
    expect(collect(form, { json: '{"x":[1]}' }).data).toEqual({ x: [1] });
    for (const json of ['', '[1]', '{', '"x"', '{"x":12345678901234567890}']) {
      expect(collect(form, { json }).faults.size).toBe(1);
    }
  });
});

describe('what the gateway says of an answer', () => {
  const form = formOf(object({ port: { type: 'integer' }, host: { type: 'string' } }));
  const fields = form.kind === 'fields' ? form.fields : [];

  it('stands at the fields that it names', () => {
    const said = "invalid answer: formData: port: got string, want integer; missing property 'host'";
    expect(faultsByField(said, fields)).toEqual({
      at: new Map([
        [0, 'got string, want integer'],
        [1, 'This needs an answer.'],
      ]),
      rest: '',
    });
  });

  it('is never lost where it names none', () => {
    expect(faultsByField('invalid answer: formData: too odd', fields).rest).toBe('too odd');
    expect(faultsByField('the gateway is tired', fields).rest).toBe('the gateway is tired');
  });
});
