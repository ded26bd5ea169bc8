import { describe, expect, it, vi } from 'vitest';
import { api } from './api';

/** A gateway that takes changes only with the proof of the cookie as it is. */
function gatewayOf(cookie: { proof: string }) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string, init: { method: string; headers: Record<string, string> }) => {
    const given = init.headers['X-Lineclear-Csrf'] ?? 'none';
    asked.push(`${init.method} ${path} ${given}`);
    const told = path === '/api/me' || path === '/api/login';
    const status = told || init.method === 'GET' || given === cookie.proof ? 200 : 403;
    const body = told ? { identity: { subject: 'ada', roles: [] }, csrf: cookie.proof } : {};
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return asked;
}

describe('what changes something', () => {
  it('is asked with the proof that the login gave, and what only reads without', async () => {
    const asked = gatewayOf({ proof: 'one' });
    await api.login('token');
    await api.ticket();
    await api.agents();
    expect(asked.slice(1)).toEqual(['POST /api/ws-ticket one', 'GET /api/agents none']);
  });

  it('is asked once more where another tab has logged in anew', async () => {
    const cookie = { proof: 'one' };
    const asked = gatewayOf(cookie);
    await api.me();
    cookie.proof = 'two';
    await api.ticket();
    expect(asked.slice(1)).toEqual([
      'POST /api/ws-ticket one',
      'GET /api/me none',
      'POST /api/ws-ticket two',
    ]);
  });

  it('is not asked again where the gateway forbids it', async () => {
    const asked = gatewayOf({ proof: 'one' });
    await api.me();
    vi.stubGlobal('fetch', (path: string) => {
      asked.push(path);
      const body = { identity: { subject: 'ada', roles: [] }, csrf: 'one', detail: 'not for you' };
      return Promise.resolve(new Response(JSON.stringify(body), { status: path === '/api/me' ? 200 : 403 }));
    });
    await expect(api.ticket()).rejects.toThrow('not for you');
    expect(asked.slice(1)).toEqual(['/api/ws-ticket', '/api/me']);
  });
});
