import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { page, storeOf } from '../test/page';
import { DayChart, everyDay, niceTop } from './DayChart';

const day = { day: '2026-11-27', approved: 3, denied: 1, other: 2 };
const now = new Date('2026-11-28T00:30:00Z');

describe('the requests by day', () => {
  it('have every day up to today, also those on which nothing was asked', () => {
    expect(everyDay([day], 3, now).map((d) => [d.day, d.approved])).toEqual([
      ['2026-11-26', 0],
      ['2026-11-27', 3],
      ['2026-11-28', 0],
    ]);
  });

  it.each([
    [1, 1],
    [3, 4],
    [5, 10],
    [11, 20],
    [99, 100],
  ])('up to %i stand below the round %i', (most, top) => {
    expect(niceTop(most)).toBe(top);
  });

  it('stand in a table for who hears the page', () => {
    page(storeOf(), <DayChart days={[day]} span={7} />);
    const row = screen.getByRole('row', { name: /2026-11-27/ });
    expect([...row.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['3', '1', '2']);
  });
});
