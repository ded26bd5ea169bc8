import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Lineclear, Problem } from '../src/index.js';
import { fake, refusal, silent } from './fake.js';

describe('a gateway', () => {
  it('lists page after page', async () => {
    const page = (...ids: string[]) => ids.map((approvalId) => ({ approvalId }));
    const f = fake({ approvals: page('c', 'b'), next: 'b' }, { approvals: page('a') });
    assert.deepEqual(await f.gateway.pending('s'), page('c', 'b', 'a'));
    const query = 'GET /api/approvals?status=pending&sessionId=s&limit=500';
    assert.deepEqual(f.whats(), [query, `${query}&before=b`]);
  });

  it('is sent what is asked, as JSON, with the token', async () => {
    const f = fake({ sessionId: 's' }, new Response(null, { status: 204 }), { approvalId: 'a/b' }, { approvals: [] }, {});
    await f.gateway.beginRun({ client: 'deployer' });
    assert.equal(await f.gateway.endRun('s/t'), undefined);
    await f.gateway.extend('a/b', '90s');
    await f.gateway.asked('build 7');
    await f.gateway.answer('a/b', { status: 'approved', edit: { n: 9007199254740993n } });
    assert.deepEqual(f.whats(), [
      'POST /api/runs',
      'DELETE /api/runs/s%2Ft',
      'POST /api/approvals/a%2Fb/extend',
      'GET /api/approvals?idempotencyKey=build+7',
      'POST /api/approvals/a%2Fb',
    ]);
    const json = { Authorization: 'Bearer lct_x', 'Content-Type': 'application/json' };
    assert.deepEqual(
      f.asked.map((a) => a.headers),
      [json, { Authorization: 'Bearer lct_x' }, json, { Authorization: 'Bearer lct_x' }, json],
    );
  });

  it('that refuses says why, and what stands in front of it too', async () => {
    const conflict = {
      status: 409,
      code: 'already_decided',
      detail: 'already decided',
      response: { status: 'denied' },
    };
    const f = fake(
      Response.json(conflict, { status: 409 }),
      new Response('Bad gateway\n', { status: 502 }),
      refusal(429, '', '7'),
    );
    const problem = async () => (await f.gateway.approval('a').catch((e: unknown) => e)) as Problem;
    const [decided, proxy, tooMany] = [await problem(), await problem(), await problem()];
    assert.deepEqual(
      [decided.code, decided.message, decided.body.response?.status],
      ['already_decided', 'already decided', 'denied'],
    );
    assert.deepEqual([proxy.status, proxy.code, proxy.detail], [502, '', 'Bad gateway']);
    assert.equal(tooMany.retryAfter, 7);
  });

  it('is left with the signal’s reason', async () => {
    const why = new Error('stop');
    const f = fake(silent);
    const giveUp = new AbortController();
    const asked = f.gateway.call('GET', '/api/me', { signal: giveUp.signal });
    giveUp.abort(why);
    await assert.rejects(asked, why);
  });

  it('is found at an address with a slash at its end, and beside the page', async () => {
    const urls: string[] = [];
    const fetch = (url: string) => (urls.push(url), Promise.resolve(new Response()));
    await new Lineclear({ url: 'http://gateway/', fetch }).call('GET', '/api/me');
    await new Lineclear({ url: '', fetch }).call('GET', '/api/me');
    assert.deepEqual(urls, ['http://gateway/api/me', '/api/me']);
  });
});
