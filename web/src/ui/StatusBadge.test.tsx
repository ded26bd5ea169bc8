import { describe, expect, it } from 'vitest';
import { page, storeOf } from '../test/page';
import { StatusBadge } from './StatusBadge';

describe('how a session ended', () => {
  it.each([
    [{ settled: 1, denied: 1 }, 'denied', 'Ended, its call was denied'],
    [{ settled: 1, unanswered: 1 }, 'unanswered', 'Ended, its call timed out'],
    [{ settled: 4, unanswered: 1 }, 'unanswered', 'Ended, 1 call timed out'],
    [{ settled: 9, denied: 2, unanswered: 3 }, 'denied', 'Ended, 2 calls denied, 3 timed out'],
    ['completed' as const, 'completed', 'Done'],
  ])('is given by its calls that did not run: %o', (status, look, words) => {
    const { container } = page(storeOf(), <StatusBadge status={status} />);
    const badge = container.querySelector('[data-status]');
    expect(badge?.getAttribute('data-status')).toBe(look);
    expect(badge?.textContent).toBe(words);
  });
});
