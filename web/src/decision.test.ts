import { describe, expect, it } from 'vitest';
import { describe as words } from './decision';
import { golden } from './test/golden';
import type { Grant } from './wire';

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
      'Cleared by ada’s grant: commands like: uname *',
    ],
    ['a grant that is not', words(cleared, request), 'Cleared by a grant of ada'],
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
      'a rule that denies',
      words(
        { ...approved, status: 'denied', reason: 'policy_denied', by: { subject: 'policy', via: 'policy' } },
        { ...request, policy: { rule: 'nothing is deleted' } },
      ),
      'Denied by the policy: nothing is deleted',
    ],
  ])('%s', (_name, decision, title) => {
    expect(decision.title).toBe(title);
  });
});
