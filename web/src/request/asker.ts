import { texts } from '../words/texts';
import type { ApprovalRequest } from '../wire/wire';

/** Whether a person answers with data, and does not let a call run: accept, decline or dismiss. */
export function isQuestion(request: ApprovalRequest): boolean {
  return request.type === 'elicitation' || (request.type === 'custom' && request.schema != null);
}

export function isFromProgram(request: Pick<ApprovalRequest, 'origin'>): boolean {
  return request.origin?.kind === 'program';
}

/** Whether an MCP server asks, in the middle of a call that it carries out. */
export function isFromServer(request: ApprovalRequest): boolean {
  return request.origin?.kind === 'server';
}

/** Who asks: an agent, or a program or a server by its name. */
export function askerOf(request: ApprovalRequest): string {
  if (isFromServer(request)) return request.origin?.client || texts.server.unnamed;
  if (!isFromProgram(request)) return request.agentId || request.origin?.client || '';
  return request.origin?.client || texts.program.unnamed;
}
