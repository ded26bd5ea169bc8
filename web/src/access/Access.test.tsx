import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Credential } from '../wire/wire';
import { gateway, page, storeOf } from '../test/page';
import type { Role } from '../wire/wire';
import Access from './Access';

const ci: Credential = {
  id: 't1',
  kind: 'token',
  name: 'ci',
  subject: 'robot',
  roles: ['agent'],
  agents: ['demo'],
  by: 'owner',
  createdAt: '2026-11-28T08:00:00Z',
  expiresAt: '2027-01-01T00:00:00Z',
};
const carol: Credential = {
  id: 'l1',
  kind: 'login',
  subject: 'carol',
  roles: ['approver'],
  from: 't1',
  createdAt: '2026-11-28T09:00:00Z',
};

const lists = {
  'GET /api/tokens': { body: { tokens: [ci] } },
  'GET /api/logins': { body: { logins: [carol] } },
};

function show(replies: Parameters<typeof gateway>[0] = {}, roles: Role[] = ['admin']) {
  const asked = gateway({ ...lists, ...replies });
  page(storeOf(roles), <Access />);
  return asked;
}

const entries = () => screen.findAllByTestId('access');
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));

describe('who has access', () => {
  it('is listed with what they may, for whom, and how long', async () => {
    show();
    const [token, login] = await entries();
    for (const words of ['ci', 'Agent', 'as robot', 'for demo', 'created by owner', 'until'])
      expect(token!.textContent).toContain(words);
    for (const words of ['carol', 'Approver', 'for all agents', 'with the token ci'])
      expect(login!.textContent).toContain(words);
  });

  it('is not shown to who may not say so', () => {
    show({}, ['approver']);
    expect(screen.getByText(/Only an admin for all agents/)).toBeTruthy();
    expect(screen.queryAllByTestId('access')).toEqual([]);
  });

  it('is ended by the second press, and not by the first', async () => {
    const asked = show({ 'DELETE /api/tokens/t1': { body: ci } });
    await entries();
    press('Revoke: ci');
    expect(asked.some(({ what }) => what.startsWith('DELETE'))).toBe(false);
    press('Confirm revoking');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('ci was revoked'));
  });

  it('gets a token that is shown once, and is gone with the dialog', async () => {
    const secret = 'lct_secret';
    const asked = show({ 'POST /api/tokens': { body: { token: { ...ci, name: 'new' }, secret } } });
    await entries();
    press('New token');
    const dialog = await screen.findByRole('dialog');
    fireEvent.change(within(dialog).getByLabelText(/^Name/), { target: { value: ' new ' } });
    press('Create');
    expect((await screen.findByTestId('secret')).textContent).toBe(secret);
    expect(asked.find(({ what }) => what.startsWith('POST'))?.body).toMatchObject({
      name: 'new',
      roles: ['agent'],
    });
    press('Done');
    await waitFor(() => expect(screen.queryByTestId('secret')).toBeNull());
    expect(document.body.textContent).not.toContain(secret);
  });

  it('is told why something could not be made, and keeps what was typed', async () => {
    show({
      'POST /api/links': { status: 422, body: { detail: 'name: "system" is the gateway’s own name' } },
    });
    await entries();
    press('Invite a person');
    const dialog = await screen.findByRole('dialog');
    fireEvent.change(within(dialog).getByLabelText(/Person’s name/), { target: { value: 'system' } });
    press('Create');
    expect((await within(dialog).findByRole('alert')).textContent).toContain('the gateway’s own name');
    expect(within(dialog).getByDisplayValue('system')).toBeTruthy();
  });
});
