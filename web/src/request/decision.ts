import { isQuestion } from './asker';
import { coveredBy } from './granted';
import { describeRule } from './rule';
import { texts } from '../words/texts';
import type { ApprovalRequest, ApprovalResponse, Grant } from '../wire/wire';

export type Tone = 'yes' | 'no' | 'nobody' | 'neutral';

export interface Decision {
  tone: Tone;
  title: string;
  message?: string; // the person's own words
}

/** Who decided what, in words. Nobody's answer is never told as a person's no. */
export function describeDecision(
  response: ApprovalResponse,
  request?: ApprovalRequest,
  grant?: Grant,
): Decision {
  const t = texts.decision;
  const who = response.by?.subject || t.someone;
  const rule = request?.policy?.rule;
  const ground = rule && describeRule(rule);
  // When a rule denied, the message is the rule, which the title already says.
  const said = response.reason !== 'policy_denied' || response.message !== rule;
  const message = (said && response.message) || undefined;
  if (request ? isQuestion(request) : response.formData !== undefined) {
    const answer = answered(response, who);
    if (answer) return { ...answer, message };
  }
  if (response.status === 'approved')
    return { tone: 'yes', title: approved(response, request, grant, ground), message };
  switch (response.reason) {
    case 'timeout':
      return { tone: 'nobody', title: t.nobody(waited(request)), message };
    case 'policy_denied':
      return { tone: 'no', title: t.deniedByPolicy(ground), message };
    case 'validation_failed':
      return { tone: 'no', title: t.invalid, message };
    case 'no_handler':
      return { tone: 'nobody', title: t.noHandler, message };
    case 'handler_failed':
      return { tone: 'nobody', title: t.handlerFailed, message };
    case 'too_many_pending':
      return { tone: 'nobody', title: t.tooMany, message };
    case 'halted':
      return { tone: 'no', title: t.halted(who), message };
    case 'user_cancelled':
      return { tone: 'neutral', title: t.withdrawn(who), message };
    case 'asker_gone':
      return { tone: 'neutral', title: t.askerGone, message };
    case 'system_cancelled':
      return { tone: 'neutral', title: t.systemCancelled, message };
    case 'superseded':
      return { tone: 'neutral', title: t.superseded, message };
    case 'user_denied':
    case 'observed':
    case undefined:
      return response.status === 'denied'
        ? { tone: 'no', title: t.denied(who), message }
        : { tone: 'neutral', title: t.withdrawn(who), message };
  }
}

/** Who answered a question, and how; undefined where it ended as a call ends. */
function answered(response: ApprovalResponse, who: string): Decision | undefined {
  const t = texts.decision;
  if (response.status === 'approved') return { tone: 'yes', title: t.answered(who) };
  switch (response.reason) {
    case 'user_denied':
      return { tone: 'no', title: t.declined(who) };
    case 'user_cancelled':
      return { tone: 'neutral', title: t.dismissed(who) };
    case 'no_handler':
    case 'too_many_pending':
      return { tone: 'nobody', title: t.unanswered };
    case 'handler_failed':
      return { tone: 'nobody', title: t.questionFailed };
    default:
      return undefined;
  }
}

function approved(
  response: ApprovalResponse,
  request?: ApprovalRequest,
  grant?: Grant,
  ground?: string,
): string {
  const t = texts.decision;
  const who = response.by?.subject || t.someone;
  if (response.reason === 'observed') return t.observed(ground);
  if (response.by?.via === 'policy') return t.allowedByPolicy(ground);
  if (response.by?.via === 'grant') return t.cleared(who, grant && coveredBy(grant));
  const forSession = response.scope === 'session' || response.scope === 'always';
  const standing = response.scope === 'always' && request?.scopes.includes('always');
  const remembered = standing ? t.approvedEverywhere(who) : t.approvedForSession(who);
  const title = forSession ? remembered : t.approved(who);
  const changed = response.edit === undefined ? title : t.changed(title);
  return forSession && grant ? `${changed}: ${coveredBy(grant)}` : changed;
}

function waited(request: ApprovalRequest | undefined): string | undefined {
  if (!request?.expiresAt) return undefined;
  const seconds = Math.round((Date.parse(request.expiresAt) - Date.parse(request.requestedAt)) / 1000);
  return texts.roughDuration(seconds);
}
