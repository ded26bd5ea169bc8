import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseJSON } from '../wire/json';
import type { ServerFrame } from '../wire/wire';

const testdata = resolve(import.meta.dirname, '../../../wsapprover/testdata');

function read(folder: string): Map<string, unknown> {
  const path = resolve(testdata, folder);
  const names = readdirSync(path).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error(`no golden frames in ${path}`);
  return new Map(
    names.map((name) => [name.slice(0, -5), parseJSON(readFileSync(resolve(path, name), 'utf8'))]),
  );
}

const server = read('frames') as Map<string, ServerFrame>;
const client = read('client') as Map<string, { event: string; data: Record<string, unknown> }>;

/** A frame as the gateway sends it. */
export function golden<E extends ServerFrame['event']>(
  name: string,
  event: E,
): Extract<ServerFrame, { event: E }> {
  const frame = server.get(name);
  if (frame?.event !== event) throw new Error(`golden frame ${name} is not a ${event}`);
  return structuredClone(frame) as Extract<ServerFrame, { event: E }>;
}

export const goldenNames = [...server.keys()];

/** The names that the gateway takes in the data of a client's frame. */
export function takenNames(event: string): Set<string> {
  const frames = [...client.values()].filter((f) => f.event === event);
  if (frames.length === 0) throw new Error(`no golden client frame for ${event}`);
  return new Set(frames.flatMap((f) => Object.keys(f.data)));
}
