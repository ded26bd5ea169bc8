import { describe, expect, it } from 'vitest';
import { describeDecision as words } from './decision';
import { golden } from '../test/golden';
import type { Grant } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;
const approved = golden('approvalResponse-approved', 'approvalResponse').data;
const forSession = golden('approvalResponse-grant', 'approvalResponse').data;
const cleared = golden('approvalResponse-by-grant', 'approvalResponse').data;
const grant = golden('sessionEvent-grant-given', 'sessionEvent').data.data as Grant;

describe('who decided what, in words', () => {
  it.each([
    [
      'a grant that is known',
      words(cleared, request, grant),
      'Allowed by ada’s standing approval: commands like: uname *',
    ],
    ['a grant that is not', words(cleared, request), 'Allowed by ada’s standing approval'],
    ['a person, once', words(approved, request), 'Approved by ada'],
    [
      'a person, with changed arguments',
      words({ ...approved, edit: { command: 'uname' } }, request),
      'Approved by ada with changed arguments',
    ],
    [
      'a person, for the session',
      words(forSession, request, grant),
      'Approved by ada for this session: commands like: uname *',
    ],
    [
      'a person, for every session',
      words({ ...forSession, scope: 'always' }, { ...request, scopes: ['once', 'session', 'always'] }, grant),
      'Approved by ada in every session: commands like: uname *',
    ],
    [
      'a person who said always where only the session was offered',
      words({ ...forSession, scope: 'always' }, request, grant),
      'Approved by ada for this session: commands like: uname *',
    ],
    ['a halt', words({ ...approved, status: 'denied', reason: 'halted' }, request), 'Not run: halted by ada'],
    [
      'a rule that denies',
      words(
        { ...approved, status: 'denied', reason: 'policy_denied', by: { subject: 'policy', via: 'policy' } },
        { ...request, policy: { rule: 'nothing is deleted' } },
      ),
      'Denied by policy: nothing is deleted',
    ],
  ])('%s', (_name, decision, title) => {
    expect(decision.title).toBe(title);
  });
});

describe('who answered a question, in words', () => {
  const question = { ...request, type: 'elicitation' as const };
  const denied = golden('approvalResponse-denied', 'approvalResponse').data;
  const timeout = golden('approvalResponse-timeout', 'approvalResponse').data;

  it.each([
    ['an answer', words({ ...approved, formData: {} }, question), 'Answered by ada'],
    ['an answer whose question is not known', words({ ...approved, formData: {} }), 'Answered by ada'],
    ['a no', words(denied, question), 'Declined by ada'],
    [
      'no answer',
      words({ ...denied, status: 'cancelled', reason: 'user_cancelled' }, question),
      'Dismissed by ada without an answer',
    ],
    [
      'nobody there',
      words({ ...timeout, reason: 'no_handler' }, question),
      'Not answered: there was nobody to ask',
    ],
    ['silence', words(timeout, question), 'Timed out after 59 seconds'],
    [
      'a question of a program',
      words(approved, { ...request, type: 'custom', schema: {} }),
      'Answered by ada',
    ],
    ['what is no question', words(approved, { ...request, type: 'custom' }), 'Approved by ada'],
  ])('%s', (_, { title }, want) => {
    expect(title).toBe(want);
  });
});
