import { texts } from './texts';
import type { ApprovalRequest } from './wire';

/** Whether a person answers with data, and does not let a call run: accept, decline or dismiss. */
export function isQuestion(request: ApprovalRequest): boolean {
  return request.type === 'elicitation' || (request.type === 'custom' && request.schema != null);
}

export function isProgram(request: ApprovalRequest): boolean {
  return request.origin?.kind === 'program';
}

/** Who asks: an agent, or a program by the name that it gives itself. */
export function askerOf(request: ApprovalRequest): string {
  if (!isProgram(request)) return request.agentId || request.origin?.client || '';
  return request.origin?.client || texts.program.unnamed;
}
