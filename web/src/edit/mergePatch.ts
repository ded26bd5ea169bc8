import { ExactNumber, isObject, survives, type JSONObject } from '../wire/json';
import { secretMark } from '../wire/secretMark';

// The difference between what was shown and what was made of it, as a JSON merge
// patch (RFC 7396), which the gateway applies to the real arguments: what is
// masked here is whole there, as long as it is left alone.

export interface Step {
  path: string;
  kind: 'set' | 'removed';
  before: unknown; // undefined: there was none
  after: unknown;
}

export interface Patch {
  edit: JSONObject;
  steps: readonly Step[];
  /** Why it can't be sent; the first reason. */
  fault?: { kind: 'null' | 'masked' | 'inexact'; path: string };
}

export function sameJSON(a: unknown, b: unknown): boolean {
  if (a instanceof ExactNumber || b instanceof ExactNumber) {
    return a instanceof ExactNumber && b instanceof ExactNumber && a.source === b.source;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, i) => sameJSON(value, b[i]));
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameJSON(a[name], b[name]))
    );
  }
  return a === b;
}

export function patchOf(shown: JSONObject, edited: JSONObject): Patch {
  const patch: { edit: JSONObject; steps: Step[]; fault?: Patch['fault'] } = { edit: {}, steps: [] };
  compare(shown, edited, '', patch.edit, patch);
  return patch;
}

function compare(
  before: JSONObject,
  after: JSONObject,
  at: string,
  into: JSONObject,
  patch: { steps: Step[]; fault?: Patch['fault'] },
): void {
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name)) continue;
    put(into, name, null);
    patch.steps.push({ path: at + name, kind: 'removed', before: before[name], after: undefined });
  }
  for (const [name, value] of Object.entries(after)) {
    const path = at + name;
    const had = Object.hasOwn(before, name);
    if (had && sameJSON(before[name], value)) continue;
    if (had && isObject(before[name]) && isObject(value)) {
      const deeper: JSONObject = {};
      put(into, name, deeper);
      compare(before[name], value, `${path}.`, deeper, patch);
      continue;
    }
    const after = settled(value);
    put(into, name, after);
    patch.steps.push({ path, kind: 'set', before: had ? before[name] : undefined, after });
    const kind = faultIn(after);
    if (kind && !patch.fault) patch.fault = { kind, path };
  }
}

function settled(value: unknown): unknown {
  if (value instanceof ExactNumber) return survives(value.source) ? Number(value.source) : value;
  if (Array.isArray(value)) return value.map(settled);
  if (!isObject(value)) return value;
  const made: JSONObject = {};
  for (const [name, member] of Object.entries(value)) put(made, name, settled(member));
  return made;
}

// Defined, not assigned: "__proto__" is a name like any other.
function put(into: JSONObject, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
}

function faultIn(value: unknown): 'null' | 'masked' | 'inexact' | undefined {
  if (holds(value, (v) => typeof v === 'string' && v.includes(secretMark), secretMark)) return 'masked';
  if (holds(value, (v) => v instanceof ExactNumber)) return 'inexact';
  return holdsNull(value) ? 'null' : undefined;
}

function holds(value: unknown, is: (v: unknown) => boolean, word?: string): boolean {
  if (is(value)) return true;
  if (Array.isArray(value)) return value.some((v) => holds(v, is, word));
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([n, v]) => (word !== undefined && n.includes(word)) || holds(v, is, word),
  );
}

// In a merge patch null means "away with it"; within a list it is only itself.
function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return isObject(value) && Object.values(value).some(holdsNull);
}
