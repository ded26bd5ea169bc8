import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { page, storeOf } from '../test/page';
import { everything } from './search';
import { SearchBar } from './SearchBar';

it('clears what was typed and is not searched for yet', () => {
  vi.useFakeTimers();
  const asked = vi.fn();
  page(storeOf(), <SearchBar search={everything} onSearch={asked} />);
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2099-01-01' } });
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  act(() => vi.advanceTimersByTime(1000));
  expect(asked.mock.lastCall).toEqual([everything]);
  expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('');
});
