import { ExactNumber } from 'lineclear';

export { ExactNumber, isObject, parseExactly, parseJSON, survives, type JSONObject } from 'lineclear';

const escapes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/**
 * Indented JSON. Other control characters stay as they are, for the component
 * that shows the text makes every hidden character visible in one way.
 */
export function pretty(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `"${value.replace(/["\\\n\r\t]/g, (c) => escapes[c] ?? c)}"`;
  if (value instanceof ExactNumber) return value.source;
  if (value === null || typeof value !== 'object') return String(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((v) => deeper + pretty(v, deeper)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  return `{\n${members.map(([k, v]) => `${deeper}${pretty(k)}: ${pretty(v, deeper)}`).join(',\n')}\n${indent}}`;
}
