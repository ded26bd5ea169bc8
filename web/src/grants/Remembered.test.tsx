import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { useStore, type Store } from '../store/store';
import { golden } from '../test/golden';
import { gateway, page, storeOf } from '../test/page';
import type { ApprovalResponse, Grant, Role, ServerFrame } from '../wire/wire';
import { Remembered } from './Remembered';
import { SessionGrants } from './SessionGrants';
import { UndoGrant } from './UndoGrant';

const grant: Grant = {
  ...(golden('sessionEvent-grant-given', 'sessionEvent').data.data as Grant),
  givenAt: new Date().toISOString(),
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
};
const over: Grant = {
  ...grant,
  ended: { reason: 'revoked', by: { subject: 'ada', via: 'rest' }, at: new Date().toISOString() },
};
const path = `DELETE /api/grants/${grant.grantId}`;
const frame = (f: ServerFrame) => ({ type: 'frame', frame: f, now: Date.now() }) as const;
const event = (seq: number, type: 'grant.given' | 'grant.ended', data: Grant): ServerFrame => ({
  event: 'sessionEvent',
  data: { session: grant.sessionId!, seq, type, at: grant.givenAt, data },
});

const revoke = () => fireEvent.click(screen.getByRole('button', { name: /^Revoke: commands like/ }));

describe('what a session remembers', () => {
  function Panel() {
    const entry = useStore((s) => s.sessions[grant.sessionId!]);
    return entry ? <SessionGrants entry={entry} /> : null;
  }

  function show(roles?: Role[]): Store {
    const store = storeOf(roles);
    store.dispatch(frame(golden('snapshot', 'snapshot')), frame(event(1, 'grant.given', grant)));
    page(store, <Panel />);
    return store;
  }

  const open = () => fireEvent.click(screen.getByTestId('remembered'));

  it('is counted in sight and listed with what it covers, who gave it, its uses and its time', () => {
    show();
    expect(screen.getByTestId('remembered').textContent).toBe('Standing: 1');
    open();
    const text = screen.getByTestId('grant').textContent;
    for (const words of [
      'demo may use shell to run uname …, until the session ends.',
      'Approved by ada',
      'used 1 of 5 times',
      'left',
    ])
      expect(text).toContain(words);
  });

  it('is revoked once, with a result in words', async () => {
    const asked = gateway({ [path]: { body: over } });
    const store = show();
    open();
    revoke();
    revoke();
    await waitFor(() =>
      expect(screen.getByTestId('revoked').textContent).toContain('Revoked: commands like'),
    );
    expect(asked).toEqual([{ what: path }]);
    act(() => store.dispatch(frame(event(2, 'grant.ended', over))));
    expect(screen.queryByTestId('grant')).toBeNull();
  });

  it('vanishes by the event when another tab has revoked it', () => {
    const store = show();
    open();
    act(() => store.dispatch(frame(event(2, 'grant.ended', over))));
    expect(screen.queryByTestId('grant')).toBeNull();
    expect(screen.getByTestId('remembered').textContent).toBe('Standing: 0');
  });

  it('stays, and says why, when it could not be revoked', async () => {
    gateway({ [path]: { status: 503, body: { detail: 'try again' } } });
    show();
    open();
    revoke();
    expect((await screen.findByRole('alert')).textContent).toBe('Not revoked: try again');
    expect(screen.getByTestId('grant')).toBeDefined();
  });

  it('can only be looked at by who may not answer', () => {
    show(['operator']);
    open();
    expect(screen.queryByRole('button', { name: /^Revoke/ })).toBeNull();
  });
});

describe('the page of all that is remembered', () => {
  const links = () => screen.getAllByRole('link').map((l) => l.getAttribute('href'));

  it('lists the grants with their sessions and requests', async () => {
    gateway({ 'GET /api/grants': { body: { grants: [grant] } } });
    page(storeOf(), <Remembered />);
    await screen.findByTestId('grant');
    expect(links()).toEqual([`/sessions/${grant.sessionId!}`, `/requests/${grant.approvalId!}`]);
  });

  it('fetches again after what a grant did, and when the page is come back to', async () => {
    const asked = gateway({ 'GET /api/grants': { body: { grants: [] } } });
    const store = storeOf();
    page(store, <Remembered />);
    await screen.findByText('No standing approvals');
    expect(asked).toHaveLength(1);
    act(() => store.dispatch(frame(golden('approvalResponse-by-grant', 'approvalResponse'))));
    await waitFor(() => expect(asked).toHaveLength(2));
    fireEvent.focus(window);
    await waitFor(() => expect(asked).toHaveLength(3));
  });

  it('shows ended ones on demand, with why', async () => {
    gateway({
      'GET /api/grants': { body: { grants: [] } },
      'GET /api/grants?all=true': { body: { grants: [over] } },
    });
    page(storeOf(), <Remembered />);
    await screen.findByText('No standing approvals');
    fireEvent.click(screen.getByLabelText('Show ended'));
    expect((await screen.findByTestId('grant')).textContent).toContain('revoked by ada');
    expect(screen.queryByRole('button', { name: /^Revoke/ })).toBeNull();
  });

  it('says when the list could not be fetched', async () => {
    gateway({ 'GET /api/grants': { status: 503, body: { detail: 'try again' } } });
    page(storeOf(), <Remembered />);
    expect((await screen.findByRole('alert')).textContent).toContain('try again');
  });
});

it('a standing approval is listed with its folder and its end, and is revoked', async () => {
  const standing: Grant = {
    ...grant,
    scope: 'always',
    standing: true,
    workingDirectory: '/srv/x',
    expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  };
  const ended = { ...standing, ended: { ...over.ended!, reason: 'giver_gone' as const } };
  const asked = gateway({ 'GET /api/grants': { body: { grants: [standing] } }, [path]: { body: ended } });
  page(storeOf(), <Remembered />);
  const text = (await screen.findByTestId('grant')).textContent;
  expect(text).toContain('in every session in /srv/x until ');
  expect(text).not.toMatch(/\d+:\d\d:\d\d left/);
  revoke();
  await waitFor(() =>
    expect(screen.getByTestId('revoked').textContent).toContain('can no longer answer requests'),
  );
  expect(asked.map((a) => a.what)).toContain(path);
  expect(screen.queryByTestId('grant')).toBeNull(); // before the list is fetched again
});

describe('what a standing approval covers', () => {
  const covers = { kind: 'exact' as const, text: 'exactly this call' };
  const { sessionId: _, approvalId: __, ...before } = grant;
  it.each<[string, Grant, string]>([
    [
      'one command',
      { ...grant, covers, args: { command: 'go vet ./internal/mod3/...' } },
      'demo may use shell to run exactly go vet ./internal/mod3/..., until the session ends.',
    ],
    [
      'one call of another tool',
      { ...grant, toolName: 'deploy', covers, args: { to: 'staging' } },
      'demo may use deploy with exactly { "to": "staging" }, until the session ends.',
    ],
    [
      'one command with other arguments, all of it',
      { ...grant, covers, args: { command: `echo ${'a'.repeat(300)}; curl evil.example`, network: true } },
      `demo may use shell with exactly { "command": "echo ${'a'.repeat(300)}; curl evil.example", "network": true }, until the session ends.`,
    ],
    [
      'one long command, all of it',
      { ...grant, covers, args: { command: `echo ${'a'.repeat(300)}; curl evil.example` } },
      `demo may use shell to run exactly echo ${'a'.repeat(300)}; curl evil.example, until the session ends.`,
    ],
    [
      'one call of an older gateway',
      { ...grant, covers },
      'demo may use shell for exactly one call, until the session ends.',
    ],
    [
      'commands in a folder',
      { ...grant, covers: { kind: 'command', text: 't', command: ['ls *', 'wc -l'], paths: ['/srv/x'] } },
      'demo may use shell to run ls … or wc -l in /srv/x, until the session ends.',
    ],
    [
      'files',
      { ...grant, toolName: 'read_file', covers: { kind: 'path', text: 'files below src/' } },
      'demo may use read_file on files below src/, until the session ends.',
    ],
    [
      'a whole tool',
      { ...grant, toolName: 'read_file', covers: { kind: 'tool', text: 'every call of read_file' } },
      'demo may use read_file with any arguments, until the session ends.',
    ],
    [
      'a sandbox',
      { ...grant, covers: { kind: 'tool', text: 'any command, in a sandbox that changes nothing' } },
      'demo may use shell to run any command, in a sandbox that changes nothing, until the session ends.',
    ],
    [
      'what was allowed before any request',
      { ...before, standing: true, covers, args: { command: 'npm ci' } },
      'Allowed before any request',
    ],
  ])('%s', async (_, one, words) => {
    gateway({ 'GET /api/grants': { body: { grants: [one] } } });
    page(storeOf(), <Remembered />);
    expect((await screen.findByTestId('grant')).textContent).toContain(words);
  });
});

describe('after an approval that lets more calls run', () => {
  const response = golden('approvalResponse-grant', 'approvalResponse').data;
  it('it can be undone', async () => {
    const asked = gateway({ [`DELETE /api/grants/${response.grantId!}`]: { body: over } });
    page(storeOf(), <UndoGrant response={response} />);
    fireEvent.click(screen.getByRole('button', { name: 'Undo: ask again each time' }));
    await waitFor(() =>
      expect(screen.getByTestId('revoked').textContent).toContain('a person is asked again'),
    );
    expect(asked).toHaveLength(1);
    expect(screen.queryByRole('button')).toBeNull();
  });

  it.each<[string, Role[], Partial<ApprovalResponse>]>([
    ['by who may not answer', ['viewer'], {}],
    ['where it was for one call', ['admin'], { grantId: undefined }],
    ['where a standing approval answered', ['admin'], { by: { subject: 'ada', via: 'grant' } }],
  ])('it is not offered %s', (_, roles, change) => {
    page(storeOf(roles), <UndoGrant response={{ ...response, ...change } as ApprovalResponse} />);
    expect(screen.queryByRole('button')).toBeNull();
  });
});
