// Drives a gateway with the client that is generated from its description: asks, watches,
// answers, claims and reports, and is refused.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './dist/api.js';

const { LINECLEAR_URL: baseUrl, ASKER: asker, APPROVER: approver } = process.env;
const as = (token?: string) => createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const program = as(asker);
const person = as(approver);

/** What the gateway answered; fails where it refused. */
function done<T>(answer: { data?: T; error?: unknown }): T {
  assert.equal(answer.error, undefined);
  assert.ok(answer.data);
  return answer.data;
}

async function ask(to: string) {
  const body = { toolName: 'deploy', args: { to }, client: 'typescript' };
  return done(await program.POST('/api/approvals', { body }));
}

/** Reads the stream up to an event that has a text. */
async function seen(stream: ReadableStream<Uint8Array> | null, event: string, text: string) {
  assert.ok(stream);
  const decoder = new TextDecoder();
  let read = '';
  for await (const piece of stream) {
    read += decoder.decode(piece, { stream: true });
    if (read.split('\n\n').some((e) => e.includes(`event: ${event}\n`) && e.includes(text))) return;
  }
  assert.fail(`the stream ended without ${event}`);
}

const stream = done(await person.GET('/api/events', { parseAs: 'stream' }));
const first = await ask('staging');
assert.equal(first.status, 'pending');
await seen(stream, 'approvalRequest', first.approvalId);

const path = { id: first.approvalId };
const approved = done(await person.POST('/api/approvals/{id}', { params: { path }, body: { status: 'approved', argsDigest: first.argsDigest } }));
assert.equal(approved.response?.by?.via, 'rest');

const again = await person.POST('/api/approvals/{id}', { params: { path }, body: { status: 'denied' } });
assert.equal(again.response.status, 409);
assert.ok(again.error && 'response' in again.error);
assert.equal(again.error.code, 'already_decided');
assert.equal(again.error.response?.status, 'approved');

const claimed = done(await program.POST('/api/approvals/{id}/claim', { params: { path } }));
assert.deepEqual(claimed.args, { to: 'staging' });
const finished = done(await program.POST('/api/approvals/{id}/result', { params: { path }, body: { text: 'deployed' } }));
assert.equal(finished.run, 'finished');

const second = await ask('production');
done(await person.POST('/api/approvals/{id}', { params: { path: { id: second.approvalId } }, body: { status: 'denied', message: 'not on a Friday' } }));
const told = done(await program.GET('/api/approvals/{id}', { params: { path: { id: second.approvalId }, query: { wait: '10s' } } }));
assert.equal(told.response?.reason, 'user_denied');
assert.equal(told.response?.message, 'not on a Friday');

const { data } = await person.GET('/api/approvals', { params: { query: { status: 'denied' } } });
for (const row of data?.approvals ?? []) for (const scope of row.scopes) assert.ok(scope);
process.exit(0); // the stream has no end
