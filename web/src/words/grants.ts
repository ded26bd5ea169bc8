import type { GrantReason } from '../wire/wire';
import { plural } from './plural';

const grantEnds: Record<GrantReason, string> = {
  revoked: 'revoked',
  session_ended: 'its session ended',
  expired: 'its time was over',
  used_up: 'its calls were used up',
  crowded_out: 'made room for a newer one; a session holds 64',
  tool_changed: 'the tool has changed since',
  giver_gone: 'who gave it may not answer any more',
  forgotten: 'the gateway was started again and forgets',
};

export const grants = {
  title: 'Remembered',
  body: 'Approvals that answer again by themselves, each in its own session, or, where it says so, in every session of the agent in the same folder. Revoke what should be asked about again.',
  panelBody: 'What runs in this session without being asked, because somebody approved it before.',
  empty: 'Nothing is remembered',
  emptyBody:
    'When somebody approves a call for its session, it stands here with what it covers, until it ends.',
  panelEmpty: 'Nothing is remembered in this session.',
  alsoEnded: 'Also ended ones',
  loading: 'Looking…',
  failed: (why: string) => `The list could not be fetched: ${why}`,
  retry: 'Try again',
  tool: (agent: string, tool: string) => `${agent} › ${tool}`,
  given: (who: string, at: string) => `given by ${who}, ${at}`,
  unused: 'not used yet',
  used: (uses: number, max?: number) =>
    max ? `used ${uses} of ${plural(max, 'time', 'times')}` : `used ${plural(uses, 'time', 'times')}`,
  until: (at: string, left: string) => `until ${at} (${left})`,
  untilDate: (at: string) => `until ${at}`,
  everywhere: (agent: string, folder?: string) => `in every session of ${agent}${folder ? ` in ${folder}` : ''}`,
  untilOver: 'its time is over',
  untilEnd: 'until its session ends',
  session: 'Session',
  revoke: 'Revoke',
  revokeLabel: (text: string) => `Revoke: ${text}`,
  revoking: 'Revoking…',
  noRight: 'Your role may look, not revoke.',
  revoked: (text: string) => `Revoked: ${text}. It is asked about again from now on.`,
  wasOver: (text: string, why: string) => `It had ended before: ${text} (${why})`,
  revokeFailed: (why: string) => `Not revoked: ${why}`,
  ended: (reason: GrantReason | undefined, who?: string) => {
    const why = (reason && grantEnds[reason]) || 'ended';
    return reason === 'revoked' && who ? `${why} by ${who}` : why;
  },
  close: 'Close the list of what is remembered',
};
