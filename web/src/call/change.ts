import { parseDiff, type Diff } from './diff';
import type { ApprovalRequest } from '../wire/wire';

/** What a call would do to a file, as far as the gateway could tell beforehand. */
export interface Change {
  diff: Diff;
  created: boolean;
  omitted: number;
  /** Arguments that the diff does not show. */
  rest: Record<string, unknown>;
}

// What of the arguments of the gateway's own tools is the change itself.
const inDiff: Partial<Record<string, readonly string[]>> = {
  write_file: ['content'],
  edit_file: ['old', 'new'],
};

/** Undefined where the arguments are all that there is to show. */
export function changeOf(request: ApprovalRequest): Change | undefined {
  const { preview, toolName } = request;
  if (!preview?.diff) return undefined;
  const args = typeof request.args === 'object' && request.args !== null ? request.args : {};
  const members = Object.entries(args);
  const path = members.find(([name]) => name === 'path')?.[1] as unknown;
  const diff = parseDiff(preview.diff, typeof path === 'string' ? path : undefined);
  if (!diff) return undefined;
  const shown = toolName ? inDiff[toolName] : undefined;
  const isShown = (name: string, value: unknown) =>
    shown !== undefined && (shown.includes(name) || (name === 'path' && value === diff.file));
  return {
    diff,
    created: preview.fileHash === 'absent',
    omitted: preview.omitted ?? 0,
    rest: Object.fromEntries(members.filter(([name, value]) => !isShown(name, value))),
  };
}
