import { pretty } from '../wire/json';
import { collect, formOf, type Form } from '../question/form';
import type { Draft } from '../store/state';
import type { AgentTool } from '../wire/wire';

/** What has been typed of a call's arguments, in each of the ways to write them. */
export interface CallInput {
  command: string;
  draft: Draft;
  json: string;
  asJSON: boolean;
}

export const emptyInput: CallInput = { command: '', draft: {}, json: '{}', asJSON: false };

/** How a tool's arguments are asked for. */
export type Way =
  { kind: 'command'; name: string } | { kind: 'fields'; form: Form & { kind: 'fields' } } | { kind: 'json' };

export function wayOf(tool: AgentTool | undefined, asJSON: boolean): Way {
  if (asJSON || !tool) return { kind: 'json' };
  const line = tool.command?.line;
  if (line) return { kind: 'command', name: line };
  const form = formOf(tool.schema);
  return form.kind === 'fields' && form.fields.length > 0 ? { kind: 'fields', form } : { kind: 'json' };
}

/** The arguments as JSON; or why there are none yet. Numbers written as JSON stay as they are written. */
export function argumentsOf(
  way: Way,
  input: CallInput,
): { args: string } | { missing: true } | { fault: string } {
  switch (way.kind) {
    case 'command':
      if (input.command.trim() === '') return { missing: true };
      return { args: JSON.stringify({ [way.name]: input.command }) };
    case 'fields': {
      const { data, faults } = collect(way.form, input.draft);
      return faults.size > 0 ? { missing: true } : { args: JSON.stringify(data ?? {}) };
    }
    case 'json':
      try {
        JSON.parse(input.json);
        return { args: input.json };
      } catch (error) {
        return { fault: (error as Error).message };
      }
  }
}

/** The same arguments, to be written on as JSON. */
export function toJSON(way: Way, input: CallInput): CallInput {
  const now = argumentsOf(way, input);
  return { ...input, asJSON: true, json: 'args' in now ? pretty(JSON.parse(now.args)) : startOf(way) };
}

function startOf(way: Way): string {
  return way.kind === 'command' ? pretty({ [way.name]: '' }) : '{}';
}
