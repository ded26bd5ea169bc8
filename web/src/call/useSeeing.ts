import { useEffect, useMemo, useState } from 'react';
import {
  argumentBlocks,
  commandIn,
  isLongArguments,
  isLongText,
  longParts,
  type ArgumentBlocks,
} from '../request/arguments';
import { pretty } from '../wire/json';
import { texts } from '../words/texts';
import type { ApprovalRequest } from '../wire/wire';
import { numberedParts, type Numbered } from './commandMarks';
import { isLongChange } from './DiffView';
import { useChange, type ChangeState } from './useChange';

export interface Seeing {
  command: string | undefined;
  blocks: ArgumentBlocks;
  parts: Numbered[];
  state: ChangeState;
  long: boolean;
  expanded: boolean;
  /** What to do about parts that have not been seen; false if there are none. */
  unseen: string | false;
  expand: () => void;
  onRead: (part: string) => void;
}

interface Seen {
  expanded: boolean;
  parts: ReadonlySet<string>; // those whose end was in view
}

// Lists redraw a card that scrolls back into view; what was read stays read.
const before = new WeakMap<object, Seen>();

/** The parts of a request and which of them have been seen. */
export function useSeeing(request: ApprovalRequest): Seeing {
  const command = commandIn(request);
  const blocks = useMemo(() => argumentBlocks(request.args, command), [request, command]);
  const parts = useMemo(() => {
    const line = blocks.plain.find((p) => p.name === command)?.text ?? '';
    return numberedParts(line, request.commands);
  }, [request, blocks, command]);
  const state = useChange(request);
  const [seen, setSeen] = useState<Seen>(() => before.get(request) ?? { expanded: false, parts: new Set() });
  useEffect(() => void before.set(request, seen), [request, seen]);
  const { change } = state;
  const long = change ? isLongChange(change) : isLongArguments(blocks);
  const open = () => {
    setSeen((s) => ({ ...s, expanded: true }));
    state.load();
  };
  const onRead = (part: string) =>
    setSeen((s) => (s.parts.has(part) ? s : { ...s, parts: new Set([...s.parts, part]) }));
  return {
    command,
    blocks,
    parts,
    state,
    long,
    expanded: seen.expanded,
    unseen: unseenIn(long && !seen.expanded, needed(state, blocks, long), seen.parts),
    expand: open,
    onRead,
  };
}

/** The parts that must be read, each with its instruction. Each part reports by itself that it was read. */
function needed({ change, whole }: ChangeState, blocks: ArgumentBlocks, long: boolean): [string, string][] {
  const raw = longParts(blocks);
  if (!change) return long ? raw.map((part) => [part, texts.card.readArguments]) : [];
  const parts: [string, string][] = [['diff', texts.diff.read]];
  if (isLongText(pretty(change.rest))) parts.push(['rest', texts.card.readArguments]);
  if (whole && change.omitted > 0) {
    for (const part of ['opened', ...raw.map((p) => `raw ${p}`)])
      parts.push([part, texts.diff.openArguments]);
  }
  return parts;
}

function unseenIn(folded: boolean, parts: [string, string][], seen: ReadonlySet<string>): string | false {
  if (folded) return texts.card.expandFirst;
  return parts.find(([part]) => !seen.has(part))?.[1] ?? false;
}
