import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import {
  Lineclear,
  Refused,
  type AnswerGiven,
  type Approval,
  type JSONObject,
  type Question,
  type Reason,
  type Session,
} from '../src/index.js';
import { Gateway, waiting } from './gateway.js';

let gateway: Gateway;
let program: Lineclear;
let approver: Lineclear;
let admin: Lineclear;
let run: Session;

before(async () => {
  gateway = await Gateway.start();
  program = await gateway.client('deployer', 'agent');
  approver = await gateway.client('ada', 'approver');
  admin = await gateway.client('root', 'admin');
  run = await program.beginRun({ client: 'deployer', name: 'one', workingDirectory: '/srv' });
});

after(() => gateway.end());

const deploy = (): Question => ({
  sessionId: run.sessionId,
  toolName: 'deploy',
  args: { to: 'staging' },
  workingDirectory: '/srv',
});

/** Guards a call that is answered meanwhile; what it ran with, and what came of it. */
async function guarded(question: Question, meanwhile?: () => Promise<unknown>, fails?: Error) {
  const ran: JSONObject[] = [];
  const call = program.guard(question, (args) => {
    ran.push(args);
    if (fails) throw fails;
    return { text: 'deployed', structured: { exitCode: 0 } };
  });
  const over = call.then(
    (result) => ({ ran, result }),
    (error: unknown) => ({ ran, error }),
  );
  await Promise.race([meanwhile?.(), over]);
  return over;
}

async function answered(answer: AnswerGiven) {
  const { approvalId, argsDigest } = await waiting(approver);
  return approver.answer(approvalId, { argsDigest, ...answer });
}

describe('a guarded call', () => {
  it('runs once it is approved, with its result on record', async () => {
    const done = await guarded(deploy(), () => answered({ status: 'approved' }));
    assert.deepEqual(done, {
      ran: [{ to: 'staging' }],
      result: { text: 'deployed', structured: { exitCode: 0 } },
    });
    const newest = await approver.approvals({ sessionId: run.sessionId }).next();
    assert.equal(newest.done, false);
    assert.equal(newest.value.run, 'finished');
  });

  it('that throws is reported, and throws', async () => {
    const fails = new Error('no such host');
    const done = await guarded(deploy(), () => answered({ status: 'approved' }), fails);
    assert.deepEqual(done, { ran: [{ to: 'staging' }], error: fails });
    const { events } = await approver.call<{ events: { type: string; data: unknown }[] }>(
      'GET',
      `/api/sessions/${run.sessionId}/events?limit=500`,
    );
    const results = events.filter((e) => e.type === 'tool.result');
    assert.deepEqual((results.at(-1)!.data as { result: unknown }).result, {
      text: 'no such host',
      isError: true,
    });
  });

  const schema = { type: 'object', properties: { to: { type: 'string' }, dry: { type: 'boolean' } } };

  it('runs with the arguments that were cleared, which a person has changed', async () => {
    const question = { ...deploy(), schema, editable: true };
    const done = await guarded(question, () =>
      answered({ status: 'approved', edit: { to: 'production', dry: true } }),
    );
    assert.deepEqual(done.ran, [{ to: 'production', dry: true }]);
  });

  const untaken: [string, Question, JSONObject][] = [
    ['where the program does not say that it takes that', { schema }, { to: 'production' }],
    ['into what does not fit its schema', { schema, editable: true }, { to: 7 }],
  ];
  for (const [name, question, edit] of untaken) {
    it(`is not changed ${name}`, async () => {
      const done = await guarded({ ...deploy(), ...question }, async () => {
        await assert.rejects(answered({ status: 'approved', edit }), { name: 'Problem', status: 422 });
        await answered({ status: 'approved' });
      });
      assert.deepEqual(done.ran, [{ to: 'staging' }]);
    });
  }

  it('is asked about with each digit of its numbers: the gateway takes none that others would round', async () => {
    const args = { id: Number.MAX_SAFE_INTEGER, rate: 1.5 };
    assert.deepEqual((await guarded({ ...deploy(), args }, () => answered({ status: 'approved' }))).ran, [
      args,
    ]);
    const rounded = program.ask({ ...deploy(), args: { id: 9007199254740993n } });
    await assert.rejects(rounded, { name: 'Problem', status: 422, message: /9007199254740993/ });
  });
});

const refusals: [string, Question, (() => Promise<unknown>) | undefined, Reason, RegExp][] = [
  [
    'a person says no',
    { toolName: 'deploy' },
    () => answered({ status: 'denied', message: 'not on a Friday' }),
    'user_denied',
    /^Denied by ada: not on a Friday\./,
  ],
  [
    'a rule says no',
    { toolName: 'forbidden' },
    undefined,
    'policy_denied',
    /^Denied by the policy: .*not here/,
  ],
  [
    'nobody answers',
    { toolName: 'deploy', expiresIn: '1s' },
    undefined,
    'timeout',
    /nobody answered within 1 s\. No person refused/,
  ],
  [
    'a person withdraws it',
    { toolName: 'deploy' },
    () => answered({ status: 'cancelled' }),
    'user_cancelled',
    /^Not run: the request was cancelled by ada/,
  ],
  [
    'the agent is halted',
    { toolName: 'deploy' },
    async () => {
      await waiting(approver);
      await approver.call('POST', '/api/halts', { body: { agentId: 'external' } });
    },
    'halted',
    /^Not run: ada has halted this agent/,
  ],
];

describe('a guarded call is refused where', () => {
  after(() => admin.call('POST', '/api/halts/lift', { body: { agentId: 'external' } }));
  for (const [name, question, meanwhile, reason, says] of refusals) {
    it(name, async () => {
      const done = await guarded({ ...question, sessionId: run.sessionId }, meanwhile);
      assert.deepEqual(done.ran, []);
      assert.ok('error' in done && done.error instanceof Refused, `it is ${JSON.stringify(done)}`);
      assert.equal(done.error.reason, reason);
      assert.match(done.error.message, says);
    });
  }
});

describe('a question', () => {
  it('is withdrawn by its signal', async () => {
    const giveUp = new AbortController();
    const asked = program.ask(deploy(), { signal: giveUp.signal });
    const { approvalId } = await waiting(approver);
    const why = new Error('the user pressed stop');
    giveUp.abort(why);
    await assert.rejects(asked, why);
    const { status, response } = await approver.approval(approvalId);
    assert.deepEqual(
      [status, response?.reason, response?.by?.subject],
      ['cancelled', 'asker_gone', 'deployer'],
    );
    assert.deepEqual(await approver.pending(), []);
  });

  it('whose program dies is withdrawn', async () => {
    const dies = `import { Lineclear } from '${new URL('../src/index.js', import.meta.url).href}';
      await new Lineclear({ url: '${gateway.url}', token: process.env.TOKEN }).ask({ toolName: 'deploy' });`;
    const env = { ...process.env, TOKEN: await gateway.token('mortal', 'agent') };
    const child = spawn(process.execPath, ['--input-type=module', '-e', dies], { env, stdio: 'inherit' });
    const { approvalId } = await waiting(approver);
    child.kill('SIGKILL');
    const path = `/api/approvals/${approvalId}?wait=30s`;
    const { response } = await approver.call<Approval>('GET', path);
    assert.deepEqual([response?.reason, response?.by?.subject], ['asker_gone', 'system']);
  });

  it('may carry a whole file', async () => {
    const args = { file: 'x'.repeat(2 ** 20 - 200) };
    const done = await guarded({ ...deploy(), args }, () => answered({ status: 'approved' }));
    assert.deepEqual(done.ran, [args]);
  });

  it('outlives its gateway, and so do its call and who watches', async () => {
    const seen: number[] = [];
    const types: string[] = [];
    const enough = new AbortController();
    const own = await program.beginRun({ client: 'deployer', name: 'restarted' });
    const watched = (async () => {
      for await (const { event, data } of approver.watch({
        sessionId: own.sessionId,
        signal: enough.signal,
      })) {
        if (event !== 'sessionEvent') continue;
        seen.push(data.seq);
        types.push(data.type);
        if (data.type === 'tool.result') enough.abort();
      }
    })();
    const done = await guarded({ ...deploy(), sessionId: own.sessionId }, async () => {
      const { approvalId } = await waiting(approver);
      await gateway.kill();
      await gateway.run();
      await approver.answer(approvalId, { status: 'approved' });
    });
    assert.equal(done.ran.length, 1);
    await watched;
    assert.deepEqual(types, ['session.created', 'approval.requested', 'approval.resolved', 'tool.result']);
    assert.deepEqual(seen, [1, 2, 3, 4]);
  });

  it('is cleared by what was approved for its own run, and by no other’s', async () => {
    const forSession: AnswerGiven = { status: 'approved', scope: 'session', grant: { covers: 'tool' } };
    const [one, other] = await Promise.all(
      ['first', 'second'].map((name) =>
        program.beginRun({ client: 'deployer', name, workingDirectory: '/srv' }),
      ),
    );
    const inOne = { ...deploy(), sessionId: one!.sessionId };
    assert.equal((await guarded(inOne, () => answered(forSession))).ran.length, 1);
    assert.equal((await program.ask(inOne)).response?.by?.via, 'grant');
    const asked = program.ask({ ...inOne, sessionId: other!.sessionId });
    assert.equal((await waiting(approver)).sessionId, other!.sessionId);
    await program.endRun(other!.sessionId);
    assert.equal((await asked).status, 'cancelled');
  });
});

describe('where there is no gateway', () => {
  before(() => gateway.kill());
  after(() => gateway.run());

  it('a question fails at once', async () => {
    await assert.rejects(program.ask(deploy()), { name: 'Unreachable', mayHaveArrived: false });
  });
});

describe('who may not', () => {
  it('answer is told so', async () => {
    await guarded(deploy(), async () => {
      const { approvalId } = await waiting(approver);
      await assert.rejects(program.answer(approvalId, { status: 'approved' }), {
        name: 'Problem',
        status: 403,
      });
      await approver.answer(approvalId, { status: 'denied' });
    });
  });

  it('ask is told so at once', async () => {
    const stranger = new Lineclear({ url: gateway.url, token: 'lct_wrong' });
    await assert.rejects(stranger.ask(deploy()), { name: 'Problem', status: 401 });
  });
});
