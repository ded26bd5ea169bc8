import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import type { ServerFrame, Session, SessionEvent } from '../wire/wire';
import { reduce, type Action } from './reducer';
import { initialState, lastSeq, type State } from './state';

const now = Date.parse('2026-11-27T12:00:00Z');
const session = golden('snapshot', 'snapshot').data.sessions[0]!;
const ids = Array.from({ length: 12 }, (_, i) => `s${i}`);
const known: Session[] = ids.map((sessionId) => ({ ...session, sessionId, seq: 0 }));

type Step = ServerFrame | Action;

function play(state: State, ...steps: Step[]): State {
  const actions = steps.map((s): Action => ('event' in s ? { type: 'frame', frame: s, now } : s));
  return actions.reduce(reduce, state);
}

const event = (id: string, seq: number, type: string, data: unknown): ServerFrame => ({
  event: 'sessionEvent',
  data: { session: id, seq, type, at: '2026-11-27T12:00:00Z', data } as SessionEvent,
});
const said = (id: string, seq: number, text = `n${seq}`, by = 'ada') =>
  event(id, seq, 'message.user', { text, by });
const delta = (id: string, offset: number, text: string): ServerFrame => ({
  event: 'delta',
  data: { session: id, messageId: 'm', offset, text },
});
const view = (id?: string): Action => ({ type: 'view', ...(id !== undefined && { session: id }) });
const follow = (id: string, to: 'asking' | 'live'): Action => ({ type: 'follow', session: id, follow: to });
const online: Action = { type: 'connection', connection: { phase: 'online', attempts: 0 } };
const offline: Action = { type: 'connection', connection: { phase: 'offline', attempts: 1 } };
const start = play(
  initialState,
  { type: 'loggedIn', identity: { subject: 'ada', roles: ['admin'] } },
  { event: 'snapshot', data: { pending: [], sessions: known, more: false } },
  online,
);

/** Goes to a session, whose journal comes, and away from it. */
const visit = (id: string): Step[] => [
  view(id),
  follow(id, 'asking'),
  said(id, 1),
  said(id, 2),
  follow(id, 'live'),
  view(),
];
const kept = (state: State) => ids.filter((id) => state.sessions[id]!.events.length > 0);

describe('the journals that are kept', () => {
  it('are that of the session on the screen and of the five that were there before', () => {
    const state = play(start, ...ids.flatMap(visit));
    expect(kept(state)).toEqual(ids.slice(-5));
    expect(kept(play(state, view('s7')))).toEqual(ids.slice(-5));
    expect(kept(play(state, ...visit('s7'), ...visit('s0')))).toEqual(['s0', 's7', 's9', 's10', 's11']);
  });

  it('do not grow where nobody looks, whatever comes; how the session stands is known all the same', () => {
    const left = play(start, ...ids.flatMap(visit));
    expect(left.sessions['s0']!.follow).toBe('left');
    const state = play(
      left,
      follow('s0', 'live'), // the answer to what was asked before it was left
      event('s0', 3, 'turn.started', { turnId: 't' }),
      delta('s0', 0, 'I '),
      { event: 'progress', data: { session: 's0', toolCallId: 'c', done: 1 } },
      said('s0', 4),
    );
    const { events, partials, progress, facts } = state.sessions['s0']!;
    expect({ events, partials, progress }).toEqual({ events: [], partials: {}, progress: {} });
    expect(facts).toMatchObject({ seq: 4, turnOpen: true });
  });

  it('come again whole when somebody goes back', () => {
    const state = play(start, ...ids.flatMap(visit), ...visit('s0'), said('s0', 3));
    expect(lastSeq(state.sessions['s0']!)).toBe(3);
  });
});

describe('a message whose confirmation was lost', () => {
  const say = (key: string, text: string, seen: number): Action => ({
    type: 'saying',
    session: 's0',
    message: { key, text, seen, phase: 'sending' },
  });
  const outbox = (state: State) => state.sessions['s0']!.outbox.map((m) => [m.key, m.phase]);
  const before = play(start, view('s0'), follow('s0', 'live'), said('s0', 1, 'go on'), said('s0', 2, 'stop'));

  it('was delivered where the journal has it after what was seen', () => {
    const lost = play(before, say('k', 'go on', 2), offline);
    expect(outbox(lost)).toEqual([['k', 'unconfirmed']]);
    expect(outbox(play(lost, online, said('s0', 3, 'go on')))).toEqual([]);
  });

  it('was delivered also where its event came before the line was lost', () => {
    expect(outbox(play(before, say('k', 'go on', 2), said('s0', 3, 'go on'), offline))).toEqual([]);
  });

  it('was not, by the same words of another person, or other words of the same', () => {
    const state = play(before, say('k', 'go on', 2), offline, online);
    expect(outbox(play(state, said('s0', 3, 'go on', 'bob'), said('s0', 4, 'wait')))).toEqual([
      ['k', 'unconfirmed'],
    ]);
  });

  it('was delivered where the journal has it with its secrets masked', () => {
    const lost = play(before, say('k', 'use a=hunter2 and b=hunter3 now', 2), offline, online);
    expect(outbox(play(lost, said('s0', 3, 'use a=⟦masked⟧ and c=⟦masked⟧ now')))).toHaveLength(1);
    expect(outbox(play(lost, said('s0', 3, 'use a=⟦masked⟧ and b=⟦masked⟧ now')))).toEqual([]);
  });

  it('is not taken for another one of the same words', () => {
    const twice = play(before, say('k', 'go on', 2), say('l', 'go on', 2), offline, online);
    const once = play(twice, said('s0', 3, 'go on'), said('s0', 4, 'wait'));
    expect(outbox(once)).toEqual([['l', 'unconfirmed']]);
    expect(outbox(play(once, said('s0', 5, 'go on')))).toEqual([]);
    const confirmed = play(before, say('k', 'go on', 2), say('l', 'go on', 2), {
      type: 'said',
      session: 's0',
      key: 'k',
      seq: 3,
    });
    expect(outbox(play(confirmed, said('s0', 3, 'go on'), offline))).toEqual([['l', 'unconfirmed']]);
  });
});

describe('a message that is confirmed before its event is here', () => {
  const saying: Action = {
    type: 'saying',
    session: 's0',
    message: { key: 'k', text: 'go on', seen: 1, phase: 'sending' },
  };
  const confirmed: Action = { type: 'said', session: 's0', key: 'k', seq: 2 };
  const sent = play(start, view('s0'), follow('s0', 'live'), said('s0', 1, 'hello'), saying);
  const texts = (state: State) => state.sessions['s0']!.outbox.map((m) => m.text);

  it('stays on the screen until the event takes its place', () => {
    const early = play(sent, confirmed);
    expect(texts(early)).toEqual(['go on']);
    expect(texts(play(early, said('s0', 2, 'go on')))).toEqual([]);
    expect(texts(play(sent, said('s0', 2, 'go on'), confirmed))).toEqual([]);
  });

  it('is not in question when the line is lost', () => {
    const lost = play(sent, confirmed, offline);
    expect(lost.sessions['s0']!.outbox).toMatchObject([{ phase: 'sending', seq: 2 }]);
    expect(texts(play(lost, online, said('s0', 2, 'go on')))).toEqual([]);
  });
});

describe('late pieces', () => {
  it('of a call that is done, and of a message that is written, change nothing', () => {
    const state = play(
      start,
      view('s0'),
      follow('s0', 'live'),
      event('s0', 1, 'turn.started', { turnId: 't' }),
      event('s0', 2, 'message.assistant', { messageId: 'm', seen: 1, text: 'x' }),
      event('s0', 3, 'tool.result', { toolCallId: 'c', toolName: 'shell', result: { text: '' } }),
    );
    expect(play(state, delta('s0', 0, 'x'))).toBe(state);
    expect(play(state, { event: 'progress', data: { session: 's0', toolCallId: 'c', done: 1 } })).toBe(state);
  });

  it('are known without going through the journal', () => {
    const long = Array.from({ length: 500 }, (_, i) => said('s0', i + 1));
    const state = play(start, view('s0'), follow('s0', 'live'), ...long);
    let read = 0;
    const events = new Proxy(state.sessions['s0']!.events, {
      get: (target, name, self) => {
        read++;
        return Reflect.get(target, name, self) as unknown;
      },
    });
    const watched = { ...state, sessions: { ...state.sessions, s0: { ...state.sessions['s0']!, events } } };
    play(watched, delta('s0', 0, 'a'), delta('s0', 1, 'b'));
    expect(read).toBeLessThan(10);
  });
});

describe('a journal that comes at once', () => {
  const asked = golden('approvalRequest', 'approvalRequest').data;
  const names = ['created', 'user', 'turn-started', 'assistant', 'requested', 'resolved', 'tool-result'];
  const events = names.map((n) => golden(`sessionEvent-${n}`, 'sessionEvent').data);
  const one = (state: State) =>
    events.reduce<State>((s, data) => play(s, { event: 'sessionEvent', data }), state);
  const together = (state: State) => play(state, { type: 'journal', events });
  const waits: ServerFrame = { event: 'approvalRequest', data: asked };

  it.each([
    ['nothing', play(initialState)],
    ['its session', play(initialState, golden('snapshot', 'snapshot'))],
    ['a request that waits', play(initialState, golden('snapshot', 'snapshot'), waits)],
    ['all of it', one(play(initialState, golden('snapshot', 'snapshot'), waits))],
  ])('is the same as entry by entry where %s is known', (_, state) => {
    expect(together(state)).toEqual(one(state));
    expect(play(together(state), waits).pending).toEqual({});
  });

  it('leaves the traces of what is decided by one copy, however many there are', () => {
    const resolved = events.find((e) => e.type === 'approval.resolved')!;
    const many = Array.from({ length: 300 }, (_, i) => ({
      ...resolved,
      seq: i + 1,
      data: { ...resolved.data, approvalId: `a${i}` },
    })) as SessionEvent[];
    let copies = 0;
    const settled = new Proxy(start.settled, {
      ownKeys: (target) => {
        copies++;
        return Reflect.ownKeys(target);
      },
    });
    const state = play({ ...start, settled }, { type: 'journal', events: many });
    expect(Object.keys(state.settled)).toHaveLength(300);
    expect(copies).toBe(1);
  });
});
