import { isQuestion } from '../request/asker';
import { describeDecision } from '../request/decision';
import { texts } from './texts';
import type { ApprovalRequest, ApprovalResponse, BelowRequest, BelowResponse } from '../wire/wire';

/** Of a sub-agent's request what the sessions above it are told. */
export interface Below {
  request: BelowRequest;
  response?: BelowResponse;
}

/** The way down to who asks. */
export function pathOf({ origin, agentId }: BelowRequest): string {
  return origin?.parent || agentId;
}

/** What the sub-agent asks, or who decided that, after its path. */
export function belowWords({ request, response }: Below): string {
  // They are a request and a response of which the arguments are left out.
  const asked = request as unknown as ApprovalRequest;
  const question = isQuestion(asked);
  const t = texts.session.below;
  if (!response) return question ? ` ${t.asks}` : ` ${t.wants(request.toolName ?? '')}`;
  const { title } = describeDecision(response as ApprovalResponse, asked);
  return question ? `: ${title}` : `, ${request.toolName}: ${title}`;
}
