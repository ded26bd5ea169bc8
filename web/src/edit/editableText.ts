import { ExactNumber, isObject, parseExactly } from '../wire/json';
import { patchOf, type Step } from './mergePatch';
import { splitHidden } from '../ui/hiddenCharacters';
import { texts } from './texts';

// Arguments as text that a person changes: JSON that the editor can read back,
// in which every hidden character is written out and can be seen.

export function toEditableText(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (value instanceof ExactNumber) return value.source;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const deeper = `${indent}  `;
  const inner = Array.isArray(value)
    ? value.map((v) => deeper + toEditableText(v, deeper))
    : Object.entries(value).map(([k, v]) => `${deeper}${quoted(k)}: ${toEditableText(v, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return inner.length === 0 ? `${open}${close}` : `${open}\n${inner.join(',\n')}\n${indent}${close}`;
}

function quoted(text: string): string {
  const json = JSON.stringify(text);
  const list = splitHidden(json);
  if (!list.some((p) => p.hidden)) return json;
  return list.map((p) => (p.hidden ? escaped(p.text) : p.text)).join('');
}

// ⟨U+202E⟩ → \u202e, beyond the first plane as a pair.
function escaped(token: string): string {
  const code = parseInt(token.slice(3, -1), 16);
  const units = code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
  return units
    .split('')
    .map((u) => `\\u${u.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

export interface EditDraft {
  /** What can be sent; undefined while nothing is changed, or it can't be sent as it is. */
  edit?: Record<string, unknown>;
  steps: readonly Step[];
  fault?: string;
  at?: number; // where in the text
}

/** What was made of the arguments, and what is to be sent of it. */
export function readEdit(shown: Record<string, unknown>, text: string): EditDraft {
  const t = texts.edit;
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch (error) {
    const { message } = error as Error;
    return { steps: [], fault: t.notJSON(message), ...positionIn(message) };
  }
  if (!isObject(value)) return { steps: [], fault: t.notObject };
  // Both as this reader reads them: what was left alone is no change.
  const before = parseExactly(toEditableText(shown)) as Record<string, unknown>;
  const { edit, steps, fault } = patchOf(before, value);
  if (fault) return { steps, fault: t.faults[fault.kind](fault.path), ...placeOf(text, fault.path) };
  return steps.length > 0 ? { edit, steps } : { steps };
}

function positionIn(message: string): { at?: number } {
  const found = /position (\d+)/.exec(message);
  return found ? { at: Number(found[1]) } : {};
}

// By the last name of a path: good enough for marking a line.
function placeOf(text: string, path: string): { at?: number } {
  const name = path.split('.').at(-1) ?? '';
  const at = text.indexOf(`${JSON.stringify(name)}:`);
  return at < 0 ? {} : { at };
}

/** Where in the text the gateway's words belong, such as "invalid answer: edit: port: got string, want integer". */
export function faultPosition(text: string, said: string): number | undefined {
  const path = /(?:^|: )edit: ([^:\s]+): /.exec(said)?.[1];
  return path === undefined ? undefined : placeOf(text, path).at;
}
