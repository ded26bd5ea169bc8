import { describe, expect, it } from 'vitest';
import { golden, goldenNames } from '../test/golden';
import type {
  Agent,
  ApprovalRequest,
  ApprovalResponse,
  Grant,
  ServerFrame,
  SessionEvent,
} from '../wire/wire';
import { reduce, type Action } from './reducer';
import { initialState, lastSeq, statusOf, type State } from './state';

const now = Date.parse('2026-11-27T12:00:00Z');
const request = golden('approvalRequest', 'approvalRequest').data;
const approved = golden('approvalResponse-approved', 'approvalResponse').data;
const timeout = golden('approvalResponse-timeout', 'approvalResponse').data;
const session = golden('snapshot', 'snapshot').data.sessions[0]!;
const id = request.approvalId;

function play(...steps: (ServerFrame | Action)[]): State {
  return playOn(initialState, ...steps);
}

function playOn(state: State, ...steps: (ServerFrame | Action)[]): State {
  const actions = steps.map((s): Action => ('event' in s ? { type: 'frame', frame: s, now } : s));
  return actions.reduce(reduce, state);
}

const asks = (over: Partial<ApprovalRequest> = {}): ServerFrame => ({
  event: 'approvalRequest',
  data: { ...request, ...over },
});
const answers = (data: ApprovalResponse): ServerFrame => ({ event: 'approvalResponse', data });
const snapshot = (pending: ApprovalRequest[]): ServerFrame => ({
  event: 'snapshot',
  data: { pending, sessions: [session], more: false },
});
const event = (seq: number, type = 'message.user', data: unknown = { text: `n${seq}` }): ServerFrame => ({
  event: 'sessionEvent',
  data: { session: session.sessionId, seq, type, at: '2026-11-27T12:00:00Z', data } as SessionEvent,
});
const delta = (offset: number, text: string, messageId = 'm1'): ServerFrame => ({
  event: 'delta',
  data: { session: session.sessionId, messageId, offset, text },
});
const entry = (state: State) => state.sessions[session.sessionId]!;
const follow = (value: 'asking' | 'live'): Action => ({
  type: 'follow',
  session: session.sessionId,
  follow: value,
});
const online: Action = { type: 'connection', connection: { phase: 'online', attempts: 0 } };
const offline: Action = { type: 'connection', connection: { phase: 'offline', attempts: 1 } };

describe('the gateway’s frames', () => {
  it.each(goldenNames)('%s is taken in', (name) => {
    const frame = golden(name, name.split('-')[0] as ServerFrame['event']);
    expect(() => play(golden('snapshot', 'snapshot'), frame)).not.toThrow();
  });

  it('welcome tells that the gateway is another one than when the page was loaded, and only then', () => {
    const welcome = (version?: string): ServerFrame => {
      const { event, data } = golden('welcome', 'welcome');
      const { version: _, ...rest } = data;
      return { event, data: version ? { ...rest, version } : rest };
    };
    expect(play(welcome('1')).updated).toBe(false);
    expect(play(welcome('1'), welcome('1')).updated).toBe(false);
    expect(play(welcome('1'), welcome('2')).updated).toBe(true);
    expect(play(welcome('1'), welcome('2'), welcome('1')).updated).toBe(false);
    expect(play(welcome(), welcome('1')).updated).toBe(false);
    expect(play(welcome('1'), welcome()).updated).toBe(false);
  });

  it('welcome gives the identity and the difference of the clocks', () => {
    const state = play(golden('welcome', 'welcome'));
    expect(state.identity?.subject).toBe('ada');
    expect(state.clockOffset).toBe(1000);
  });

  it('one whole conversation ends with nothing waiting and its events in order', () => {
    const names = [
      'created',
      'user',
      'turn-started',
      'assistant',
      'requested',
      'resolved',
      'tool-result',
      'turn-finished',
      'ended',
    ];
    const state = play(snapshot([request]), ...names.map((n) => golden(`sessionEvent-${n}`, 'sessionEvent')));
    expect(entry(state).events.map((e) => e.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(state.pending).toEqual({});
    expect(statusOf(entry(state), 0)).toBe('cancelled');
  });
});

describe('a card', () => {
  it('comes with its request and leaves with the answer, which is announced once', () => {
    const state = play(asks(), answers(approved), answers(approved), {
      type: 'answerTaken',
      response: approved,
    });
    expect(state.pending).toEqual({});
    expect(state.notices).toMatchObject([{ kind: 'settled', response: approved }]);
  });

  it('is not brought back by an older request frame', () => {
    expect(play(asks(), answers(approved), asks()).pending).toEqual({});
  });

  it('is not brought back by an older snapshot', () => {
    expect(play(asks(), answers(approved), snapshot([request])).pending).toEqual({});
  });

  it('does not come at all when its answer came first', () => {
    expect(play(answers(approved), asks()).pending).toEqual({});
  });

  it('leaves when a snapshot does not name it, and an older frame does not bring it back', () => {
    const state = play(asks(), snapshot([]), asks());
    expect(state.pending).toEqual({});
    expect(state.notices).toMatchObject([{ kind: 'away', count: 1 }]);
  });

  it('leaves a trace, of which a snapshot makes no more than an answer does', () => {
    const many = (from: number) =>
      Array.from({ length: 600 }, (_, i) => asks({ approvalId: `a${from + i}`, argsDigest: `${from + i}` }));
    let state = initialState;
    for (let from = 0; from < 6000; from += 600) state = playOn(state, ...many(from), snapshot([]));
    expect(Object.keys(state.settled).length).toBeLessThanOrEqual(1024);
    expect(playOn(state, ...many(5400)).pending['a5999']).toBeUndefined();
  });

  it('stays the same card when a snapshot names it again', () => {
    const before = play(asks());
    expect(playOn(before, snapshot([request])).pending[id]).toBe(before.pending[id]);
  });

  it('leaves by a timeout, which is told as such', () => {
    const state = play(asks(), answers(timeout));
    expect(state.pending).toEqual({});
    expect(state.notices[0]).toMatchObject({ kind: 'settled', response: { reason: 'timeout' } });
  });

  it('leaves when somebody was faster, and says that ours came too late', () => {
    const failure = golden('error-already-decided', 'error').data;
    const state = play(
      asks(),
      {
        type: 'answering',
        at: 0,
        data: { approvalId: id, sessionId: session.sessionId, status: 'denied', argsDigest: 'x' },
      },
      { type: 'answerLate', approvalId: id, response: failure.response! },
    );
    expect(state.pending).toEqual({});
    expect(state.answers).toEqual({});
    expect(state.notices).toMatchObject([{ kind: 'settled', late: true }]);
  });

  it('stays with the reason when the gateway could not record the answer', () => {
    const state = play(
      asks(),
      {
        type: 'answering',
        at: 0,
        data: { approvalId: id, sessionId: session.sessionId, status: 'denied', argsDigest: 'x' },
      },
      { type: 'answerRefused', approvalId: id, code: 'unavailable', message: 'try again' },
    );
    expect(state.pending[id]).toBeDefined();
    expect(state.answers[id]).toMatchObject({ phase: 'failed', error: 'try again' });
  });

  it('that left while our answer was on its way keeps the answer, to be sent again', () => {
    const state = play(
      asks(),
      {
        type: 'answering',
        at: 0,
        data: { approvalId: id, sessionId: session.sessionId, status: 'approved', argsDigest: 'x' },
      },
      snapshot([]),
    );
    expect(state.answers[id]?.phase).toBe('sending');
    expect(state.notices).toEqual([]);
  });
});

describe('grants', () => {
  const given = golden('sessionEvent-grant-given', 'sessionEvent');
  const ended = golden('sessionEvent-grant-ended', 'sessionEvent');
  const byGrant = golden('approvalResponse-by-grant', 'approvalResponse');
  const grant = given.data.data as Grant;
  const known = (state: State) => state.grants[grant.grantId];

  it('are known from the journals that are followed', () => {
    expect(known(play(snapshot([]), given))).toEqual(grant);
    expect(known(play(snapshot([]), given, ended))?.ended?.reason).toBe('revoked');
  });

  it('that have ended are not brought back by an older list', () => {
    const state = play(snapshot([]), ended, { type: 'grants', grants: [grant] });
    expect(known(state)?.ended?.reason).toBe('revoked');
  });

  it('make a fetched list old when they are given, used or ended', () => {
    const state = play(snapshot([]), given);
    expect(state.grantChanges).toBeGreaterThan(0);
    expect(playOn(state, ended).grantChanges).toBeGreaterThan(state.grantChanges);
    expect(playOn(state, byGrant).grantChanges).toBeGreaterThan(state.grantChanges);
    expect(playOn(state, answers(approved)).grantChanges).toBe(state.grantChanges);
  });

  it('settle a card as any other answer does', () => {
    const state = play(asks(), byGrant);
    expect(state.pending).toEqual({});
    expect(state.notices).toMatchObject([{ kind: 'settled', response: { by: { via: 'grant' } } }]);
  });
});

describe('an agent’s mode', () => {
  const agent: Agent = { agentId: 'demo', kind: 'agent', mode: 'manual', modeVersion: 3, tools: [] };
  const set = (version: number): Action => ({
    type: 'mode',
    set: {
      agentId: 'demo',
      mode: 'auto-deny',
      version,
      configured: 'manual',
      setBy: { subject: 'bob', via: 'rest' },
    },
  });
  const agents: Action = { type: 'agents', agents: [agent] };

  it('is what was set last', () => {
    expect(play(agents, set(4)).agents).toEqual([
      { agentId: 'demo', kind: 'agent', mode: 'auto-deny', modeVersion: 4, modeSetBy: 'bob', tools: [] },
    ]);
  });

  it('is not turned back by an older answer', () => {
    expect(play(agents, set(2)).agents).toEqual([agent]);
  });

  it('is told to every tab by a frame', () => {
    const frame = golden('mode', 'mode');
    const before: Action = { type: 'agents', agents: [{ ...agent, modeVersion: 2 }] };
    expect(play(before, frame).agents).toMatchObject([
      { mode: 'auto-deny', modeVersion: 3, modeSetBy: 'ada' },
    ]);
  });
});

describe('a session’s journal', () => {
  it('takes each number once', () => {
    const state = play(snapshot([]), event(1), event(2), event(2), event(1), event(3));
    expect(entry(state).events.map((e) => e.seq)).toEqual([1, 2, 3]);
  });

  it('never shows what lies beyond a gap, and asks again from where it is', () => {
    const state = play(snapshot([]), follow('live'), event(1), event(3));
    expect(lastSeq(entry(state))).toBe(1);
    expect(entry(state).follow).toBe('none');
  });

  it('is not asked for again when an event is early only because the replay is still coming', () => {
    const state = play(snapshot([]), follow('asking'), event(7, 'turn.started', { turnId: 't' }), event(1));
    expect(entry(state).follow).toBe('asking');
    expect(lastSeq(entry(state))).toBe(1);
  });

  it('is followed again after the connection was lost', () => {
    const state = play(online, snapshot([]), follow('live'), offline);
    expect(entry(state).follow).toBe('none');
  });

  it('leaves a message of ours that was not confirmed for the person to decide about', () => {
    const saying: Action = {
      type: 'saying',
      session: session.sessionId,
      message: { key: 'k', text: 'hello', seen: 0, phase: 'sending' },
    };
    expect(entry(play(online, snapshot([]), saying, offline)).outbox[0]?.phase).toBe('unconfirmed');
  });
});

describe('text that is being written', () => {
  it('grows by its pieces', () => {
    expect(entry(play(snapshot([]), delta(0, 'I '), delta(2, 'will '))).partials).toEqual({ m1: 'I will ' });
  });

  it('counts as JavaScript does, also beyond the basic plane', () => {
    expect(entry(play(snapshot([]), delta(0, '👋 '), delta(3, 'hi'))).partials).toEqual({ m1: '👋 hi' });
  });

  it('takes a repeated piece once, and the whole text so far in place of its beginning', () => {
    const state = play(snapshot([]), delta(0, 'ab'), delta(2, 'cd'), delta(2, 'cd'), delta(0, 'abcdef'));
    expect(entry(state).partials).toEqual({ m1: 'abcdef' });
  });

  it('does not go on after a missing piece, and follows again', () => {
    const state = play(snapshot([]), follow('live'), delta(0, 'ab'), delta(5, 'xy'));
    expect(entry(state).partials).toEqual({ m1: 'ab' });
    expect(entry(state).follow).toBe('none');
  });

  it('gives way to the message, and a late piece does not bring it back', () => {
    const whole = event(1, 'message.assistant', { messageId: 'm1', seen: 0, text: 'I will look.' });
    expect(entry(play(snapshot([]), delta(0, 'I '), whole, delta(2, 'will '))).partials).toEqual({});
  });
});

describe('a session’s status', () => {
  const turn = (seq: number) => event(seq, 'turn.started', { turnId: 't' });
  const done = (seq: number, outcome: string) => event(seq, 'turn.finished', { turnId: 't', outcome });
  const status = (state: State) => statusOf(entry(state), Object.keys(state.pending).length);

  it('is waiting while a request is pending, whatever else it does', () => {
    expect(status(play(snapshot([request]), turn(6)))).toBe('waiting_approval');
  });

  it('is active in a turn, then as the turn ended', () => {
    const started = play(snapshot([]), turn(6));
    expect(status(started)).toBe('active');
    expect(status(playOn(started, done(7, 'error')))).toBe('error');
  });

  it('is active while the agent is about to be at work, as the session itself says', () => {
    expect(status(play(snapshot([])))).toBe('active');
  });

  it('is not turned back by an event older than the snapshot', () => {
    const idle = play({
      event: 'snapshot',
      data: {
        pending: [],
        sessions: [{ ...session, status: 'completed', turnOpen: false, seq: 9 }],
        more: false,
      },
    });
    expect(status(playOn(idle, turn(6)))).toBe('completed');
  });

  it('is how the session ended, once it has', () => {
    expect(status(play(snapshot([]), event(6, 'session.ended', { outcome: 'cancelled' })))).toBe('cancelled');
  });
});

describe('what is typed', () => {
  const typed: Action = { type: 'drafting', approvalId: id, draft: { reason: 'because' } };

  it('is dropped once its request waits no more, also where that was never seen here', () => {
    const kept = playOn({ ...initialState, drafts: { other: { reason: 'x' } } }, snapshot([request]), typed);
    expect(Object.keys(kept.drafts)).toEqual([id]);
    expect(Object.keys(playOn(kept, snapshot([])).drafts)).toEqual([]);
  });

  it('is not another person’s to send', () => {
    const data = {
      approvalId: id,
      sessionId: session.sessionId,
      argsDigest: 'x',
      status: 'approved',
    } as const;
    const state = play(
      { type: 'loggedIn', identity: { subject: 'ada', roles: ['approver'] } },
      snapshot([request]),
      typed,
      { type: 'answering', at: 0, data },
      {
        type: 'saying',
        session: session.sessionId,
        message: { key: 'k', text: 'hi', seen: 0, phase: 'sending' },
      },
    );
    const again = playOn(state, { type: 'loggedIn', identity: { subject: 'ada', roles: ['approver'] } });
    expect([again.answers, again.drafts]).toEqual([state.answers, state.drafts]);
    const bob = playOn(state, { type: 'loggedIn', identity: { subject: 'bob', roles: ['approver'] } });
    expect([bob.answers, bob.drafts, bob.sessions]).toEqual([{}, {}, {}]);
  });

  it('a snapshot with a higher revision stands', () => {
    const known = play(snapshot([request]));
    const raised = { ...request, rev: request.rev + 1, risk: { level: 'critical' as const } };
    expect(playOn(known, snapshot([raised])).pending[id]).toEqual(raised);
    expect(playOn(play(snapshot([raised])), snapshot([request])).pending[id]).toEqual(raised);
  });
});
