import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { page, storeOf } from '../test/page';
import { buildTranscript } from './buildTranscript';
import type { ApprovalResponse, SessionEvent } from '../wire/wire';
import { CallView } from './CallView';
import SessionList from '../shell/SessionList';

const assistant = golden('sessionEvent-assistant', 'sessionEvent').data;
const requested = golden('sessionEvent-requested', 'sessionEvent').data;
const resolved = golden('sessionEvent-resolved', 'sessionEvent').data;
const result = golden('sessionEvent-tool-result', 'sessionEvent').data;
const request = golden('approvalRequest', 'approvalRequest').data;
const session = golden('snapshot', 'snapshot').data.sessions[0]!;

const schema = {
  type: 'object',
  properties: { port: { type: 'integer', title: 'Port' }, pin: { type: 'string', format: 'password' } },
};
const question = {
  ...request,
  type: 'elicitation' as const,
  toolName: 'ask_user',
  toolCallId: `${request.toolCallId}/question`,
  args: undefined,
  message: 'Which port?',
  schema,
};

function show(response: Partial<ApprovalResponse>) {
  const events = [
    assistant,
    { ...requested, data: question },
    { ...resolved, data: { ...(resolved.data as ApprovalResponse), ...response } },
    { ...result, data: { ...(result.data as object), result: { text: '{"port":8080,"pin":"1234"}' } } },
  ] as SessionEvent[];
  const calls = buildTranscript(events, []).filter((item) => item.kind === 'call');
  const list = calls.map((item) => <CallView key={item.key} item={item} pending={{}} place="here" over />);
  page(storeOf(), <>{list}</>);
}

describe('a question in the conversation', () => {
  it('stands with the call that put it, and with the answer', () => {
    show({ formData: { port: 8080, pin: '1234' } });
    expect(screen.getAllByTestId('call')).toHaveLength(1);
    expect(screen.getByText('Which port?')).toBeDefined();
    expect(screen.getByTestId('decision').textContent).toContain('Answered by ada');
    expect(screen.getByTestId('form-answer').textContent).toBe('Port8080pin•••••');
    expect(document.body.textContent).not.toContain('1234');
  });

  it('that was declined says so, and what the model was told', () => {
    show({ status: 'denied', reason: 'user_denied', message: 'ask ops' });
    expect(screen.getByTestId('decision').textContent).toContain('Declined by ada — ask ops');
    expect(screen.queryByText(/Approved|Denied/)).toBeNull();
    expect(screen.getByText('Sent to the model')).toBeDefined();
  });
});

describe('the session of a program', () => {
  it('stands in the list as such, with who runs it', () => {
    const store = storeOf();
    const external = { ...session, kind: 'external' as const, agentId: 'external', createdBy: 'ci' };
    store.dispatch({
      type: 'frame',
      frame: { event: 'snapshot', data: { pending: [], sessions: [external], more: false } },
      now: 0,
    });
    page(store, <SessionList route={{ view: 'approvals' }} />);
    expect(screen.getByRole('link', { name: /Disk check/ }).textContent).toContain('API client of ci');
  });
});

describe('what ran', () => {
  const edit = { command: '/usr/bin/git status' };
  function shown(response: Partial<ApprovalResponse>) {
    const events = [
      assistant,
      requested,
      { ...resolved, data: { ...(resolved.data as ApprovalResponse), edit, ...response } },
    ] as SessionEvent[];
    const item = buildTranscript(events, []).find((i) => i.kind === 'call')!;
    page(storeOf(), <CallView item={item} pending={{}} place="here" over />);
  }

  it('is a line by itself where nobody was asked, and is called no change', () => {
    for (const via of ['policy', 'grant'] as const) shown({ by: { subject: 'policy', via } });
    expect(screen.getAllByTestId('ran-as').map((e) => e.textContent)).toEqual([
      'Command as run/usr/bin/git status',
      'Command as run/usr/bin/git status',
    ]);
    expect(screen.queryByText(/changed/)).toBeNull();
  });

  it('is a change where a person made it', () => {
    shown({ by: { subject: 'ada', via: 'rest' } });
    expect(screen.getByText('Changed arguments')).toBeDefined();
    expect(screen.queryByTestId('ran-as')).toBeNull();
  });
});
