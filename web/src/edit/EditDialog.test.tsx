import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import { EditDialog } from './EditDialog';

vi.mock('./JsonEditor', () => ({ default: () => null }));

const request = { ...golden('approvalRequest', 'approvalRequest').data, expiresAt: undefined };

it('shows each change, also where two members are written alike', () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const args = { 'a.b': 1, a: { b: 1 } };
  const store = storeOf();
  store.dispatch({
    type: 'drafting',
    approvalId: request.approvalId,
    draft: { args: '{ "a.b": 2, "a": { "b": 3 } }' },
  });
  page(store, <EditDialog request={{ ...request, args }} args={args} onBack={() => undefined} />);
  const changes = within(screen.getByTestId('edit-changes'));
  expect(changes.getAllByRole('term').map((t) => t.textContent)).toEqual(['a.b', 'a.b']);
  expect(changes.getAllByRole('definition').map((d) => d.textContent)).toEqual(['12', '13']);
  expect(complaints).not.toHaveBeenCalled();
});
