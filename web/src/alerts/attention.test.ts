import { beforeEach, describe, expect, it, vi } from 'vitest';

// The module keeps what it has read; each test begins with a fresh one.
const load = () => import('./attention');
const name = 'lineclear.attention';

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
});

describe('what draws attention', () => {
  it('is off until it is turned on, and so is the key that goes to the approve buttons', async () => {
    const { attention } = await load();
    expect(attention()).toEqual({ sound: false, notifications: false, keys: true, approveKey: false });
  });

  it('stands under one name, and is read again', async () => {
    (await load()).setAttention({ sound: true });
    expect(JSON.parse(localStorage.getItem(name)!)).toMatchObject({ sound: true, notifications: false });
    vi.resetModules();
    expect((await load()).attention().sound).toBe(true);
  });

  it.each(['nonsense', '7', '{"sound": "yes"}', '[]'])('is off where %s stands', async (kept) => {
    localStorage.setItem(name, kept);
    expect((await load()).attention().sound).toBe(false);
  });
});
