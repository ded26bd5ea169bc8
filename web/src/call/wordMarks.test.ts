import { describe, expect, it } from 'vitest';
import { wordMarks } from './wordMarks';

const marked = (before: string, after: string) =>
  wordMarks(before, after)?.map((pieces) => pieces.map((p) => (p.changed ? `[${p.text}]` : p.text)).join(''));

describe('words of a changed line', () => {
  it.each([
    ['out := step1(in)', 'out, err := step1(ctx, in)', 'out := step1(in)', 'out[, err ]:= step1([ctx, ]in)'],
    ['func a(in Order) {', 'func a(in Order) error {', 'func a(in Order) {', 'func a(in Order) [error ]{'],
    ['a b c d', 'a x y d', 'a [b c] d', 'a [x y] d'],
    ['größe = 1', 'größe = 2', 'größe = [1]', 'größe = [2]'],
    ['x \u{1F600} y', 'x \u{1F601} y', 'x [\u{1F600}] y', 'x [\u{1F601}] y'],
  ])('are marked: %s', (before, after, left, right) => {
    expect(marked(before, after)).toEqual([left, right]);
  });

  it('are not marked if nearly everything differs', () => {
    expect(marked('return nil', 'if err := f(); err != nil {')).toBeUndefined();
    expect(marked('', 'x')).toBeUndefined();
  });

  it('add up to the original lines, whatever the text', () => {
    const texts = [
      '',
      'a',
      ' a\tb ',
      'a'.repeat(400),
      'a b '.repeat(500),
      'x,'.repeat(400),
      '\u202e\u{1F600}',
      '\ud800 a',
    ];
    for (const before of texts) {
      for (const after of texts) {
        const [left, right] = wordMarks(before, after) ?? [];
        if (!left || !right) continue;
        expect(left.map((p) => p.text).join('')).toBe(before);
        expect(right.map((p) => p.text).join('')).toBe(after);
      }
    }
  });
});
