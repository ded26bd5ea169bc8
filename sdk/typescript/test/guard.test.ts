import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { ExactNumber, Problem, Refused, Unclear, Unreachable, Unreported } from '../src/index.js';
import type { Approval, JSONObject, Reason } from '../src/index.js';
import { broken, fake, nobody, refusal, silent, type Step } from './fake.js';

const question = { toolName: 'deploy', args: { to: 'staging' }, key: 'k' };
const pending = { approvalId: 'a', status: 'pending', run: 'none' } as Approval;
const approved = { ...pending, status: 'approved' } as Approval;
const claimed = { args: { to: 'staging' }, approval: approved };
const finished = { ...approved, run: 'finished' } as Approval;

const put = 'POST /api/approvals?wait=60s';
const poll = 'GET /api/approvals/a?wait=60s';
const look = 'GET /api/approvals/a';
const claim = 'POST /api/approvals/a/claim';
const report = 'POST /api/approvals/a/result';

/** What comes of something whose pauses pass at once. */
async function settled<T>(what: Promise<T>, pause = 60_000): Promise<T | Error> {
  let over = false;
  const outcome = what.catch((error: Error) => error).finally(() => (over = true));
  while (!over) {
    await new Promise((r) => setImmediate(r));
    mock.timers.tick(pause);
  }
  return outcome;
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
});

describe('asking', () => {
  const rows: [string, Step[], string[], (outcome: unknown) => void][] = [
    [
      'waits for the answer',
      [pending, pending, approved],
      [put, poll, poll],
      (a) => assert.deepEqual(a, approved),
    ],
    [
      'goes on where the connection broke',
      [broken(), approved],
      [put, put],
      (a) => assert.deepEqual(a, approved),
    ],
    [
      'goes on once it has begun, wherever the gateway is',
      [broken(), nobody(), pending, nobody(), refusal(502), approved],
      [put, put, put, poll, poll, poll],
      (a) => assert.deepEqual(a, approved),
    ],
    [
      'waits as long as it is told to',
      [refusal(429, 'too_many', '7'), refusal(503, 'unavailable', '1'), approved],
      [put, put, put],
      (a) => assert.deepEqual(a, approved),
    ],
    ['fails where there is no gateway', [nobody()], [put], (e) => assert.ok(e instanceof Unreachable)],
    ['fails where something else answers', [refusal(500)], [put], (e) => assert.ok(e instanceof Problem)],
    [
      'fails where it is refused',
      [pending, refusal(403, 'forbidden')],
      [put, poll],
      (e) => assert.ok(e instanceof Problem && e.code === 'forbidden' && e.status === 403),
    ],
  ];
  for (const [name, steps, whats, check] of rows) {
    it(name, async () => {
      const f = fake(...steps);
      check(await settled(f.gateway.ask(question)));
      assert.deepEqual(f.whats(), whats);
      const keys = new Set(f.asked.filter((a) => a.what === put).map((a) => a.headers['Idempotency-Key']));
      assert.deepEqual([...keys], ['k']);
      assert.deepEqual(f.asked[0]!.body, { toolName: 'deploy', args: { to: 'staging' } });
    });
  }

  it('has a key of its own where it is given none, the same at each attempt', async () => {
    const f = fake(broken(), approved, approved);
    await settled(f.gateway.ask({ toolName: 'deploy' }));
    await f.gateway.ask({ toolName: 'deploy' });
    const [first, again, other] = f.asked.map((a) => a.headers['Idempotency-Key']);
    assert.match(first!, /^[0-9a-f]{32}$/);
    assert.equal(again, first);
    assert.notEqual(other, first);
  });

  it('waits for a gateway that is away as long as the question may take, and no longer', async () => {
    const f = fake(pending, nobody(), pending, nobody(), nobody(), nobody(), approved);
    assert.ok(
      (await settled(f.gateway.ask({ ...question, expiresIn: '1m30s' }), 50_000)) instanceof Unreachable,
    );
    assert.deepEqual(f.whats(), [put, poll, poll, poll, poll, poll]);
  });

  it('waits exactly as long', async () => {
    const f = fake(refusal(429, 'too_many', '7'), approved);
    const asked = f.gateway.ask(question);
    const after = async (ms: number) => {
      mock.timers.tick(ms);
      await new Promise((r) => setImmediate(r));
      return f.asked.length;
    };
    assert.deepEqual([await after(0), await after(6_999), await after(1)], [1, 1, 2]);
    await asked;
  });

  const withdrawn = ['POST /api/approvals', 'POST /api/approvals/a/cancel'];
  const withdrawals: [string, (givenUp: Step) => Step[], string[]][] = [
    ['before the id is known', (givenUp) => [givenUp, pending, pending], [put, ...withdrawn]],
    ['while it waits', (givenUp) => [pending, givenUp, pending, pending], [put, poll, ...withdrawn]],
    ['as it is approved', (givenUp) => [givenUp, approved, approved], [put, ...withdrawn]],
    ['too late', (givenUp) => [givenUp, { ...pending, status: 'denied' }], [put, 'POST /api/approvals']],
    ['while the gateway is away', (givenUp) => [givenUp, nobody()], [put, 'POST /api/approvals']],
  ];
  for (const [name, steps, whats] of withdrawals) {
    it(`that is given up ${name} rejects with the reason, once it is withdrawn`, async () => {
      const giveUp = new AbortController();
      const why = new Error('stop');
      const givenUp: Step = (asked) => {
        const answer = silent(asked);
        giveUp.abort(why);
        return answer;
      };
      const f = fake(...steps(givenUp));
      await assert.rejects(f.gateway.ask(question, { signal: giveUp.signal }), why);
      assert.deepEqual(f.whats(), whats);
    });
  }

  it('that is given up before it began asks nothing', async () => {
    const f = fake();
    await assert.rejects(f.gateway.ask(question, { signal: AbortSignal.abort(new Error('stop')) }), /stop/);
    assert.deepEqual(f.asked, []);
  });
});

describe('a guarded call', () => {
  type Row = [
    string,
    Step[],
    string[],
    { ran?: JSONObject[]; reports?: unknown[]; fails?: Error },
    (o: unknown) => void,
  ];
  const isDone = (o: unknown) => assert.equal(o, 'deployed');
  const begun = [approved, claimed];
  const said = { text: 'deployed' };
  const asIs = [{ to: 'staging' }];
  const wrong = new Error('no such host');
  const edited = new Response('{"args":{"to":"dev","id":9007199254740993},"approval":{"approvalId":"a"}}');
  const voided = {
    ...approved,
    response: { status: 'approved' },
    voided: { status: 'cancelled', reason: 'halted', by: { subject: 'ada' } },
  };
  const rows: Row[] = [
    [
      'runs what was asked',
      [...begun, finished],
      [put, claim, report],
      { ran: asIs, reports: [said] },
      isDone,
    ],
    [
      'runs what was cleared, where that was edited',
      [approved, edited, finished],
      [put, claim, report],
      { ran: [{ to: 'dev', id: new ExactNumber('9007199254740993') }], reports: [said] },
      isDone,
    ],
    [
      'is reported and throws where it fails',
      [...begun, finished],
      [put, claim, report],
      { ran: asIs, reports: [{ text: 'no such host', isError: true }], fails: wrong },
      (o) => assert.equal(o, wrong),
    ],
    [
      'throws what it failed with also where that can’t be reported',
      [...begun, refusal(403)],
      [put, claim, report],
      { ran: asIs, fails: wrong },
      (o) => assert.equal(o, wrong),
    ],
    [
      'does not run where the claim’s answer was lost',
      [approved, broken()],
      [put, claim],
      {},
      (o) => assert.ok(o instanceof Unclear),
    ],
    [
      'does not run where the claim is refused',
      [approved, refusal(409, 'conflict'), approved],
      [put, claim, look],
      {},
      (o) => assert.ok(o instanceof Problem && o.status === 409),
    ],
    [
      'is refused where it was taken back before the claim',
      [approved, refusal(409, 'halted'), voided],
      [put, claim, look],
      {},
      (o) => assert.ok(o instanceof Refused && o.reason === 'halted'),
    ],
    [
      'is reported again where the report’s answer was lost',
      [...begun, broken(), nobody(), finished],
      [put, claim, report, report, report],
      { ran: asIs, reports: [said, said, said] },
      isDone,
    ],
    [
      'is reported where the gateway has the report whose answer was lost',
      [...begun, broken(), refusal(409, 'conflict'), finished],
      [put, claim, report, report, look],
      { ran: asIs, reports: [said, said] },
      isDone,
    ],
    [
      'has run where another report was faster',
      [...begun, refusal(409, 'conflict')],
      [put, claim, report],
      { ran: asIs },
      (o) => assert.ok(o instanceof Unreported && o.result === 'deployed' && o.cause instanceof Problem),
    ],
    [
      'says that its result is too large, where it is',
      [...begun, refusal(413), finished],
      [put, claim, report, report],
      { ran: asIs, reports: [said, { text: 'The result is too large to be kept.' }] },
      isDone,
    ],
  ];
  for (const [name, steps, whats, { ran = [], reports, fails }, check] of rows) {
    it(name, async () => {
      const f = fake(...steps);
      const runs: JSONObject[] = [];
      const guarded = f.gateway.guard(question, (args) => {
        runs.push(args);
        if (fails) throw fails;
        return 'deployed';
      });
      check(await settled(guarded));
      assert.deepEqual(f.whats(), whats);
      assert.deepEqual(runs, ran);
      if (reports)
        assert.deepEqual(
          f.asked.filter((a) => a.what === report).map((a) => a.body),
          reports,
        );
    });
  }

  const outcomes: [unknown, object][] = [
    [
      { text: 'no', isError: true },
      { text: 'no', isError: true },
    ],
    [
      { text: 'no', exit: 1 },
      { text: '{"text":"no","exit":1}', structured: { text: 'no', exit: 1 } },
    ],
    [[1, 2], { text: '[1,2]', structured: [1, 2] }],
    [undefined, { text: '' }],
  ];
  for (const [outcome, said] of outcomes) {
    it(`is reported as ${JSON.stringify(said)}`, async () => {
      const f = fake(...begun, finished);
      assert.deepEqual(await settled(f.gateway.guard(question, () => outcome)), outcome);
      assert.deepEqual(f.asked.at(-1)!.body, said);
    });
  }

  it('is given the signal, and is reported also where that was aborted meanwhile', async () => {
    const f = fake(...begun, finished);
    const giveUp = new AbortController();
    const run = (_: JSONObject, { signal }: { signal: AbortSignal }) => {
      giveUp.abort();
      return `aborted: ${signal.aborted}`;
    };
    assert.equal(await settled(f.gateway.guard(question, run, { signal: giveUp.signal })), 'aborted: true');
    assert.equal(f.asked.at(-1)!.what, report);
  });
});

describe('a refusal', () => {
  const minute = { unanswered: 1, requestedAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T00:01:00Z' };
  const rows: [Reason, string][] = [
    ['user_denied', 'Denied by ada: why not. Do not repeat the call unchanged.'],
    ['policy_denied', 'Denied by the policy: why not. Nobody was asked. Do not repeat the call unchanged.'],
    [
      'timeout',
      'Not run: nobody answered within 60 s. No person refused it. This same call has gone without an answer 2 times now.',
    ],
    ['user_cancelled', 'Not run: the request was cancelled by ada: why not.'],
    ['system_cancelled', 'Not run: the request was cancelled by the system: why not.'],
    ['superseded', 'Not run: the call was asked again.'],
    ['validation_failed', "Not run: the arguments can't be used: why not. Nobody was asked."],
    ['no_handler', 'Not run: nobody can be asked for approval at the moment.'],
    ['handler_failed', 'Not run: asking for approval failed: why not.'],
    ['asker_gone', 'Not run: the program that asked no longer waits for the answer.'],
    ['halted', 'Not run: ada has halted this agent. Nothing is run until the halt is lifted.'],
  ];
  for (const [reason, words] of rows) {
    it(`says that it is ${reason}`, async () => {
      const response = { reason, message: 'why not', by: { subject: 'ada', via: 'rest' } };
      const f = fake({ ...pending, ...minute, status: 'denied', response });
      const refused = await settled(f.gateway.guard(question, () => assert.fail('it ran')));
      assert.ok(refused instanceof Refused);
      assert.deepEqual([refused.message, refused.reason, refused.approval.approvalId], [words, reason, 'a']);
    });
  }

  it('says so where it gives no reason, or one that is not known', async () => {
    for (const response of [undefined, { reason: 'new' }]) {
      const f = fake({ ...pending, status: 'denied', response });
      const refused = await settled(f.gateway.guard(question, () => assert.fail('it ran')));
      assert.match((refused as Error).message, /^Not run: the call was not approved/);
    }
  });
});
