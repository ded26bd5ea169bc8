// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from './api';

/** A gateway that opens nothing without the proof that the last login was told. */
function gateway() {
  const asked: string[] = [];
  let proof = 0;
  vi.stubGlobal('fetch', (path: string, init: { method: string; headers: Record<string, string> }) => {
    const given = init.headers['X-Lineclear-Csrf'] ?? 'none';
    asked.push(`${init.method} ${path} ${given}`);
    const begins = path === '/api/login';
    if (begins) proof += 1;
    const status = begins || given === `proof ${proof}` ? 200 : 401;
    const body = {
      identity: { subject: 'ada', roles: [] },
      ...(begins && { csrf: `proof ${proof}`, loginId: 'l' }),
    };
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return asked;
}

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

describe('where the browser can keep no key, everything', () => {
  it('is asked with the proof that the login gave, reading too', async () => {
    const asked = gateway();
    await api.login('token');
    await api.ticket();
    await api.agents();
    expect(asked.slice(1)).toEqual(['POST /api/ws-ticket proof 1', 'GET /api/agents proof 1']);
  });

  it('is asked with the proof of the newest login, whichever tab began that', async () => {
    const asked = gateway();
    await api.login('token');
    localStorage.setItem('lineclear.csrf', 'proof of another tab');
    await expect(api.ticket()).rejects.toMatchObject({ status: 401 });
    expect(asked.slice(1)).toEqual(['POST /api/ws-ticket proof of another tab']);
  });
});

describe('who is here', () => {
  it('is nobody where the cookie is there and its proof is not', async () => {
    const asked = gateway();
    await expect(api.me()).rejects.toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  });

  it('is nobody after the logout, also for other tabs', async () => {
    gateway();
    await api.login('token');
    await expect(api.me()).resolves.toMatchObject({ identity: { subject: 'ada' } });
    await api.logout();
    await expect(api.me()).rejects.toMatchObject({ status: 401 });
    expect(localStorage.getItem('lineclear.csrf')).toBe('');
  });
});

// What a page holds outlives the tests: this one comes last.
describe('where the browser keeps nothing', () => {
  it('the page holds the proof while it lives', async () => {
    const asked = gateway();
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('nothing is kept');
    });
    await api.login('token');
    await api.ticket();
    expect(asked.at(-1)).toBe('POST /api/ws-ticket proof 1');
  });
});
