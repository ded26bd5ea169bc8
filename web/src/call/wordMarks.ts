// Which words differ between a line and its replacement. Only marks: the text stays as the gateway sent it.

export interface Piece {
  text: string;
  changed: boolean;
}

// Between a common start and end, more than mostWords are not compared; longer lines are not marked at all.
const mostWords = 300;
const mostLetters = 5000;

/** Both lines in pieces; undefined if they are too long or have too little in common for marks to help. */
export function wordMarks(before: string, after: string): [Piece[], Piece[]] | undefined {
  if (Math.max(before.length, after.length) > mostLetters) return undefined;
  const a = wordsOf(before);
  const b = wordsOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const inA = a.map((_, i) => i < head || i >= a.length - tail);
  const inB = b.map((_, i) => i < head || i >= b.length - tail);
  const [restA, restB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (restA.length <= mostWords && restB.length <= mostWords) {
    for (const [i, j] of common(restA, restB)) inA[head + i] = inB[head + j] = true;
  }
  const kept = a.reduce((n, word, i) => n + (inA[i] ? word.trim().length : 0), 0);
  const longest = Math.max(before.trim().length, after.trim().length);
  if (kept * 4 < longest) return undefined;
  return [pieces(a, inA), pieces(b, inB)];
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** The index pairs of the longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] =
        a[i] === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

function pieces(words: readonly string[], same: readonly boolean[]): Piece[] {
  const list: Piece[] = [];
  words.forEach((text, i) => {
    const last = list.at(-1);
    // A space between two changed words is part of the change.
    const space = text.trim() === '' && last?.changed === true && i + 1 < words.length && !same[i + 1];
    const changed = space || !same[i];
    if (last?.changed === changed) last.text += text;
    else list.push({ text, changed });
  });
  return list;
}
