import { act, screen } from '@testing-library/react';
import { notifications } from '@mantine/notifications';
import { expect, it, vi } from 'vitest';
import { ClientTools } from '../connection/clientTools';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import { Corner, FromAgents } from './Corner';

const call = golden('toolCall', 'toolCall').data;
const notice = { ...call, toolName: 'ui.showNotification', args: { text: 'press the green button' } };

it('what agents write, and the notes of what was decided, stand in one place of the page and nowhere else', () => {
  const store = storeOf();
  const { container } = page(store, <Corner />);
  act(() => {
    new ClientTools(store, () => undefined).received(notice);
    notifications.show({ message: 'Denied by ada' });
  });
  for (const words of ['press the green button', 'Denied by ada'])
    expect(container.contains(screen.getByText(words))).toBe(true);
});

it('on a narrow screen they are behind a button, which says how many there are and none of their words', () => {
  const other = matchMedia('');
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => ({
    ...other,
    matches: media === '(max-width: 820px)',
  }));
  const store = storeOf();
  const opened = vi.fn();
  page(store, <FromAgents onOpen={opened} />);
  expect(screen.queryByRole('button')).toBeNull();
  act(() => new ClientTools(store, () => undefined).received(notice));
  screen.getByRole('button', { name: '1 item from agents for you' }).click();
  expect(opened).toHaveBeenCalledOnce();
  expect(screen.queryByText('press the green button')).toBeNull();
});
