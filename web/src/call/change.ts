import { parseDiff, type Diff } from './diff';
import type { ApprovalRequest } from '../wire/wire';

/** What a call would do to a file, as far as the gateway could tell beforehand. */
export interface Change {
  diff: Diff;
  created: boolean;
  /** How many lines of the diff are left out. */
  omitted: number;
  /** Added and removed lines of the whole change; undefined if only part of it was counted. */
  counts: { added: number; removed: number } | undefined;
  /** The file's lines after the change, if the arguments contain them; includes those between hunks. */
  after: readonly string[] | undefined;
  /** Arguments that the diff does not show. */
  rest: Record<string, unknown>;
}

// What of the arguments of the gateway's own tools is the change itself.
const inDiff: Partial<Record<string, readonly string[]>> = {
  write_file: ['content'],
  edit_file: ['old', 'new'],
};

type Call = Pick<ApprovalRequest, 'toolName' | 'args' | 'preview'>;

/** Undefined where the arguments are all that there is to show. */
export function changeOf({ toolName, args, preview }: Call): Change | undefined {
  if (!preview?.diff) return undefined;
  const members = Object.entries(typeof args === 'object' && args !== null ? args : {});
  const path = members.find(([name]) => name === 'path')?.[1] as unknown;
  const diff = parseDiff(preview.diff, typeof path === 'string' ? path : undefined);
  const { omitted = 0, added = 0, removed = 0 } = preview;
  if (!diff || (diff.lines.length === 0 && omitted === 0)) return undefined;
  const shown = toolName ? inDiff[toolName] : undefined;
  const isShown = (name: string, value: unknown) =>
    shown !== undefined && (shown.includes(name) || (name === 'path' && value === diff.file));
  const content = toolName === 'write_file' && members.find(([name]) => name === 'content')?.[1];
  return {
    diff,
    created: preview.fileHash === 'absent',
    omitted,
    counts: added + removed > 0 ? { added, removed } : omitted === 0 ? diff : undefined,
    after: typeof content === 'string' ? matching(content, diff) : undefined,
    rest: Object.fromEntries(members.filter(([name, value]) => !isShown(name, value))),
  };
}

// Undefined if they differ from the diff, e.g. because a secret is masked in only one of them.
function matching(content: string, diff: Diff): readonly string[] | undefined {
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const fits = diff.lines.every(
    ({ kind, text, after }) => kind === 'removed' || kind === 'note' || lines[after - 1] === text,
  );
  return fits ? lines : undefined;
}
