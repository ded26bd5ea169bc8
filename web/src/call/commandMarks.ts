import type { CommandPart } from '../wire/wire';

/** A part of a command line that has an effect, with its number. */
export interface Numbered {
  n: number;
  part: CommandPart;
  /** Its place in the line; undefined if the line spells it differently. */
  at?: { from: number; to: number };
}

/** The parts of a command line that have an effect, in order, each with its place in the line. */
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
