// @vitest-environment jsdom

import { beforeEach, describe, expect, it } from 'vitest';
import { saveDrafts, loadDrafts } from './draftStorage';
import { createStore } from '../store/store';
import { golden } from '../test/golden';
import type { ApprovalRequest } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;
const { approvalId } = request;

beforeEach(() => sessionStorage.clear());

function storeWith(pending: ApprovalRequest[]) {
  const store = createStore();
  saveDrafts(store);
  const frame = { event: 'snapshot' as const, data: { pending, sessions: [], more: false } };
  store.dispatch({ type: 'frame', frame, now: Date.now() });
  return store;
}

describe('what is typed on cards', () => {
  it('is kept, and forgotten once the card is answered', () => {
    const store = storeWith([request]);
    store.dispatch({ type: 'drafting', approvalId, draft: { reason: 'ask ops' } });
    expect(loadDrafts()).toEqual({ [approvalId]: { reason: 'ask ops' } });
    store.dispatch({ type: 'answerTaken', response: { approvalId, status: 'denied', rev: request.rev + 1 } });
    expect(loadDrafts()).toEqual({});
  });

  it('is written down nowhere where it is a form with a secret', () => {
    const schema = { type: 'object', properties: { pin: { type: 'string', format: 'password' } } };
    const store = storeWith([{ ...request, type: 'elicitation', schema }]);
    const draft = { values: ['1234'], json: '{"pin":"1234"}', reason: 'later' };
    store.dispatch({ type: 'drafting', approvalId, draft });
    expect(loadDrafts()).toEqual({ [approvalId]: { reason: 'later' } });
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('1234');
  });

  it('is nothing where the storage holds something else', () => {
    sessionStorage.setItem('lineclear.drafts', '{broken');
    expect(loadDrafts()).toEqual({});
  });
});
