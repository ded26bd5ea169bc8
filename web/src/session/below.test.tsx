import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { pendingCards } from '../store/state';
import { useStore } from '../store/store';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { Session } from '../wire/wire';
import { asMarkdown } from './exportSession';
import { timelineEntries } from './timelineEntries';
import { Transcript } from './Transcript';

const parent = golden('snapshot', 'snapshot').data.sessions[0]!;
const asked = golden('approvalRequest-below', 'approvalRequest').data;
const requested = golden('sessionEvent-below-requested', 'sessionEvent').data;
const resolved = golden('sessionEvent-below-resolved', 'sessionEvent').data;
const { sessionId } = parent;
const below = { ...requested, seq: 1 };
const answered = { ...resolved, seq: 2 };

function Shown() {
  const entry = useStore((s) => s.sessions[sessionId])!;
  return <Transcript entry={entry} working />;
}

function show() {
  const store = storeOf();
  const child: Session = {
    ...parent,
    sessionId: asked.sessionId,
    agentId: 'researcher',
    parentId: sessionId,
    title: 'Look it up',
  };
  store.dispatch(
    { type: 'sessionCreated', session: { ...parent, seq: 0 } },
    { type: 'sessionCreated', session: { ...child, seq: 0 } },
    { type: 'frame', frame: { event: 'approvalRequest', data: { ...asked, expiresAt: undefined } }, now: 0 },
    { type: 'view', session: sessionId },
    { type: 'follow', session: sessionId, follow: 'live' },
    { type: 'frame', frame: { event: 'sessionEvent', data: below }, now: 0 },
  );
  page(store, <Shown />);
  return store;
}

it('what a sub-agent asks stands in the session above it, with its path and the way to it', () => {
  const store = show();
  const card = screen.getByTestId('card');
  expect(card.textContent).toContain('demo › researcher');
  const links = [...card.querySelectorAll('a')].map((a) => [a.textContent, a.getAttribute('href')]);
  expect(links).toEqual([['Look it up', `/sessions/${asked.sessionId}`]]);
  expect(screen.getByRole('button', { name: 'Approve once' })).toBeDefined();
  expect(pendingCards(store.get(), sessionId)).toHaveLength(1);
  expect(pendingCards(store.get(), asked.sessionId)).toHaveLength(1);
  expect(pendingCards(store.get(), 'another')).toEqual([]);
});

it('who asked what and who decided is a line each; the card goes with its answer', () => {
  const store = show();
  const lines = () => screen.getAllByTestId('below').map((line) => line.textContent);
  expect(lines()).toEqual(['demo › researcher wants to use shell']);
  const response = {
    ...golden('approvalResponse-approved', 'approvalResponse').data,
    ...answered.data,
    rev: 2,
  };
  act(() =>
    store.dispatch(
      { type: 'frame', frame: { event: 'approvalResponse', data: response as never }, now: 0 },
      { type: 'frame', frame: { event: 'sessionEvent', data: answered }, now: 0 },
    ),
  );
  expect(lines()).toEqual([
    'demo › researcher wants to use shell',
    'demo › researcher, shell: Denied by ada',
  ]);
  expect(screen.queryByTestId('card')).toBeNull();
});

it('the timeline and an export tell it, too', () => {
  const events = [below, answered];
  expect(timelineEntries(events, 'demo').map((e) => e.text)).toEqual([
    'demo › researcher wants to use shell',
    'demo › researcher, shell: Denied by ada',
  ]);
  expect(asMarkdown(parent, 'x', events, '')).toContain('*demo › researcher, shell: Denied by ada*');
});

it('of several the older stands first, and of those of one reply that of the earlier call', () => {
  const ask = (approvalId: string, requestedAt: string, position?: number) => ({
    ...asked,
    approvalId,
    requestedAt,
    ...(position && { position }),
  });
  const list = [
    ask('d', '2026-11-27T12:00:00.12Z'),
    ask('c', '2026-11-27T12:00:00.1Z'),
    ask('a', '2026-11-27T12:00:00Z', 2),
    ask('b', '2026-11-27T12:00:00Z', 1),
  ];
  const pending = Object.fromEntries(list.map((r) => [r.approvalId, r]));
  expect(pendingCards({ pending }).map((r) => r.approvalId)).toEqual(['b', 'a', 'c', 'd']);
});
