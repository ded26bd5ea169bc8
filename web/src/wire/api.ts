import { parseJSON } from './json';
import { ask, forgetLogin, keepLogin, newKey, proof } from './proof';
import type {
  AccessChange,
  AccessGiven,
  AgentMode,
  Credential,
  Explained,
  Grant,
  Halt,
  Login,
  ModeSetting,
  Problem,
  Session,
  SessionEvent,
  SessionPage,
  Stats,
  ToolInfo,
  WaitingTerminal,
} from './wire';
import type * as wire from './generated';

/** Whatever a refusal may tell. */
type Refusal = Problem & wire.AnsweredProblem & wire.ModeProblem & wire.UnreadyProblem;

/** The gateway refused; status 0 when it could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly problem?: Partial<Refusal>,
  ) {
    super(message);
  }
}

/** Which requests: of a session with those below it, of an agent, or all. Exactly one is named. */
export type Which = { sessionId: string } | { agentId: string } | { all: true };

/** Which approvals are wanted; what is empty does not matter. */
export interface ApprovalQuery {
  status?: string;
  agentId?: string;
  sessionId?: string;
  limit?: string;
  before?: string;
}

function call(method: string, path: string, body?: unknown): Promise<unknown> {
  return callWith(method, path, body === undefined ? null : JSON.stringify(body));
}

async function callWith(method: string, path: string, body: string | null): Promise<unknown> {
  const response = await send(method, path, body);
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

async function send(method: string, path: string, body: string | null): Promise<Response> {
  const response = await sendWith(await reached(proof()), method, path, body);
  if (response.status !== 401) return response;
  const fresh = await reached(proof(true)); // the gateway was restarted, or the proof is too old
  return fresh ? sendWith(fresh, method, path, body) : response;
}

async function sendWith(csrf: string, method: string, path: string, body: string | null): Promise<Response> {
  const headers = {
    ...(body !== null && { 'Content-Type': 'application/json' }),
    ...(csrf && { 'X-Lineclear-Csrf': csrf }),
  };
  return reached(ask(path, { method, headers, body, cache: 'no-store' }));
}

async function reached<T>(what: Promise<T>): Promise<T> {
  try {
    return await what;
  } catch {
    throw new ApiError(0, 'the gateway can’t be reached');
  }
}

async function login(token: string): Promise<Login> {
  const key = await newKey();
  const begun = (await call('POST', '/api/login', {
    token,
    ...(key && { key: key.publicKey }),
  })) as wire.LoggedInBody;
  await keepLogin(begun, key);
  return begun;
}

// Without its proof a login opens nothing, so it counts as logged out.
async function me(): Promise<Login> {
  if (!(await reached(proof()))) throw new ApiError(401, 'log in again');
  return (await call('GET', '/api/me')) as Login;
}

async function logout(): Promise<void> {
  await call('POST', '/api/logout');
  await forgetLogin();
}

// An error is a problem document where the gateway wrote it, and plain text
// where something in front of it did.
function readProblem(text: string): Partial<Refusal> {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null) return document as Partial<Refusal>;
  } catch {
    // not ours
  }
  const detail = text.trim().slice(0, 200);
  return detail ? { detail } : {};
}

const accessPath = (c: Credential) =>
  `/api/${c.kind === 'token' ? 'tokens' : 'logins'}/${encodeURIComponent(c.id)}`;

export const api = {
  login,
  me,
  logout,
  /** As whom a login link logs in; it is left unused. */
  lookAtLink: async (token: string) =>
    ((await call('POST', '/api/login/look', { token })) as Login).identity,
  terminal: async (code: string) =>
    (await call('GET', `/api/device-logins/${encodeURIComponent(code)}`)) as WaitingTerminal,
  answerTerminal: (code: string, allow: boolean, hours: number) =>
    call('POST', `/api/device-logins/${encodeURIComponent(code)}`, { allow, hours }),
  ticket: async () => ((await call('POST', '/api/ws-ticket')) as wire.TicketBody).ticket,
  agents: async () => ((await call('GET', '/api/agents')) as wire.AgentsBody).agents,
  setMode: async (agentId: string, mode: AgentMode, version: number) =>
    (await call('PUT', `/api/agents/${encodeURIComponent(agentId)}/mode`, { mode, version })) as ModeSetting,
  grants: async (all: boolean) =>
    ((await call('GET', `/api/grants${all ? '?all=true' : ''}`)) as wire.GrantsBody).grants,
  revoke: async (grantId: string) =>
    (await call('DELETE', `/api/grants/${encodeURIComponent(grantId)}`)) as Grant,
  suggestions: async (approvalId: string) => {
    const path = `/api/approvals/${encodeURIComponent(approvalId)}/suggestions`;
    return ((await call('GET', path)) as wire.SuggestionsBody).suggestions;
  },
  tool: async (approvalId: string) =>
    (await call('GET', `/api/approvals/${encodeURIComponent(approvalId)}/tool`)) as ToolInfo,
  events: async (sessionId: string, after: number) => {
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/events?after=${after}&limit=500`;
    return ((await call('GET', path)) as wire.EventsBody).events as SessionEvent[];
  },
  session: async (sessionId: string) =>
    (await call('GET', `/api/sessions/${encodeURIComponent(sessionId)}`)) as Session,
  olderSessions: async (before: string) =>
    (await call('GET', `/api/sessions?before=${encodeURIComponent(before)}&limit=50`)) as SessionPage,
  endSession: (sessionId: string) => call('POST', `/api/sessions/${encodeURIComponent(sessionId)}/cancel`),
  halt: async (what: Exclude<Which, { sessionId: string }>) => (await call('POST', '/api/halts', what)) as Halt,
  lift: async (what: Exclude<Which, { sessionId: string }>) =>
    (await call('POST', '/api/halts/lift', what)) as Halt,
  /** How many were withdrawn. */
  cancelWaiting: async (which: Which) =>
    ((await call('POST', '/api/approvals/cancel', which)) as wire.WithdrawnBody).withdrawn.length,
  approvals: async (query: ApprovalQuery) => {
    const given = Object.entries(query).filter(([, value]) => value);
    const page = (await call('GET', `/api/approvals?${new URLSearchParams(given)}`)) as wire.ApprovalsBody;
    return { approvals: page.approvals, next: page.next ?? '' };
  },
  policy: async () => ((await call('GET', '/api/policy')) as wire.PolicyBody).agents,
  /** args are JSON, and go as they are written: reading them here could change a number. */
  explain: async (agentId: string, toolName: string, args: string) => {
    const body = `{"agentId":${JSON.stringify(agentId)},"toolName":${JSON.stringify(toolName)},"args":${args}}`;
    return (await callWith('POST', '/api/policy/explain', body)) as Explained;
  },
  stats: async (since: string) =>
    (await call('GET', `/api/stats?since=${encodeURIComponent(since)}`)) as Stats,
  tokens: async () => ((await call('GET', '/api/tokens')) as wire.TokensBody).tokens,
  logins: async () => ((await call('GET', '/api/logins')) as wire.LoginsBody).logins,
  newToken: async (access: AccessGiven) => (await call('POST', '/api/tokens', access)) as wire.NewTokenBody,
  newLink: async (access: AccessGiven) => (await call('POST', '/api/links', access)) as wire.NewLinkBody,
  changeAccess: (c: Credential, change: AccessChange) => call('PATCH', accessPath(c), change),
  revokeAccess: (c: Credential) => call('DELETE', accessPath(c)),
  createSession: async (agentId: string, title: string) =>
    (await call('POST', '/api/sessions', { agentId, title })) as Session,
};
