import { ExactNumber, isObject, parseJSON, pretty, type JSONObject } from '../wire/json';
import type { Draft } from '../store/state';
import { texts } from './texts';

// A form from a JSON Schema. Only flat objects become fields. Little is checked
// that the gateway checks: it says what does not fit. (A validator that compiles
// schemas can't run here; the page's policy forbids making code.)

export interface Option {
  value: string | number | boolean | null;
  label: string;
}

export interface Field {
  name: string;
  title: string;
  description?: string;
  required: boolean;
  kind: 'text' | 'lines' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  format?: string;
  options: readonly Option[];
  limits: readonly string[];
  /** What stands in it at first, as text; choices by their places among the options, as in "0,2". */
  initial: string;
  /** It has a default: the gateway puts that in where the field is left out, so it can't be left open. */
  filled: boolean;
}

export type Form =
  | { kind: 'none' } // nothing to fill in, and no data is sent
  | { kind: 'fields'; title?: string; description?: string; fields: readonly Field[] }
  | { kind: 'json'; initial: string };

type Schema = JSONObject;

// What can't be told from single fields.
const intricate = ['$ref', '$dynamicRef', 'allOf', 'not', 'if', 'patternProperties', 'propertyNames'];
const ofObjects = [
  'anyOf',
  'oneOf',
  'dependentRequired',
  'dependentSchemas',
  'minProperties',
  'const',
  'enum',
];
const ofItems = ['anyOf', 'oneOf'];

export function formOf(schema: unknown): Form {
  if (schema === undefined || schema === null) return { kind: 'none' };
  const root = asSchema(schema);
  const fields = root && flatFields(root);
  if (fields) {
    return {
      kind: 'fields',
      ...text('title', root['title']),
      ...text('description', root['description']),
      fields,
    };
  }
  const start = { ...defaultsOf(root), ...asSchema(root?.['default']) };
  return { kind: 'json', initial: Object.keys(start).length > 0 ? pretty(start) : '{}' };
}

/** What the gateway puts in for fields that are left out. */
function defaultsOf(root: Schema | undefined): JSONObject {
  const parts = Object.entries(asSchema(root?.['properties']) ?? {});
  const starts = parts.map(([name, part]) => [name, asSchema(part)?.['default']] as const);
  return Object.fromEntries(starts.filter(([, start]) => start !== undefined));
}

/** The fields of a flat object; undefined for a schema that fields can't answer. */
function flatFields(root: Schema): Field[] | undefined {
  if ((root['type'] ?? 'object') !== 'object' || has(root, [...intricate, ...ofObjects])) return undefined;
  const properties = asSchema(root['properties']);
  if (!properties) return undefined;
  const required = Array.isArray(root['required']) ? (root['required'] as unknown[]) : [];
  if (required.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return undefined;
  const fields: Field[] = [];
  for (const name of inOrder(Object.keys(properties), required as string[])) {
    const field = fieldOf(name, properties[name], required.includes(name));
    if (!field) return undefined;
    fields.push(field);
  }
  return fields;
}

// A schema that has gone through a canonical form has lost the order of its
// fields; that of the required ones is still known.
function inOrder(names: string[], required: readonly string[]): string[] {
  const lost = names.every((name, i) => i === 0 || names[i - 1]! < name);
  return lost ? [...new Set([...required, ...names])] : names;
}

function fieldOf(name: string, property: unknown, required: boolean): Field | undefined {
  const schema = asSchema(property);
  if (!schema || has(schema, intricate)) return undefined;
  const several = schema['type'] === 'array';
  const options = several ? optionsOfItems(schema) : optionsOf(schema);
  const chosen = several ? 'choices' : 'choice';
  const kind = options ? (options.length > 0 ? chosen : undefined) : kindOf(schema);
  if (!kind) return undefined;
  const field = {
    name,
    title: typeof schema['title'] === 'string' && schema['title'].trim() ? schema['title'] : name,
    ...text('description', schema['description']),
    ...text('format', schema['format']),
    required,
    kind,
    options: options ?? [],
    limits: kind === 'choice' || kind === 'boolean' ? [] : limitsOf(schema),
  };
  const initial = initialOf(field, schema['default']);
  const none = several ? Array.isArray(schema['default']) : schema['default'] === '';
  return { ...field, initial, filled: !required && (initial !== '' || none) };
}

const longText = 120;

function kindOf(schema: Schema): Field['kind'] | undefined {
  switch (schema['type']) {
    case 'number':
    case 'integer':
    case 'boolean':
      return schema['type'];
    case 'string': {
      const short = Number(schema['maxLength'] ?? Infinity) <= longText;
      return schema['pattern'] || isOneLine(schema['format']) || short ? 'text' : 'lines';
    }
    default:
      return undefined;
  }
}

// "textarea" and its like are what forms elsewhere say for many lines.
function isOneLine(format: unknown): boolean {
  return typeof format === 'string' && !/^(textarea|multi-?line|markdown|text)$/.test(format);
}

/** The choices of an enum, also where each has a title of its own; undefined where there is none. */
function optionsOf(schema: Schema): Option[] | undefined {
  const many = (schema['oneOf'] ?? schema['anyOf']) as unknown;
  if (many !== undefined) {
    const parts = Array.isArray(many) ? many.map(asSchema) : [];
    const options = parts.flatMap((part) =>
      part && 'const' in part ? optionOf(part['const'], part['title']) : [],
    );
    return options.length === parts.length ? options : [];
  }
  const values: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  if (values === undefined) return undefined;
  if (!Array.isArray(values)) return [];
  const names = Array.isArray(schema['enumNames']) ? (schema['enumNames'] as unknown[]) : [];
  const options = values.flatMap((value, i) => optionOf(value, names[i]));
  return options.length === values.length ? options : [];
}

// Several of a list may be chosen; any other list is no field.
function optionsOfItems(schema: Schema): Option[] | undefined {
  const items = asSchema(schema['items']);
  if (
    !items ||
    has(items, intricate) ||
    has(schema, ['prefixItems', 'contains', 'enum', 'const', ...ofItems])
  ) {
    return undefined;
  }
  return optionsOf(items);
}

// A title never hides the value that is sent.
function optionOf(value: unknown, title: unknown): Option[] {
  if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) return [];
  const plain = value === '' ? '""' : String(value);
  const titled = typeof title === 'string' && title.toLowerCase() !== plain.toLowerCase() && title;
  const label = titled ? `${titled} (${plain})` : plain;
  return [{ value: value as Option['value'], label }];
}

function initialOf(field: Omit<Field, 'initial' | 'filled'>, start: unknown): string {
  if (field.kind === 'choices') {
    const values: unknown[] = Array.isArray(start) ? start : [];
    return places(field.options.flatMap((o, i) => (values.includes(o.value) ? [i] : [])));
  }
  if (field.kind === 'choice') {
    const at = field.options.findIndex((o) => o.value === start);
    return start === undefined || at < 0 ? '' : String(at);
  }
  if (start instanceof ExactNumber) return start.source;
  const want = { text: 'string', lines: 'string', number: 'number', integer: 'number', boolean: 'boolean' };
  return typeof start === want[field.kind] ? String(start) : '';
}

function limitsOf(schema: Schema): string[] {
  const t = texts.form.limits;
  const say = <T>(name: string, words: (value: T) => string) =>
    schema[name] === undefined ? [] : [words(schema[name] as T)];
  return [
    ...(schema['type'] === 'integer' ? [t.integer] : []),
    ...say('minimum', t.from),
    ...say('exclusiveMinimum', t.above),
    ...say('maximum', t.to),
    ...say('exclusiveMaximum', t.below),
    ...say('multipleOf', t.step),
    ...(Number(schema['minLength'] ?? 0) > 1 ? say('minLength', t.longer) : []),
    ...say('maxLength', t.shorter),
    ...(Number(schema['minItems'] ?? 0) > 0 ? say('minItems', t.atLeast) : []),
    ...say('maxItems', t.atMost),
    ...(isOneLine(schema['format']) ? say('format', t.format) : []),
    ...say('pattern', t.pattern),
  ].map(String);
}

export interface Collected {
  data?: unknown; // absent where the form has none
  /** What this page can't send, by the field's place; for JSON at 0. */
  faults: ReadonlyMap<number, string>;
}

/** The data as it would be sent. What was left open is left out. */
export function collect(form: Form, draft: Draft): Collected {
  if (form.kind === 'none') return { faults: new Map() };
  if (form.kind === 'json') return collectJSON(draft.json ?? form.initial);
  const faults = new Map<number, string>();
  const members: [string, unknown][] = [];
  form.fields.forEach((field, i) => {
    const read = readValue(field, valueAt(form.fields, draft, i));
    if (read.fault) faults.set(i, read.fault);
    if (read.value !== undefined) members.push([field.name, read.value]);
  });
  return { data: Object.fromEntries(members), faults };
}

export function valueAt(fields: readonly Field[], draft: Draft, i: number): string {
  return draft.values?.[i] ?? fields[i]?.initial ?? '';
}

/** Which of the options are chosen, by their places; and how that is kept as text. */
export function chosen(value: string): number[] {
  return value === '' ? [] : value.split(',').map(Number);
}

export function places(chosen: readonly number[]): string {
  return [...chosen].sort((a, b) => a - b).join();
}

function readValue(field: Field, typed: string): { value?: unknown; fault?: string } {
  const t = texts.form;
  // None of them is an answer too, where there has to be one.
  if (field.kind === 'choices' && (typed !== '' || field.required || field.filled)) {
    return { value: chosen(typed).map((i) => field.options[i]?.value) };
  }
  const isText = field.kind === 'text' || field.kind === 'lines';
  if (typed.trim() === '' && !(field.filled && isText)) {
    return field.required || field.filled ? { fault: t.missing } : {};
  }
  switch (field.kind) {
    case 'choices': // has been read
      return {};
    case 'choice':
      return { value: field.options[Number(typed)]?.value };
    case 'boolean':
      return { value: typed === 'true' };
    case 'integer':
    case 'number': {
      const digits = typed.trim();
      const whole = field.kind === 'integer';
      const shape = whole ? /^-?\d+$/ : /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
      if (!shape.test(digits)) return { fault: whole ? t.notInteger : t.notNumber };
      return isExact(digits) ? { value: Number(digits) } : { fault: t.inexact };
    }
    case 'text':
    case 'lines':
      return hasFormat(field.format, typed) ? { value: typed } : { fault: t.notFormat(field.format!) };
  }
}

// No stricter than the gateway, which has the last word.
const formats: Partial<Record<string, RegExp>> = {
  email: /^.+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
};

function hasFormat(format: string | undefined, typed: string): boolean {
  const shape = formats[format ?? ''];
  if (!shape) return true;
  return shape.test(typed) && (!format!.startsWith('date') || isDay(typed.slice(0, 10)));
}

// JavaScript makes March of a 30th of February.
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

// Fifteen digits survive in a JavaScript number.
function isExact(digits: string): boolean {
  const value = Number(digits);
  const significant = digits.replace(/[eE].*|\D/g, '').replace(/^0+/, '');
  return Number.isFinite(value) && (significant.length <= 15 || String(value) === digits);
}

function collectJSON(typed: string): Collected {
  const fault = (why: string) => ({ faults: new Map([[0, why]]) });
  let data: unknown;
  try {
    data = parseJSON(typed);
  } catch (error) {
    return fault(texts.form.notJSON((error as Error).message));
  }
  if (!isObject(data)) return fault(texts.form.notObject);
  return holdsExactNumber(data) ? fault(texts.form.inexact) : { data, faults: new Map() };
}

function holdsExactNumber(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsExactNumber);
}

export interface FieldFaults {
  at: ReadonlyMap<number, string>; // by the field's place
  rest: string; // what belongs to no field
}

/**
 * Puts what the gateway says of an answer at the fields that it names, such as
 * "invalid answer: formData: port: got string, want integer; missing property 'host'".
 */
export function faultsByField(message: string, fields: readonly Field[]): FieldFaults {
  const said = /(?:^|: )formData: ([\s\S]*)$/.exec(message)?.[1];
  if (said === undefined) return { at: new Map(), rest: message };
  const at = new Map<number, string>();
  const rest: string[] = [];
  const put = (i: number, words: string) => at.set(i, at.has(i) ? `${at.get(i)}; ${words}` : words);
  for (const part of said.split('; ')) {
    const i = fieldNamed(part, fields);
    const missing = missingIn(part, fields);
    if (i >= 0) put(i, part.slice(fields[i]!.name.length + 2));
    else if (missing.length > 0) missing.forEach((m) => put(m, texts.form.missing));
    else rest.push(part);
  }
  return { at, rest: rest.join('; ') };
}

function fieldNamed(part: string, fields: readonly Field[]): number {
  return fields.findIndex(({ name }) => part.startsWith(`${name}: `));
}

function missingIn(part: string, fields: readonly Field[]): number[] {
  if (!part.startsWith('missing propert')) return [];
  return fields.flatMap(({ name }, i) => (part.includes(`'${name}'`) ? [i] : []));
}

function text<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  return (typeof value === 'string' && value ? { [key]: value } : {}) as { [P in K]?: string };
}

function has(schema: Schema, names: readonly string[]): boolean {
  return names.some((name) => name in schema);
}

function asSchema(value: unknown): Schema | undefined {
  return isObject(value) ? value : undefined;
}
