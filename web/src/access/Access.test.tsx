import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Credential, Invitation, Role } from '../wire/wire';
import { gateway, page, storeOf } from '../test/page';
import Access from './Access';

const start = Date.now();
const long = (days: number) => new Date(start - days * 86_400_000).toISOString();

const ci: Credential = {
  id: 't1',
  kind: 'token',
  name: 'ci',
  subject: 'robot',
  roles: ['agent'],
  agents: ['demo'],
  by: 'owner',
  createdAt: long(40),
  expiresAt: '2127-01-01T00:00:00Z',
  address: '10.0.7.3',
  usedAt: long(3),
};
const login = (id: string, subject: string, more: Partial<Credential>): Credential => ({
  id,
  kind: 'login',
  subject,
  roles: ['admin'],
  createdAt: long(20),
  ...more,
});
const logins = [
  login('l1', 'carol', { roles: ['approver'], agents: ['demo'], from: 't1', browser: 'Chrome on macOS' }),
  login('l2', 'ada', { browser: 'Safari on iPhone', address: '203.0.113.24', usedAt: long(12) }),
  login('l3', 'ada', { browser: 'Firefox on Linux', address: '10.0.4.21', usedAt: long(0) }),
  login('l4', 'ada', { kind: 'terminal', name: 'ada@laptop', from: 'l2' }),
];
const invited = (subject: string, more: Partial<Invitation>): Invitation => ({
  id: `i-${subject}`,
  subject,
  roles: ['approver'],
  by: 'ada',
  createdAt: long(0),
  expiresAt: long(-1),
  state: 'open',
  ...more,
});
const links = [
  invited('cara', { agents: ['release'] }),
  invited('dora', { roles: ['viewer'], state: 'expired', endedAt: long(1), expiresAt: long(1) }),
  invited('eva', { state: 'used', endedAt: long(0) }),
  invited('fay', { state: 'void' }),
  invited('gus', { state: 'withdrawn', endedBy: 'ben', endedAt: long(0) }),
];

const lists = {
  'GET /api/tokens': { body: { tokens: [ci] } },
  'GET /api/logins': { body: { logins, own: 'l3' } },
  'GET /api/links': { body: { links } },
};

function show(replies: Parameters<typeof gateway>[0] = {}, roles: Role[] = ['admin']) {
  const asked = gateway({ ...lists, ...replies });
  page(storeOf(roles), <Access />);
  return asked;
}

const all = (id: string) => screen.findAllByTestId(id);
const texts = async (id: string) => (await all(id)).map((one) => one.textContent);
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));

describe('who has access', () => {
  it('is listed by person, oneself first, with their browsers', async () => {
    show();
    const [ada, carol] = await all('person');
    expect(within(ada!).getByRole('heading').textContent).toBe('adaAdmin');
    expect(ada!.textContent).toContain('All agents');
    expect(within(carol!).getByRole('heading').textContent).toBe('carolApprover');
    const rows = await texts('login');
    expect(rows[0]).toMatch(/^Firefox on LinuxThis browser.*10\.0\.4\.21now/);
    expect(rows[1]).toMatch(/Safari on iPhone.*203\.0\.113\.2412 days ago/);
    expect(rows[2]).toMatch(/ada@laptopTerminal/);
    expect(rows[3]).toMatch(/Chrome on macOS.*with the token ci.*–not used yet/);
  });

  it('is marked if the browsers of one person have different rights', async () => {
    const viewer = login('l9', 'carol', { roles: ['viewer'] });
    show({ 'GET /api/logins': { body: { logins: [...logins, viewer], own: 'l3' } } });
    const carol = (await all('person'))[1]!;
    expect(carol.textContent).toContain('Different rights in different browsers');
    expect(within(carol).getByText('Viewer')).toBeTruthy();
    expect(within(carol).getByText('Approver')).toBeTruthy();
  });

  it('is neither fetched nor shown without the right to manage it', () => {
    const asked = show({}, ['approver']);
    expect(screen.getByText(/Only an admin for all agents/)).toBeTruthy();
    expect(asked).toEqual([]);
  });

  it('can be searched by person, browser and address', async () => {
    show();
    await all('person');
    const find = (text: string) =>
      fireEvent.change(screen.getByRole('searchbox'), { target: { value: text } });
    find('iphone');
    expect(await texts('login')).toHaveLength(1);
    find('203.0');
    expect((await all('person')).map((p) => within(p).getByRole('heading').textContent)).toEqual([
      'adaAdmin',
    ]);
    find('cara');
    expect(screen.queryAllByTestId('person')).toEqual([]);
    expect(await texts('invitation')).toHaveLength(1);
    find('nobody');
    expect(screen.getByText('Nothing matches your search.')).toBeTruthy();
  });

  it('is ended by the second press, not the first', async () => {
    const asked = show({ 'DELETE /api/logins/l1': {} });
    await all('person');
    press('Sign out: Chrome on macOS');
    const ended = () => asked.filter(({ what }) => what.startsWith('DELETE')).map(({ what }) => what);
    expect(ended()).toEqual([]);
    press('Confirm: sign out');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('Signed out 1 browser.'));
    expect(ended()).toEqual(['DELETE /api/logins/l1']);
  });

  it('is ended in one’s other browsers; logins that started there end with them', async () => {
    const asked = show({ 'DELETE /api/logins/l2': {} });
    await all('person');
    press('Sign out the other 2');
    press('Confirm: sign out the other 2');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('Signed out 2 browsers.'));
    expect(asked.filter(({ what }) => what.startsWith('DELETE')).map(({ what }) => what)).toEqual([
      'DELETE /api/logins/l2',
    ]);
  });

  it('is removed per person after showing what ends with it; nobody removes themselves', async () => {
    const asked = show({
      'DELETE /api/people/carol': {},
      'GET /api/tokens': { body: { tokens: [ci, { ...ci, id: 't2', name: 'hers', subject: 'carol' }] } },
      'GET /api/links': {
        body: { links: [invited('carol', {}), invited('carol', { id: 'i', state: 'used' })] },
      },
    });
    await all('person');
    expect(screen.queryByRole('button', { name: 'Remove: ada' })).toBeNull();
    press('Remove: carol');
    expect(
      screen.getByText(
        /This signs carol out of 1 browser, revokes 1 token in their name, and withdraws 1 invitation\./,
      ),
    ).toBeTruthy();
    press('Remove carol');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('carol was removed.'));
    expect(asked.some(({ what }) => what === 'DELETE /api/people/carol')).toBe(true);
  });

  it('is changed for all browsers of a person at once', async () => {
    const asked = show({ 'PATCH /api/logins/l1': {} });
    await all('person');
    press('Change: carol');
    const dialog = await screen.findByRole('dialog');
    fireEvent.click(within(dialog).getByRole('radio', { name: /^Viewer/ }));
    press('Save');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('carol was changed.'));
    expect(asked.find(({ what }) => what.startsWith('PATCH'))).toEqual({
      what: 'PATCH /api/logins/l1',
      body: { roles: ['viewer'], agents: ['demo'] },
    });
  });
});

describe('invitations', () => {
  it('show whom they are for, the role, who made them, and their state', async () => {
    show();
    const rows = await texts('invitation');
    expect(rows[0]).toMatch(
      /cara as Approver for releaseinvited by ada, just nowvalid until tomorrow, .*New linkWithdraw/,
    );
    expect(rows[1]).toMatch(/dora as Viewer for all agents.*not used, ended yesterday, .*Invite again$/);
    expect(rows[2]).toMatch(/eva.*used today, [^A-Z]*(AM|PM)?$/);
    expect(rows[3]).toMatch(/fay.*whoever invited them is logged out or may not manage access any more/);
    expect(rows[4]).toMatch(/gus.*withdrawn by ben, today, /);
  });

  it('are replaced by a new link, which is shown once', async () => {
    const url = 'http://gate/#login=lci_new';
    show({ 'POST /api/links/i-cara/again': { status: 201, body: { id: 'n', url, expiresAt: long(-1) } } });
    await all('invitation');
    press('New link: cara');
    expect((await screen.findByTestId('secret')).textContent).toBe(url);
    press('Done');
    await waitFor(() => expect(document.body.textContent).not.toContain(url));
  });

  it('are withdrawn by the second press', async () => {
    const asked = show({ 'DELETE /api/links/i-cara': {} });
    await all('invitation');
    press('Withdraw: cara');
    press('Confirm: withdraw');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('Its link says so.'));
    expect(asked.some(({ what }) => what === 'DELETE /api/links/i-cara')).toBe(true);
  });
});

describe('tokens', () => {
  it('are listed separately, with time and address of their last use', async () => {
    show();
    const [token] = await texts('token');
    for (const words of [
      'ci',
      'Agent',
      'as robot',
      'for demo',
      'created by owner',
      'until',
      '10.0.7.3',
      '3 days ago',
    ])
      expect(token).toContain(words);
  });

  it('are revoked by the second press', async () => {
    const asked = show({ 'DELETE /api/tokens/t1': { body: ci } });
    await all('token');
    press('Revoke: ci');
    expect(asked.some(({ what }) => what.startsWith('DELETE'))).toBe(false);
    press('Confirm: revoke');
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('ci was revoked'));
  });

  it('are shown once, until the dialog is closed', async () => {
    const secret = 'lct_secret';
    const asked = show({ 'POST /api/tokens': { body: { token: { ...ci, name: 'new' }, secret } } });
    await all('token');
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

  it('and links keep what was typed when creating fails, and say why', async () => {
    show({
      'POST /api/links': { status: 422, body: { detail: 'name: "system" is the gateway’s own name' } },
    });
    await all('token');
    press('Invite a person');
    const dialog = await screen.findByRole('dialog');
    fireEvent.change(within(dialog).getByLabelText(/Person’s name/), { target: { value: 'system' } });
    press('Create');
    expect((await within(dialog).findByRole('alert')).textContent).toContain('the gateway’s own name');
    expect(within(dialog).getByDisplayValue('system')).toBeTruthy();
  });
});
