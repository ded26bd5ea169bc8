import { texts as shared } from '../words/texts';

const errors: Partial<Record<string, string>> = {
  forbidden: 'Your role does not allow this.',
  unknown_approval: 'The gateway does not know this request any more.',
  unknown_session: 'The gateway does not know this session.',
  unknown_agent: 'The gateway does not know this agent any more.',
  foreign_session: 'This request belongs to another session.',
  digest_mismatch: 'What is waiting is not what this page shows. Reload the page and look again.',
  session_ended: 'This session has ended and takes nothing more.',
  unavailable: 'The gateway could not record it, and nothing has changed. Try again.',
};

export const texts = { ...shared, errors };
