import { parseJSON } from './json';
import type { Agent, AgentMode, Grant, Identity, ModeSetting, Session, Suggestion } from './wire';

/** The gateway refused; status 0 when it could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly problem?: Problem,
  ) {
    super(message);
  }
}

/** An error as the gateway writes it. */
interface Problem {
  title?: string;
  detail?: string;
  mode?: ModeSetting; // of a conflict about an agent's mode: as it is
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      cache: 'no-store',
    });
  } catch {
    throw new ApiError(0, 'the gateway can’t be reached');
  }
  const text = await response.text();
  if (!response.ok) {
    const problem = readProblem(text);
    throw new ApiError(
      response.status,
      problem.detail ?? problem.title ?? `status ${response.status}`,
      problem,
    );
  }
  return text ? parseJSON(text) : undefined;
}

// An error is a problem document where the gateway wrote it, and plain text
// where something in front of it did.
function readProblem(text: string): Problem {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null) return document as Problem;
  } catch {
    // not ours
  }
  const detail = text.trim().slice(0, 200);
  return detail ? { detail } : {};
}

export const api = {
  login: async (token: string) => (await call('POST', '/api/login', { token })) as { identity: Identity },
  me: async () => (await call('GET', '/api/me')) as { identity: Identity },
  logout: () => call('POST', '/api/logout'),
  ticket: async () => ((await call('POST', '/api/ws-ticket')) as { ticket: string }).ticket,
  agents: async () => ((await call('GET', '/api/agents')) as { agents: Agent[] | null }).agents ?? [],
  setMode: async (agentId: string, mode: AgentMode, version: number) =>
    (await call('PUT', `/api/agents/${encodeURIComponent(agentId)}/mode`, { mode, version })) as ModeSetting,
  grants: async (all: boolean) =>
    ((await call('GET', `/api/grants${all ? '?all=true' : ''}`)) as { grants: Grant[] | null }).grants ?? [],
  revoke: async (grantId: string) =>
    (await call('DELETE', `/api/grants/${encodeURIComponent(grantId)}`)) as Grant,
  suggestions: async (approvalId: string) => {
    const path = `/api/approvals/${encodeURIComponent(approvalId)}/suggestions`;
    return ((await call('GET', path)) as { suggestions: Suggestion[] | null }).suggestions ?? [];
  },
  createSession: async (agentId: string, title: string) =>
    (await call('POST', '/api/sessions', { agentId, title })) as Session,
};
