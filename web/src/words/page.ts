import type { SessionStatus } from '../wire';
import { plural } from './plural';

const statuses: Record<SessionStatus, string> = {
  idle: 'Idle',
  active: 'Working',
  waiting_approval: 'Waiting for you',
  completed: 'Done',
  error: 'Failed',
  cancelled: 'Stopped',
};

export const login = {
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
};

export const header = {
  openNav: 'Open the list of sessions',
  closeNav: 'Close the list of sessions',
  toDark: 'Use dark colours',
  toLight: 'Use light colours',
  skip: 'Skip to the content',
};

export const connection = {
  connecting: 'Connecting…',
  online: 'Connected',
  offline: (attempts: number) => (attempts > 1 ? `Reconnecting… (attempt ${attempts})` : 'Reconnecting…'),
  short: { connecting: 'Connecting', online: 'Connected', offline: 'Offline' },
  banner: 'Connection lost.',
  bannerDetail: 'What you see may be old, and answers can’t be sent. Reconnecting by itself…',
};

export const nav = {
  label: 'Sessions',
  waiting: (n: number) => (n > 0 ? `Waiting (${n})` : 'Waiting'),
  newSession: 'New session',
  noAgents: 'No agents are set up',
  remembered: 'Remembered',
  agents: 'Agents',
  sessions: 'Sessions',
  empty: 'No sessions yet',
  waitingHere: (n: number) => plural(n, 'request waits', 'requests wait'),
  status: statuses,
  as: (subject: string) => `Signed in as ${subject}`,
};

export const home = {
  title: 'No session is open',
  body: 'Start a session with an agent, tell it what to do, and its risky calls wait here for you.',
  hint: 'To see one wait, type',
  example: 'run: uname -a',
  pick: 'Or choose one from the list.',
};

export const notice = {
  live: (tool: string, agent: string) => `New request: ${agent} wants to use ${tool}`,
  liveQuestion: (agent: string) => `New question from ${agent}`,
  late: 'Too late: your answer was not taken',
  away: (n: number) => `${plural(n, 'request was', 'requests were')} settled while this tab was offline`,
  trouble: 'That did not work',
  close: 'Close this note',
};
