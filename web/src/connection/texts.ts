import { texts as shared } from '../words/texts';

const errors: Partial<Record<string, string>> = {
  forbidden: 'Your role does not allow this.',
  unknown_approval: 'This request no longer exists.',
  unknown_session: 'This session does not exist.',
  unknown_agent: 'This agent no longer exists.',
  foreign_session: 'This request belongs to another session.',
  digest_mismatch: 'The request has changed since this page showed it. Reload the page and check it again.',
  session_ended: 'This session has ended, so nothing can be sent to it.',
  unavailable: 'The gateway could not save this, so nothing has changed. Try again.',
};

export const texts = { ...shared, errors };
