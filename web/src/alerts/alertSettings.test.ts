// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest';

// The module keeps what it has read; each test begins with a fresh one.
const load = () => import('./alertSettings');
const name = 'lineclear.attention';

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
});

describe('what draws attention', () => {
  it('is off until it is turned on, and so is the key that goes to the approve buttons', async () => {
    const { alertSettings } = await load();
    expect(alertSettings()).toEqual({
      sound: false,
      notifications: false,
      push: '',
      offered: false,
      keys: true,
      approveKey: false,
    });
  });

  it('stands under one name, and is read again', async () => {
    (await load()).setAlertSettings({ sound: true });
    expect(JSON.parse(localStorage.getItem(name)!)).toMatchObject({ sound: true, notifications: false });
    vi.resetModules();
    expect((await load()).alertSettings().sound).toBe(true);
  });

  it.each(['nonsense', '7', '{"sound": "yes"}', '[]'])('is off where %s stands', async (kept) => {
    localStorage.setItem(name, kept);
    expect((await load()).alertSettings().sound).toBe(false);
  });
});
