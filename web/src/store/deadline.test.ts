import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { reduce, type Action } from './reducer';
import { initialState } from './state';

const play = (...actions: Action[]) => actions.reduce(reduce, initialState);

describe('a deadline that has moved', () => {
  const request = golden('approvalRequest', 'approvalRequest').data;
  const asked: Action = { type: 'frame', frame: { event: 'approvalRequest', data: request }, now: 0 };
  const moved = (expiresAt: string, rev: number): Action => ({
    type: 'frame',
    frame: {
      event: 'sessionEvent',
      data: {
        session: request.sessionId,
        seq: 9,
        at: request.requestedAt,
        type: 'approval.extended',
        data: { approvalId: request.approvalId, expiresAt, rev },
      },
    },
    now: 0,
  });
  const later = '2099-01-01T00:00:00Z';

  it('is that of the card', () => {
    expect(play(asked, moved(later, 2)).pending[request.approvalId]).toEqual({
      ...request,
      expiresAt: later,
      rev: 2,
    });
  });

  it('is not turned back by what was sent before', () => {
    const state = play(asked, moved(later, 3), moved('2098-01-01T00:00:00Z', 2), asked);
    expect(state.pending[request.approvalId]?.expiresAt).toBe(later);
  });
});
