import type { Calls, SessionStatus } from '../wire/wire';
import { plural } from './plural';

const statuses: Record<SessionStatus, string> = {
  idle: 'Idle',
  active: 'Working',
  waiting_approval: 'Needs approval',
  completed: 'Done',
  error: 'Failed',
  cancelled: 'Stopped',
};

/** How a session ended in which calls were denied or timed out. */
function notDone({ settled, denied = 0, unanswered = 0 }: Calls): string {
  if (settled === 1) return denied ? 'Ended, its call was denied' : 'Ended, its call timed out';
  const parts = [denied && `${plural(denied, 'call', 'calls')} denied`];
  if (unanswered)
    parts.push(denied ? `${unanswered} timed out` : `${plural(unanswered, 'call', 'calls')} timed out`);
  return ['Ended', ...parts.filter(Boolean)].join(', ');
}

export const connection = {
  connecting: 'Connecting…',
  online: 'Connected',
  offline: (attempts: number) => (attempts > 1 ? `Reconnecting… (attempt ${attempts})` : 'Reconnecting…'),
  banner: 'Connection lost.',
  bannerDetail: 'What you see may be out of date, and answers can’t be sent. Reconnecting automatically…',
};

export const nav = {
  sessions: 'Sessions',
  waitingCount: 'waiting',
  newSession: 'New session',
  noAgents: 'No agents are set up',
  empty: 'No sessions yet',
  older: 'Show older sessions',
  notOlder: (why: string) => `Couldn’t load older sessions: ${why}`,
  waitingHere: (n: number) => `${plural(n, 'request', 'requests')} waiting`,
  status: statuses,
  notDone,
  as: (subject: string) => `Logged in as ${subject}`,
};

export const home = {
  hint: 'To see an approval, start a session and type',
  example: 'run: uname -a',
  pick: 'Choose a session from the list',
};
