import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { formatSeconds, secondsLeft, useSecondsLeft } from './clock';

beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-27T12:00:00Z') }));
afterEach(() => vi.useRealTimers());

function Left({ offset }: { offset: number }) {
  return <p>{useSecondsLeft('2026-11-27T12:01:00Z', offset)}</p>;
}

it('counts by the gateway’s clock, not by the browser’s', () => {
  // This browser is 10 s slow: where it is 12:00:00, the gateway has 12:00:10.
  render(<Left offset={10_000} />);
  expect(screen.getByText('50')).toBeDefined();
  act(() => vi.advanceTimersByTime(20_000));
  expect(screen.getByText('30')).toBeDefined();
  act(() => vi.advanceTimersByTime(60_000));
  expect(screen.getByText('0')).toBeDefined();
});

it('two tabs with different clocks show the same', () => {
  const gateway = Date.parse('2026-11-27T12:00:20Z');
  const left = [-7_000, 0, 93_500].map((wrong) =>
    secondsLeft('2026-11-27T12:01:00Z', -wrong, gateway + wrong),
  );
  expect(left).toEqual([40, 40, 40]);
});

it('a request without a deadline has no countdown', () => {
  expect(secondsLeft(undefined, 0, 0)).toBeUndefined();
});

it.each([
  [0, '0:00'],
  [59, '0:59'],
  [60, '1:00'],
  [3700, '1:01:40'],
])('%d seconds read %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});
