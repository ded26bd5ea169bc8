import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../store/store';
import { useStore } from '../store/store';
import { gateway, page, storeOf } from '../test/page';
import type { Agent, ModeSetting, Role } from '../wire/wire';
import { armDelay } from '../answer/arming';
import { ModeControl } from './ModeControl';

const path = 'PUT /api/agents/demo/mode';
const agent: Agent = { agentId: 'demo', kind: 'agent', mode: 'manual', modeVersion: 3, tools: [] };
const setting = (mode: ModeSetting['mode'], version: number, who = 'ada'): ModeSetting => ({
  agentId: 'demo',
  mode,
  version,
  configured: 'manual',
  setBy: { subject: who, via: 'rest' },
  setAt: '2026-11-27T12:00:00Z',
});

let store: Store;

function Control() {
  const agents = useStore((s) => s.agents);
  return agents?.[0] ? <ModeControl agent={agents[0]} /> : null;
}

function show(roles: Role[] = ['admin']) {
  store = storeOf(roles);
  store.dispatch({ type: 'agents', agents: [agent] });
  page(store, <Control />);
}

const open = () => fireEvent.click(screen.getByTestId('mode'));
const choose = (name: RegExp) => fireEvent.click(screen.getByRole('menuitemradio', { name }));
const wait = () => act(() => vi.advanceTimersByTimeAsync(armDelay));

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});

describe('the mode of an agent', () => {
  it('is only shown to who may not manage', () => {
    show(['approver', 'operator']);
    expect(screen.getByText('Manual')).toBeDefined();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('is set with the version that was seen; the current one is marked, and choosing it sends nothing', async () => {
    const asked = gateway({ [path]: { body: setting('auto-deny', 4) } });
    show();
    open();
    const now = screen.getByRole('menuitemradio', { checked: true });
    expect(now.textContent).toContain('Manual');
    choose(/Manual/);
    await wait();
    open();
    choose(/Auto-deny/);
    await waitFor(() => expect(store.get().agents?.[0]?.mode).toBe('auto-deny'));
    expect(asked).toEqual([{ what: path, body: { mode: 'auto-deny', version: 3 } }]);
    expect(screen.getByRole('status').textContent).toBe('demo is now in Auto-deny mode');
  });

  it('auto-approve is asked about in words before anything is sent', async () => {
    const asked = gateway({ [path]: { body: setting('auto-approve', 4) } });
    show();
    open();
    choose(/Auto-approve/);
    expect(screen.getByRole('dialog').textContent).toContain('run at once in all its sessions');
    fireEvent.click(screen.getByRole('button', { name: 'Set auto-approve' }));
    expect(asked).toEqual([]); // too early
    await wait();
    fireEvent.click(screen.getByRole('button', { name: 'Set auto-approve' }));
    await waitFor(() => expect(store.get().agents?.[0]?.mode).toBe('auto-approve'));
    expect(asked).toHaveLength(1);
  });

  it('leaving the question sends nothing', async () => {
    const asked = gateway({});
    show();
    open();
    choose(/Auto-approve/);
    await wait();
    fireEvent.click(screen.getByRole('button', { name: 'Keep the current mode' }));
    await wait();
    expect(asked).toEqual([]);
  });

  it('that somebody has set meanwhile is shown with who it was, and not tried again', async () => {
    const asked = gateway({
      [path]: { status: 409, body: { title: 'Conflict', mode: setting('auto-approve', 4, 'bob') } },
    });
    show();
    open();
    choose(/Auto-deny/);
    const said = await screen.findByRole('alert');
    expect(said.textContent).toContain('bob set demo to Auto-approve in the meantime');
    expect(said.textContent).toContain('Your change to Auto-deny was not made');
    expect(store.get().agents?.[0]).toMatchObject({ mode: 'auto-approve', modeVersion: 4 });
    expect(asked).toHaveLength(1);
  });

  it('news that come while the menu is open don’t make the click mean something else', async () => {
    const asked = gateway({
      [path]: { status: 409, body: { mode: setting('auto-deny', 4, 'bob') } },
    });
    show();
    open();
    act(() => store.dispatch({ type: 'mode', set: setting('auto-deny', 4, 'bob') }));
    choose(/Auto-approve/);
    await wait();
    fireEvent.click(screen.getByRole('button', { name: 'Set auto-approve' }));
    await screen.findByRole('alert');
    expect(asked).toEqual([{ what: path, body: { mode: 'auto-approve', version: 3 } }]);
  });

  it('a refusal for another reason says why', async () => {
    gateway({
      [path]: {
        status: 409,
        body: { detail: 'agent demo: there is nobody to ask', mode: setting('manual', 3) },
      },
    });
    show();
    open();
    choose(/Auto-deny/);
    expect((await screen.findByRole('alert')).textContent).toContain('there is nobody to ask');
  });
});
