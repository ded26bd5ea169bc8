import type { GrantReason } from '../wire/wire';
import { plural } from './plural';

const grantEnds: Record<GrantReason, string> = {
  revoked: 'revoked',
  session_ended: 'the session ended',
  expired: 'expired',
  used_up: 'all its calls were used',
  crowded_out: 'replaced by a newer one, because a session holds at most 64',
  tool_changed: 'the tool has changed',
  giver_gone: 'the person who approved it can no longer answer requests',
  forgotten: 'the gateway restarted',
};

export const grants = {
  title: 'Standing approvals',
  body: 'Calls that run without asking, because someone approved them.',
  panelBody: 'Calls that run in this session without asking, because someone approved them.',
  empty: 'No standing approvals',
  emptyBody:
    'When someone approves a call for a session or for every session, the approval is listed here until it ends.',
  panelEmpty: 'No standing approvals in this session.',
  alsoEnded: 'Show ended',
  loading: 'Loading…',
  failed: (why: string) => `Couldn’t load the list: ${why}`,
  retry: 'Try again',
  mayUse: 'may use',
  toRun: 'to run',
  toRunExactly: 'to run exactly',
  withExactly: 'with exactly',
  oneCall: 'for exactly one call',
  in: 'in',
  on: 'on',
  or: 'or',
  anyArguments: 'with any arguments',
  inEverySession: (folder?: string) => `in every session${folder ? ` in ${folder}` : ''}`,
  request: 'The request',
  beforehand: 'Allowed before any request',
  endsWithSession: 'Ends with session',
  given: (who: string, at: string) => `Approved by ${who}, ${at}`,
  unused: 'not used yet',
  used: (uses: number, max?: number) =>
    max ? `used ${uses} of ${plural(max, 'time', 'times')}` : `used ${plural(uses, 'time', 'times')}`,
  until: (at: string, left: string) => `until ${at} (${left})`,
  untilDate: (at: string) => `until ${at}`,
  everywhere: (agent: string, folder?: string) =>
    `in every session of ${agent}${folder ? ` in ${folder}` : ''}`,
  untilOver: 'expired',
  untilEnd: 'until the session ends',
  session: 'Session',
  undo: 'Undo: ask again each time',
  revoke: 'Revoke',
  revokeLabel: (text: string) => `Revoke: ${text}`,
  revoking: 'Revoking…',
  noRight: 'Your role can view standing approvals, but not revoke them.',
  revoked: (text: string) => `Revoked: ${text}. From now on, a person is asked again.`,
  wasOver: (text: string, why: string) => `Already ended: ${text} (${why})`,
  revokeFailed: (why: string) => `Not revoked: ${why}`,
  ended: (reason: GrantReason | undefined, who?: string) => {
    const why = (reason && grantEnds[reason]) || 'ended';
    return reason === 'revoked' && who ? `${why} by ${who}` : why;
  },
  close: 'Close the list of standing approvals',
};
