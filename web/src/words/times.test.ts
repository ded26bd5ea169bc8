import { describe, expect, it } from 'vitest';
import { ago, clockTime, dayTime, lastUse } from './times';

const now = new Date(2026, 10, 29, 14, 0).getTime();
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

describe('times in words', () => {
  it.each([
    [now - 90_000, 'now'],
    [now + 5_000, 'now'],
    [at(29, 3, 3), `today, ${clockTime(at(29, 3, 3))}`],
    [at(28, 23, 59), `yesterday, ${clockTime(at(28, 23, 59))}`],
    [at(27, 23, 59), '2 days ago'],
    [at(17, 9), '12 days ago'],
  ])('say when something was last used: %i is %s', (when, words) => {
    expect(lastUse(when, now)).toBe(words);
  });

  it('say how long ago something was made', () => {
    expect([ago(now - 9_000, now), ago(now - 20 * 60_000, now), ago(at(28, 9), now)]).toEqual([
      'just now',
      '20 min ago',
      `yesterday, ${clockTime(at(28, 9))}`,
    ]);
  });

  it('say until when something is valid', () => {
    expect(dayTime(at(30, 12, 30), now)).toBe(`tomorrow, ${clockTime(at(30, 12, 30))}`);
    expect(dayTime(new Date(2026, 11, 24, 12, 30).getTime(), now)).toMatch(/24/);
  });
});
