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

/** An answer taken back, which may have arrived anyway. */
const answer = {
  takenBack:
    'Taken back. If the gateway has it already, the call is withdrawn before it starts, if there is time.',
  withdrawn: 'Your approval had arrived. The call was withdrawn before it started.',
  tooLate: 'Your approval had arrived before you took it back, and the call may have run',
};

export const texts = { ...shared, errors, answer };
