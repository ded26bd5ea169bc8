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
  body: 'Calls that run without asking, because someone approved them: in one session, or in every session of an agent in the same folder. Revoke an approval to be asked again.',
  panelBody: 'Calls that run in this session without asking, because someone approved them.',
  empty: 'No standing approvals',
  emptyBody:
    'When someone approves a call for a session or for every session, the approval is listed here until it ends.',
  panelEmpty: 'No standing approvals in this session.',
  alsoEnded: 'Show ended',
  loading: 'Loading…',
  failed: (why: string) => `Couldn’t load the list: ${why}`,
  retry: 'Try again',
  tool: (agent: string, tool: string) => `${agent} › ${tool}`,
  given: (who: string, at: string) => `approved by ${who}, ${at}`,
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
