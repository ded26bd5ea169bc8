import { expect, it } from 'vitest';
import { golden } from '../test/golden';
import { reduce, type Action } from './reducer';
import { initialState } from './state';

it('says that an answer came too late also where the answer that stands was broadcast first', () => {
  const request = golden('approvalRequest', 'approvalRequest').data;
  const stands = golden('error-already-decided', 'error').data.response!;
  const actions: Action[] = [
    { type: 'frame', frame: { event: 'approvalRequest', data: request }, now: 0 },
    {
      type: 'answering',
      at: 0,
      data: {
        approvalId: request.approvalId,
        sessionId: request.sessionId,
        status: 'denied',
        argsDigest: 'x',
      },
    },
    { type: 'frame', frame: { event: 'approvalResponse', data: stands }, now: 0 },
    { type: 'answerLate', approvalId: request.approvalId, response: stands },
  ];
  const state = actions.reduce(reduce, initialState);
  expect(state.answers).toEqual({});
  expect(state.notices).toMatchObject([{ kind: 'settled', late: true }]);
});
