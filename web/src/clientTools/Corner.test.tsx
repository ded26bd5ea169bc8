import { act, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ClientTools } from '../connection/clientTools';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import { Corner, FromAgents } from './Corner';

const call = golden('toolCall', 'toolCall').data;
const notice = { ...call, toolName: 'ui.showNotification', args: { text: 'press the green button' } };

it('what agents write appears in the corner and nowhere else', () => {
  const store = storeOf();
  const { container } = page(store, <Corner />);
  act(() => new ClientTools(store, () => undefined).received(notice));
  expect(container.contains(screen.getByText('press the green button'))).toBe(true);
});

it('without a corner, a button opens it and says how many items there are, but none of their words', () => {
  const store = storeOf();
  const opened = vi.fn();
  page(store, <FromAgents onOpen={opened} />);
  expect(screen.queryByRole('button')).toBeNull();
  act(() => new ClientTools(store, () => undefined).received(notice));
  screen.getByRole('button', { name: '1 item from agents for you' }).click();
  expect(opened).toHaveBeenCalledOnce();
  expect(screen.queryByText('press the green button')).toBeNull();
});
