import type { CommandPart } from '../wire/wire';

/** A part of a command line that does something, as it is numbered. */
export interface Numbered {
  n: number;
  part: CommandPart;
  /** Where it stands in the line; undefined where the line has it in other letters. */
  at?: { from: number; to: number };
}

/** The parts of a command line that have an effect, in their order, each with its place in the line. */
export function numberedParts(line: string, parts: readonly CommandPart[] = []): Numbered[] {
  const found: Numbered[] = [];
  let from = 0;
  for (const part of parts) {
    const start = part.text === '' ? -1 : line.indexOf(part.text, from);
    const at = start < 0 ? undefined : { from: start, to: start + part.text.length };
    if (at) from = at.to;
    if (part.does && part.does.length > 0) found.push({ n: found.length + 1, part, ...(at && { at }) });
  }
  return found;
}
