import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { page, storeOf } from '../test/page';
import { DayChart, everyDay, niceTop } from './DayChart';

const day = {
  day: '2026-11-27',
  approved: 3,
  denied: 1,
  deniedByRule: 0,
  timeouts: 4,
  cancelled: 2,
  pending: 5,
};
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
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Day (UTC)',
      'Approved',
      'Denied',
      'Timed out',
      'Cancelled',
      'Waiting',
    ]);
    const row = screen.getByRole('row', { name: /2026-11-27/ });
    expect([...row.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual([
      '3',
      '1',
      '4',
      '2',
      '5',
    ]);
  });

  it('show each outcome as a part of its own, timeouts apart from denials, adding up to the total', () => {
    const { container } = page(
      storeOf(),
      <DayChart days={[{ ...day, day: new Date().toISOString().slice(0, 10) }]} span={7} />,
    );
    const parts = [...container.querySelectorAll<SVGRectElement>('rect')];
    expect(parts.map((part) => part.dataset.of)).toEqual([
      'approved',
      'denied',
      'timeouts',
      'cancelled',
      'pending',
    ]);
    const tall = parts.reduce((sum, part) => sum + Number(part.getAttribute('height')), 0);
    expect(tall).toBeCloseTo((15 / 20) * 170);
  });
});
