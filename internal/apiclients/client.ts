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
// What else can happen to a request.
type AskBody = NonNullable<paths['/api/approvals']['post']['requestBody']>['content']['application/json'];
const put = async (body: AskBody) => done(await program.POST('/api/approvals', { body: { toolName: 'deploy', ...body } }));
const params = (id: string) => ({ path: { id } });
const decide = async (id: string, body: Parameters<typeof answer>[1]) => done(await answer(id, body));
const answer = (id: string, body: NonNullable<paths['/api/approvals/{id}']['post']['requestBody']>['content']['application/json']) =>
  person.POST('/api/approvals/{id}', { params: params(id), body });
const claim = async (id: string) => done(await program.POST('/api/approvals/{id}/claim', { params: params(id) })).args;
/** Why a request has ended, as a person sees it. */
const why = async (id: string) =>
  done(await person.GET('/api/approvals/{id}', { params: { path: { id }, query: { wait: '30s' } } })).response?.reason;

const edited = await put({ args: { to: 'staging' }, editable: true });
await decide(edited.approvalId, { status: 'approved', edit: { to: 'moon' } });
assert.deepEqual(await claim(edited.approvalId), { to: 'moon' });

assert.equal(await why((await put({ expiresIn: '1s' })).approvalId), 'timeout');

const withdrawn = await put({});
done(await program.POST('/api/approvals/{id}/cancel', { params: params(withdrawn.approvalId) }));
assert.equal(await why(withdrawn.approvalId), 'asker_gone');

const leave = new AbortController();
const asking = program.POST('/api/approvals', { params: { query: { wait: '30s' } }, body: { toolName: 'left' }, signal: leave.signal });
const pending = async () => done(await person.GET('/api/approvals', { params: { query: { status: 'pending' } } })).approvals;
let left = undefined;
while (!left) left = (await pending()).find((a) => a.toolName === 'left');
leave.abort();
await assert.rejects(asking);
assert.equal(await why(left.approvalId), 'asker_gone');

const large = await put({ args: { file: 'x'.repeat(2 ** 20 - 200) } });
await restart();
await decide(large.approvalId, { status: 'approved' });
assert.equal(((await claim(large.approvalId)) as { file: string }).file.length, 2 ** 20 - 200);

const begin = async (name: string) => done(await program.POST('/api/runs', { body: { name } })).sessionId;
const [one, other] = [await begin('one'), await begin('other')];
const remembered = await put({ sessionId: one });
await decide(remembered.approvalId, { status: 'approved', scope: 'session', grant: { covers: 'tool' } });
assert.equal((await put({ sessionId: one })).status, 'approved');
assert.equal((await put({ sessionId: other })).status, 'pending');

/** Has the gateway killed and started again. */
async function restart() {
  process.stdout.write('restart\n');
  await new Promise((heard) => process.stdin.once('data', heard));
}

process.exit(0); // the stream has no end
