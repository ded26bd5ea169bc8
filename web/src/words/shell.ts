import type { SessionStatus } from '../wire/wire';
import { plural } from './plural';

const statuses: Record<SessionStatus, string> = {
  idle: 'Idle',
  active: 'Working',
  waiting_approval: 'Waiting for you',
  completed: 'Done',
  error: 'Failed',
  cancelled: 'Stopped',
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
  older: 'Show older sessions',
  notOlder: (why: string) => `Older sessions could not be fetched: ${why}`,
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
