import { expect, it } from 'vitest';
import { numberedParts } from './commandMarks';

const marked = (line: string, parts: [string, string[]?][]) =>
  numberedParts(
    line,
    parts.map(([text, does]) => ({ text, ...(does && { does }) })),
  ).map(({ n, at, part }) => [n, at ? line.slice(at.from, at.to) : `not found: ${part.text}`]);

it('what has an effect is numbered where it stands, also where the same stands twice', () => {
  const line = 'rm a && ls && rm a';
  const parts = numberedParts(line, [
    { text: 'rm a', does: ['deletes'] },
    { text: 'ls' },
    { text: 'rm a', does: ['deletes'] },
  ]);
  expect(parts.map((p) => [p.n, p.at?.from])).toEqual([
    [1, 0],
    [2, 14],
  ]);
});

it('what the line has in other letters is told beside it', () => {
  expect(marked('xargs rm', [['rm  {}', ['deletes']]])).toEqual([[1, 'not found: rm  {}']]);
});

it('a part is never found before the one that came first', () => {
  expect(
    marked('b a', [
      ['a', ['x']],
      ['b', ['y']],
    ]),
  ).toEqual([
    [1, 'a'],
    [2, 'not found: b'],
  ]);
});

it('a line without parts has none', () => {
  expect(numberedParts('ls')).toEqual([]);
});
