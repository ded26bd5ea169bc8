import { expect, it } from 'vitest';
import { numberedParts } from './commandMarks';

const marked = (line: string, parts: [string, string[]?][]) =>
  numberedParts(
    line,
    parts.map(([text, does]) => ({ text, ...(does && { does }) })),
  ).map(({ n, at, part }) => [n, at ? line.slice(at.from, at.to) : `not found: ${part.text}`]);

it('parts that have an effect are numbered and located, even repeated ones', () => {
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

it('a part the line spells differently has no place in it', () => {
  expect(marked('xargs rm', [['rm  {}', ['deletes']]])).toEqual([[1, 'not found: rm  {}']]);
});

it('a part is never located before the previous one', () => {
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

it('a line without parts has no numbers', () => {
  expect(numberedParts('ls')).toEqual([]);
});
