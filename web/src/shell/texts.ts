import { plural } from '../words/plural';
import { roleNames } from '../words/roles';
import { texts as shared } from '../words/texts';
import { clockTime, dayTime } from '../words/times';
import type { LoginEnd } from '../wire/wire';

/** Shown while gateway.localKey is answers. */
const localKey = {
  title: 'Programs on the gateway’s machine can approve.',
  body: 'Even commands that agents run can approve. To stop this, set gateway.localKey to asks in agents.yaml.',
};

const keys = {
  open: 'Keyboard shortcuts',
  title: 'Keyboard shortcuts',
  close: 'Close',
  note: 'No key approves anything. To approve, press or hold the button itself.',
  list: [
    { keys: ['j'], does: 'Next request' },
    { keys: ['k'], does: 'Previous request' },
    { keys: ['o'], does: 'Go to the request, or back to the list' },
    { keys: ['x'], does: 'Select the request, or clear it' },
    { keys: ['n'], does: 'Later: leave it waiting and go to the next' },
    { keys: ['d'], does: 'Write a reason for denying (nothing is sent)' },
    { keys: ['a'], does: 'Move focus to the approve buttons (if turned on)' },
    { keys: ['/'], does: 'Search' },
    { keys: ['?'], does: 'Show keyboard shortcuts' },
    { keys: ['Esc'], does: 'Leave a field, close a dialog' },
  ],
};

/** Why this browser's login has ended. */
function ended({ reason, by = 'someone', at, since }: LoginEnd, now: number): string {
  const moment = dayTime(Date.parse(at), now);
  const when = moment.startsWith('today') ? `at ${clockTime(Date.parse(at))}` : `(${moment})`;
  switch (reason) {
    case 'signed_out':
      return `You were signed out by ${by} ${when}.`;
    case 'removed':
      return `Your access was removed by ${by} ${when}.`;
    case 'token_revoked':
      return `The token that you logged in with was revoked by ${by} ${when}.`;
    case 'expired':
      return `Your login ended ${when}, after ${roughly(since, at)}.`;
    case 'crowded':
      return `This browser was signed out ${when}, because you logged in many times elsewhere.`;
  }
}

const roughly = (from: string, to: string) =>
  shared.roughDuration(Math.round((Date.parse(to) - Date.parse(from)) / 1000));

const login = {
  title: 'You’re logged out',
  body: 'Open the login link that you were sent, or the one in the gateway’s terminal.',
  unreachable: 'The gateway can’t be reached. Is it still running?',
  retry: 'Try again',
  byToken: 'Log in with a token instead',
  token: 'Token',
  tokenHint: 'It begins with lct_. Enter it only at the gateway’s usual address.',
  enter: 'Log in',
  tokenRefused: (why: string) => `That didn’t work: ${why}`,
  example: 'Example:',
  loading: 'Checking your login…',
  asWhom: (subject: string, roles: string[]) => `Log in as ${subject} (${roleNames(roles)})?`,
  onlyAgents: (agents: string) => `For these agents only: ${agents}.`,
  onlyIfYours: 'Continue only if someone gave you this link. It works once.',
  hereAs: (here: string, subject: string) =>
    here === subject
      ? `You’re already logged in as ${here}. Logging in again uses up the link.`
      : `You’re logged in as ${here}. After logging in, your answers in this browser are recorded as ${subject}’s.`,
  enterAs: (subject: string) => `Log in as ${subject}`,
  stay: (subject: string) => `Stay ${subject}`,
  notNow: 'Cancel',
  noLink: 'This link doesn’t log you in',
  over: 'This browser was logged in. The login has ended, or another page on this host has replaced its cookie. Open a new link to log in again.',
  ended,
};

const header = {
  openNav: 'Open the menu',
  closeNav: 'Close the menu',
  skip: 'Skip to content',
};

const notice = {
  live: (tool: string, agent: string) => `New request: ${agent} wants to use ${tool}`,
  liveQuestion: (agent: string) => `New question from ${agent}`,
  late: 'Too late: your answer was not accepted',
  away: (n: number) =>
    `${plural(n, 'request was', 'requests were')} answered or ended while this tab was offline`,
  trouble: 'That didn’t work',
  close: 'Close this message',
  alike: (title: string, n: number) => `${title}: ${plural(n, 'request', 'requests')}`,
  answered: (n: number, more: boolean) =>
    `${more ? 'More than ' : ''}${plural(n, 'request was', 'requests were')} answered`,
};

const unknown = { title: 'There is no such page', link: 'Go to Approvals' };

/** The gateway is another one than when the page was loaded. */
const update = {
  title: 'Lineclear was updated.',
  soon: 'Reloading…',
  typed: 'Reload this page when you’re ready. What you’ve typed is kept.',
  reload: 'Reload',
};

export const texts = { ...shared, localKey, keys, login, header, notice, unknown, update };
