import { fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { cardPage, commandsOf } from '../test/card';
import { golden } from '../test/golden';
import { boxesOf } from '../test/heights';
import './SearchableTree'; // preloads the lazy part

const request = golden('approvalRequest', 'approvalRequest').data;

/** Shows a card and expands its arguments. */
async function opened(args: unknown) {
  cardPage({ ...request, toolName: 'import', args, commands: undefined, expiresAt: undefined }, commandsOf());
  fireEvent.click(screen.getByRole('button', { name: 'Show everything' }));
  await vi.waitFor(() => expect(screen.queryByText('Loading…')).toBeNull(), { timeout: 20_000 });
}

const approve = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Approve once' });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

function readToEnd(label: string) {
  const box = screen.getByRole('region', { name: label });
  box.scrollTop = box.scrollHeight - box.clientHeight;
  fireEvent.scroll(box);
}

const items = Array.from({ length: 300 }, (_, i) => ({
  id: i,
  place: { city: i === 250 ? 'Oslo' : 'Rome' },
}));

describe('long arguments', () => {
  it('are a tree that must be read to its end before approval', async () => {
    boxesOf(1000);
    await opened({ items });
    expect(approve().disabled).toBe(true);
    expect(screen.getByText('Scroll the arguments to their end before approving.')).toBeDefined();
    readToEnd('Arguments');
    expect(approve().disabled).toBe(false);
  });

  it('don’t count as read while a part is folded', async () => {
    boxesOf(1000);
    await opened({ items });
    fireEvent.click(button('Fold all'));
    readToEnd('Arguments');
    expect(screen.getByText(/^1 part is folded and not shown/)).toBeDefined();
    expect(approve().disabled).toBe(true);
    boxesOf(2000);
    fireEvent.click(button('Unfold all'));
    expect(approve().disabled).toBe(true);
    readToEnd('Arguments');
    expect(approve().disabled).toBe(false);
  });

  it('are searched even where folded, stepping from match to match', async () => {
    await opened({ items });
    expect(screen.queryByText('"Oslo"')).toBeNull();
    fireEvent.click(button('Fold all'));
    const search = screen.getByLabelText('Search names and values');
    fireEvent.change(search, { target: { value: 'oslo' } });
    expect(await screen.findByText('1 match')).toBeDefined();
    fireEvent.keyDown(search, { key: 'Enter' });
    expect(screen.getByText('1 of 1')).toBeDefined();
    expect(screen.getByText('"Oslo"').closest('[data-current]')?.textContent).toContain('city');
    fireEvent.change(search, { target: { value: 'CITY' } });
    expect(await screen.findByText('251 of 300')).toBeDefined();
    fireEvent.keyDown(search, { key: 'Enter', shiftKey: true });
    expect(screen.getByText('250 of 300')).toBeDefined();
    fireEvent.change(search, { target: { value: 'nowhere' } });
    expect(await screen.findByText('No matches')).toBeDefined();
    expect(button('Next match').disabled).toBe(true);
  });

  it('must each be read if there are several, whatever their names', async () => {
    boxesOf(1000);
    const text = 'line\n'.repeat(500);
    await opened({ all: text, items });
    readToEnd('all');
    expect(approve().disabled).toBe(true);
    readToEnd('Other arguments');
    expect(approve().disabled).toBe(false);
  });

  it('are shown once, a text as it is and the others beside it', async () => {
    const text = 'line\n'.repeat(500);
    await opened({ all: text, n: 1 });
    expect(screen.getByRole('group', { name: 'Other arguments' }).textContent).toBe('n1number');
  });

  it('count as read in either view, text or tree', async () => {
    boxesOf(1000);
    await opened({ items });
    fireEvent.click(button('Text'));
    expect(screen.getByRole('region', { name: 'Arguments' }).textContent).toContain('"id": 0');
    expect(approve().disabled).toBe(true);
    readToEnd('Arguments');
    fireEvent.click(button('Tree'));
    expect(approve().disabled).toBe(false);
  });
});
