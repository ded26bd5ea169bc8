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

/** How a session ended in which a call was denied, or nobody answered. */
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
  short: { connecting: 'Connecting', online: 'Connected', offline: 'Offline' },
  banner: 'Connection lost.',
  bannerDetail: 'What you see may be out of date, and answers can’t be sent. Reconnecting automatically…',
};

export const nav = {
  label: 'Sessions',
  waiting: (n: number) => (n > 0 ? `Approvals (${n.toLocaleString('en')})` : 'Approvals'),
  newSession: 'New session',
  noAgents: 'No agents are set up',
  remembered: 'Standing approvals',
  agents: 'Agents',
  sessions: 'Sessions',
  empty: 'No sessions yet',
  older: 'Show older sessions',
  notOlder: (why: string) => `Couldn’t load older sessions: ${why}`,
  waitingHere: (n: number) => `${plural(n, 'request', 'requests')} waiting`,
  status: statuses,
  notDone,
  as: (subject: string) => `Logged in as ${subject}`,
};

export const home = {
  title: (waiting: number) =>
    waiting > 0 ? `${plural(waiting, 'request', 'requests')} waiting` : 'Nothing needs you right now',
  body: (waiting: number) =>
    waiting > 0 ? 'Open Approvals to answer.' : 'Requests that need approval appear under Approvals.',
  hint: 'Start a session; to see an approval, try',
  example: 'run: uname -a',
  pick: 'Or open a session from the list.',
};
