import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import type { Session, SessionEvent } from '../wire/wire';
import { buildTranscript } from './buildTranscript';
import { CallView } from './CallView';
import { HandedOnBy } from './Handed';

const assistant = golden('sessionEvent-assistant', 'sessionEvent').data;
const request = golden('approvalRequest', 'approvalRequest').data;
const parent = golden('snapshot', 'snapshot').data.sessions[0]!;
const child: Session = {
  ...parent,
  sessionId: request.toolCallId!, // the call's session has the call's id
  agentId: 'researcher',
  parentId: parent.sessionId,
  path: 'demo › researcher',
};

function show(...sessions: Session[]) {
  const store = storeOf();
  const pending = sessions.includes(child) ? [{ ...request, sessionId: child.sessionId }] : [];
  const data = { pending, sessions, more: false };
  store.dispatch({ type: 'frame', frame: { event: 'snapshot', data }, now: 0 });
  const item = buildTranscript([assistant] as SessionEvent[], []).find((i) => i.kind === 'call')!;
  page(
    store,
    <>
      <CallView item={item} pending={{}} place="here" over={false} />
      <HandedOnBy session={child} />
    </>,
  );
  return store;
}

const links = () => screen.queryAllByRole('link').map((a) => [a.textContent, a.getAttribute('href')]);

it('a call that another agent works on leads to where that waits, and from there back', () => {
  show(parent, child);
  expect(links()).toEqual([
    ['researcher', `/sessions/${child.sessionId}`],
    ['Disk check', `/sessions/${parent.sessionId}`],
  ]);
  expect(screen.getByTestId('handed-on').textContent).toContain('Needs approval');
});

it('a call of a tool leads nowhere; where the session above is not known it is asked for', () => {
  const store = show();
  expect(links()).toEqual([['demo › researcher', `/sessions/${parent.sessionId}`]]);
  expect(store.get().wanted[parent.sessionId]).toBe(1);
  act(() => store.dispatch({ type: 'wantedSession', id: parent.sessionId, times: 1, session: parent }));
  expect(links()).toEqual([['Disk check', `/sessions/${parent.sessionId}`]]);
});
