import { expect, it } from 'vitest';
import { clipped, head } from './clipped';

it('cuts between characters', () => {
  expect(head('a😀b', 2)).toBe('a');
  expect(head('a😀b', 3)).toBe('a😀');
  expect(head('語語', 1)).toBe('語');
  expect(clipped('a😀bc', 3)).toBe('a…');
  expect(clipped('a😀', 3)).toBe('a😀');
  expect(clipped('', 3)).toBe('');
});
