import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { SNAPSHOT_SESSIONS, type ServerFrame, type Session, type SessionEvent } from '../wire/wire';
import { reduce, type Action } from './reducer';
import { initialState, statusOf, type State } from './state';

const now = Date.parse('2026-11-27T12:00:00Z');
const first = golden('snapshot-more', 'snapshot');
const last = golden('snapshot-empty', 'snapshot');
const session = first.data.sessions[0]!;
const request = golden('approvalRequest', 'approvalRequest').data;
const named = (sessionId: string, over: Partial<Session> = {}): Session => ({
  ...session,
  sessionId,
  ...over,
});
const asks = (approvalId: string) => ({ ...request, approvalId });
const page = (sessions: Session[], pending: string[], more = false): ServerFrame => ({
  event: 'snapshot',
  data: { sessions, pending: pending.map(asks), more },
});
const event = (id: string, seq: number, type: string, data: unknown): ServerFrame => ({
  event: 'sessionEvent',
  data: { session: id, seq, type, at: '2026-11-27T12:00:00Z', data } as SessionEvent,
});
const ids = (record: object) => Object.keys(record).sort();

function play(state: State, ...steps: (ServerFrame | Action)[]): State {
  const actions = steps.map((s): Action => ('event' in s ? { type: 'frame', frame: s, now } : s));
  return actions.reduce(reduce, state);
}

describe('a snapshot in pages', () => {
  const before = play(initialState, page([named('a'), named('b')], ['1', '2']));

  it('drops nothing that is known before its last page, and then what none of its pages names', () => {
    const begun = play(before, page([named('c')], ['2'], true), page([], ['3'], true));
    expect(ids(begun.pending)).toEqual(['1', '2']);
    expect(begun.notices).toEqual([]);
    const whole = play(begun, page([], ['4']));
    expect(ids(whole.pending)).toEqual(['2', '3', '4']);
    expect(whole.notices).toMatchObject([{ kind: 'away', count: 1 }]);
    expect(play(whole, { event: 'approvalRequest', data: asks('1') }).pending['1']).toBeUndefined();
  });

  it('is there when its last page is', () => {
    const begun = play(initialState, first);
    expect(begun.haveSnapshot).toBe(false);
    const whole = play(begun, last);
    expect(whole.haveSnapshot).toBe(true);
    expect(ids(whole.sessions)).toEqual([session.sessionId]);
  });

  it('counts nothing of one that another connection had begun', () => {
    const again = play(before, page([], ['3'], true), golden('welcome', 'welcome'), page([], ['2']));
    expect(ids(again.pending)).toEqual(['2']);
  });
});

describe('a session that a snapshot does not name', () => {
  const at = (state: State, id: string) => statusOf(state.sessions[id]!, 0);
  const idle = { status: 'completed', turnOpen: false } as const;
  const before = play(
    initialState,
    page(
      [named('a'), named('b', { ...idle, status: 'error' }), named('c', { ...idle, ended: 'cancelled' })],
      [],
    ),
  );
  const after = play(before, page([named('d', idle)], []));

  it('stays in the list, and is not told to be as it was: only an end stands', () => {
    expect(ids(after.sessions)).toEqual(['a', 'b', 'c', 'd']);
    expect([at(before, 'a'), at(before, 'b'), at(before, 'c')]).toEqual(['active', 'error', 'cancelled']);
    expect(['a', 'b', 'c', 'd'].map((id) => at(after, id))).toEqual([
      undefined,
      undefined,
      'cancelled',
      'completed',
    ]);
  });

  it('has a status again with the first word that tells it', () => {
    expect(at(play(after, event('a', 9, 'turn.started', { turnId: 't' })), 'a')).toBe('active');
    expect(at(play(after, { type: 'follow', session: 'b', follow: 'live' }), 'b')).toBe('error');
    const older: Action = { type: 'olderSessions', before: 'd', sessions: [named('a', { ...idle, seq: 9 })] };
    expect(at(play(after, older), 'a')).toBe('completed');
    expect(at(play(after, page([named('b', idle)], [])), 'b')).toBe('completed');
  });

  it('does not have its status from a journal as that was', () => {
    const read = play(
      before,
      { type: 'view', session: 'a' },
      { type: 'follow', session: 'a', follow: 'asking' },
      { type: 'journal', events: Array.from({ length: 5 }, (_, i) => said('a', i + 1)) },
      event('a', 6, 'turn.started', { turnId: 't' }),
      page([], []),
    );
    expect(at(read, 'a')).toBeUndefined();
  });

  it('is not kept for who may not see it', () => {
    const bound: Action = {
      type: 'loggedIn',
      identity: { subject: 'ada', roles: ['viewer'], agents: ['other'] },
    };
    expect(ids(play(before, bound, page([], [])).sessions)).toEqual([]);
    const ada: Action = { type: 'loggedIn', identity: { subject: 'ada', roles: ['admin'] } };
    const bob: Action = { type: 'loggedIn', identity: { subject: 'bob', roles: ['admin'] } };
    expect(ids(play(before, ada, page([], []), bob, page([], [])).sessions)).toEqual([]);
  });
});

const said = (id: string, seq: number) =>
  (event(id, seq, 'message.user', { text: 'x' }) as { data: SessionEvent }).data;

describe('older sessions', () => {
  const newest = Array.from({ length: SNAPSHOT_SESSIONS }, (_, i) => named(`n${i}`));
  const busy = named('busy');
  const end = `n${SNAPSHOT_SESSIONS - 1}`;

  it('may exist where a snapshot has as many as it has at most; those that are at work do not count', () => {
    expect(play(initialState, page(newest.slice(1), [])).olderThan).toBeUndefined();
    expect(play(initialState, page(newest, [], true), page([busy], [])).olderThan).toBe(end);
  });

  it('come page by page, until there is none', () => {
    const some = play(initialState, page([...newest, busy], []));
    const more = play(some, { type: 'olderSessions', before: end, sessions: [named('x')], next: 'x' });
    expect(more.sessions['x']).toBeDefined();
    expect(more.olderThan).toBe('x');
    const all = play(more, { type: 'olderSessions', before: 'x', sessions: [named('y')] });
    expect(all.olderThan).toBeUndefined();
  });

  it('are looked for from the end of the newest snapshot, whatever page comes late', () => {
    const late: Action = { type: 'olderSessions', before: 'z', sessions: [named('x')] };
    expect(play(initialState, page(newest, []), late).olderThan).toBe(end);
  });
});

describe('a session that is spoken of and not known', () => {
  const known = play(initialState, page([], []));
  const times = (state: State, id: string) => state.wanted[id];

  it.each<[string, ServerFrame | Action]>([
    ['a request', { event: 'approvalRequest', data: { ...request, sessionId: 's' } }],
    ['an event', event('s', 7, 'turn.started', { turnId: 't' })],
    ['an address', { type: 'view', session: 's' }],
    ['a list', { type: 'want', session: 's' }],
  ])('is asked for when %s names it, and no more once it is there', (_, step) => {
    const state = play(known, step);
    expect(times(state, 's')).toBe(1);
    const there = play(state, { type: 'wantedSession', id: 's', times: 1, session: named('s') });
    expect([there.sessions['s']?.session.sessionId, times(there, 's')]).toEqual(['s', undefined]);
    expect(times(play(there, step), 's')).toBeUndefined();
  });

  it('is asked for again where it was spoken of meanwhile: the answer may be older than that', () => {
    const turn = event('s', 7, 'turn.started', { turnId: 't' });
    const state = play(known, turn, event('s', 8, 'turn.finished', { turnId: 't', outcome: 'completed' }), {
      type: 'wantedSession',
      id: 's',
      times: 1,
      session: named('s'),
    });
    expect(times(state, 's')).toBe(1);
  });

  it('is not there where the gateway has none, until it is spoken of again', () => {
    const state = play(known, { type: 'view', session: 's' }, { type: 'wantedSession', id: 's', times: 1 });
    expect(times(state, 's')).toBe('none');
    expect(times(play(state, page([], [])), 's')).toBe(1);
  });
});

describe('how a session ended', () => {
  const turn = (seq: number, type: string, data: object) => event('a', seq, `turn.${type}`, data);
  const finished = (seq: number, outcome: string, calls?: object) =>
    turn(seq, 'finished', { turnId: 't', outcome, ...(calls && { calls }) });
  const status = (...steps: ServerFrame[]) =>
    statusOf(play(initialState, page([named('a', { seq: 5 })], []), ...steps).sessions['a']!, 0);
  const calls = { settled: 2, denied: 1, unanswered: 1 };

  it('is given by its calls if one did not run; it is completed only if all of them ran', () => {
    expect(status(finished(7, 'completed', calls))).toEqual(calls);
    expect(status(finished(7, 'completed', { settled: 3 }))).toBe('completed');
    expect(status(finished(7, 'completed'))).toBe('completed');
    expect(status(finished(7, 'cancelled', calls))).toBe('cancelled');
    const run = event('a', 8, 'session.ended', { outcome: 'completed', calls });
    expect(status(run)).toEqual(calls);
  });

  it('counts only the newest turn, and is known of listed sessions too', () => {
    const again = [finished(7, 'completed', calls), turn(8, 'started', { turnId: 'u' })];
    expect(status(...again)).toBe('active');
    expect(status(...again, finished(9, 'completed'))).toBe('completed');
    const listed = {
      status: 'completed',
      turnOpen: false,
      seq: 9,
      calls: { settled: 1, unanswered: 1 },
    } as const;
    expect(status(page([named('a', listed)], []))).toEqual(listed.calls);
  });
});
