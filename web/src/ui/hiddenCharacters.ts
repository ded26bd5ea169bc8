// Characters that a person can't see, or that make text look like other text:
// controls, formats (bidi, zero width, tags), surrogates, private and
// unassigned ones, line separators, fillers, selectors, blanks.
const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

// Blanks that are not the space: in a command they make two words look like one.
const oddSpace = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;

const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

export type Mode =
  | 'exact' // commands, arguments, names
  | 'prose'; // what people and models say to each other

export interface Piece {
  text: string;
  hidden: boolean;
}

/** Cuts text into visible runs and single hidden characters. */
export function splitHidden(text: string, mode: Mode = 'exact'): Piece[] {
  const result: Piece[] = [];
  let run = '';
  let before = '';
  for (const char of text) {
    if (isHidden(char, before, mode)) {
      if (run) result.push({ text: run, hidden: false });
      run = '';
      result.push({ text: token(char), hidden: true });
    } else {
      run += char;
    }
    if (char !== '\ufe0f') before = char;
  }
  if (run) result.push({ text: run, hidden: false });
  return result;
}

/** The same as one text, for what shows no elements: a list of the browser's own, a notification. */
export function visibleText(text: string): string {
  return splitHidden(text)
    .map((p) => p.text)
    .join('');
}

export function countHidden(text: string): number {
  return splitHidden(text).filter((p) => p.hidden).length;
}

function isHidden(char: string, before: string, mode: Mode): boolean {
  if (char === '\n' || char === '\t') return false;
  // The selector and the joiner that make up an emoji hide nothing.
  if ((char === '\ufe0f' || char === '\u200d') && pictograph.test(before)) return false;
  return invisible.test(char) || (mode === 'exact' && oddSpace.test(char));
}

function token(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
