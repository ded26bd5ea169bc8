import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

/** Shown while gateway.localKey is answers. */
const localKey = {
  title: 'Programs on the gateway’s machine can approve.',
  body: 'Even commands that agents run can approve. To stop this, set gateway.localKey to asks in agents.yaml.',
};

const keys = {
  open: 'Keys',
  title: 'Keys',
  close: 'Close',
  note: 'No key approves anything: approving is always a press, or a hold, on the button itself.',
  list: [
    { keys: ['j'], does: 'Next request' },
    { keys: ['k'], does: 'Previous request' },
    { keys: ['o'], does: 'Open the request alone, or go back to the list' },
    { keys: ['n'], does: 'Not now: leave it waiting and go on' },
    { keys: ['d'], does: 'Write why not (nothing is sent)' },
    { keys: ['a'], does: 'Go to the approve buttons (if you have turned that on)' },
    { keys: ['/'], does: 'Search' },
    { keys: ['?'], does: 'This list' },
    { keys: ['Esc'], does: 'Leave a field, close a dialog' },
  ],
};

const login = {
  title: 'Open your login link',
  body: 'This page is for people who approve what agents do. The gateway printed a login link in its terminal: open that link in this browser.',
  used: 'That login link has been used or has expired. Each link works once; whenever one is used, the gateway prints a fresh one in its terminal.',
  unreachable: 'The gateway can’t be reached. Is it still running?',
  retry: 'Try again',
  byToken: 'Log in with a token instead',
  token: 'Token',
  tokenHint: 'It begins with lct_. Only ever enter it here, at the address under which you know the gateway.',
  enter: 'Log in',
  tokenRefused: (why: string) => `That did not work: ${why}`,
  example: 'It looks like this:',
  loading: 'Looking for your login…',
  asWhom: (subject: string, roles: string) => `Log in as ${subject} (${roles})?`,
  onlyAgents: (agents: string) => `For these agents only: ${agents}.`,
  onlyIfYours: 'Go on only if you were given this link. It works once.',
  hereAs: (here: string, subject: string) =>
    here === subject
      ? `You are logged in as ${here} already. Logging in again uses the link up.`
      : `You are logged in as ${here}. After logging in, what you answer in this browser is recorded as ${subject}’s.`,
  enterAs: (subject: string) => `Log in as ${subject}`,
  stay: (subject: string) => `Stay ${subject}`,
  notNow: 'Not now',
  over: 'This browser was logged in. That login is over, or another page of this host has replaced its cookie. Open a new link to log in again.',
  tokenInAddress:
    'A token is not taken from an address, since addresses are kept in histories and logs. If you meant to log in with it, enter it below.',
};

const header = {
  openNav: 'Open the list of sessions',
  closeNav: 'Close the list of sessions',
  fromAgents: (n: number) => `${plural(n, 'thing', 'things')} from agents for you`,
  toDark: 'Use dark colours',
  toLight: 'Use light colours',
  skip: 'Skip to the content',
};

const notice = {
  live: (tool: string, agent: string) => `New request: ${agent} wants to use ${tool}`,
  liveQuestion: (agent: string) => `New question from ${agent}`,
  late: 'Too late: your answer was not taken',
  away: (n: number) => `${plural(n, 'request was', 'requests were')} settled while this tab was offline`,
  trouble: 'That did not work',
  close: 'Close this note',
};

/** The gateway is another one than when the page was loaded. */
const update = {
  title: 'Lineclear was updated.',
  soon: 'This page reloads itself in a moment.',
  typed: 'Reload this page when you are ready; what you have typed stays.',
  reload: 'Reload',
};

export const texts = { ...shared, localKey, keys, login, header, notice, update };
