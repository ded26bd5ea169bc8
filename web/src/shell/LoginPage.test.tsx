import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { page } from '../test/page';
import { createStore } from '../store/store';
import type { LoginEnd } from '../wire/wire';
import type { State } from '../store/state';
import { clockTime } from '../words/times';
import { LoginPage } from './LoginPage';

function show(trouble: State['loginTrouble'], end?: LoginEnd) {
  const store = createStore();
  store.dispatch({ type: 'loggedOut', trouble, end });
  page(store, <LoginPage onRetry={() => undefined} />);
}

const now = new Date().setSeconds(0);
const at = new Date(now).toISOString();
const since = new Date(now - 7 * 86_400_000).toISOString();

describe('the login page', () => {
  it.each<[LoginEnd, string]>([
    [{ reason: 'signed_out', by: 'ana', at, since }, `You were signed out by ana at ${clockTime(now)}.`],
    [{ reason: 'removed', by: 'ana', at, since }, `Your access was removed by ana at ${clockTime(now)}.`],
    [{ reason: 'expired', at, since }, `Your login ended at ${clockTime(now)}, after 7 days.`],
    [
      { reason: 'token_revoked', by: 'ana', at, since },
      'The token that you logged in with was revoked by ana at',
    ],
    [{ reason: 'crowded', at, since }, 'because you logged in many times elsewhere'],
  ])('says why the login ended, and what to do: %o', (end, words) => {
    show('over', end);
    expect(screen.getByRole('alert').textContent).toContain(words);
    expect(screen.getByText(/Open the login link that you were sent/)).toBeTruthy();
  });

  it.each([
    ['used' as const, 'has been used'],
    ['withdrawn' as const, 'was withdrawn or replaced'],
    ['expired' as const, 'has expired'],
    ['unknown' as const, 'has been used or has expired'],
  ])('says what is wrong with a link: %s', (trouble, words) => {
    show(trouble);
    expect(screen.getByRole('alert').textContent).toContain(words);
  });

  it('names the possible reasons if the gateway gives none', () => {
    show('over');
    expect(screen.getByRole('alert').textContent).toContain('The login has ended, or another page');
  });
});
