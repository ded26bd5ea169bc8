import { Problem, reached, Transport, type wire } from 'lineclear';
import { parseJSON } from './json';
import { ask, forgetLogin, keepLogin, loginEnd, newKey, noteEnd, proof } from './proof';
import type {
  AccessChange,
  AccessGiven,
  AgentMode,
  Credential,
  Explained,
  Grant,
  GrantTerms,
  Halt,
  Login,
  ModeSetting,
  Session,
  SessionEvent,
  SessionPage,
  Stats,
  ToolInfo,
  WaitingTerminal,
} from './wire';

export { Problem } from 'lineclear';

/** Which requests: of a session with those below it, of an agent, or all. Exactly one is named. */
export type Which = { sessionId: string } | { agentId: string } | { all: true };

const gateway = new Transport({ url: '', fetch: askWithProof, parse: parseJSON });

const call = (method: string, path: string, body?: unknown): Promise<unknown> =>
  gateway.call(method, path, { body });

async function askWithProof(path: string, init: RequestInit): Promise<Response> {
  const response = await askWith(await proof(), path, init);
  if (response.status !== 401) return response;
  const fresh = await proof(true); // the gateway was restarted, or the proof is too old
  if (fresh) return askWith(fresh, path, init);
  await noteEnd(response.clone());
  return response;
}

function askWith(csrf: string, path: string, init: RequestInit): Promise<Response> {
  return ask(path, csrf ? { ...init, headers: { ...init.headers, 'X-Lineclear-Csrf': csrf } } : init);
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
  if (!(await reached(proof()))) throw new Problem(401, { detail: 'log in again' });
  return (await call('GET', '/api/me')) as Login;
}

async function logout(): Promise<void> {
  await call('POST', '/api/logout');
  await forgetLogin();
}

const accessPath = (c: Credential) =>
  `/api/${c.kind === 'token' ? 'tokens' : 'logins'}/${encodeURIComponent(c.id)}`;

/** A call that nobody has made. */
export interface Tried {
  agentId: string;
  toolName: string;
  args: string; // JSON
}

const tried = ({ agentId, toolName, args }: Tried, more: GrantTerms & { offer?: string } = {}) =>
  `${JSON.stringify({ ...more, agentId, toolName }).slice(0, -1)},"args":${args}}`;

export const api = {
  login,
  me,
  logout,
  loginEnd,
  /** As whom a login link logs in; it is left unused. */
  lookAtLink: async (token: string) => ((await call('POST', '/api/login/look', { token })) as Login).identity,
  terminal: async (code: string) =>
    (await call('GET', `/api/device-logins/${encodeURIComponent(code)}`)) as WaitingTerminal,
  answerTerminal: (code: string, allow: boolean, hours: number) =>
    call('POST', `/api/device-logins/${encodeURIComponent(code)}`, { allow, hours }),
  push: async () => (await call('GET', '/api/push')) as wire.PushBody,
  subscribePush: (subscription: wire.SubscriptionBody) =>
    call('POST', '/api/push/subscriptions', subscription),
  unsubscribePush: () => call('DELETE', '/api/push/subscriptions'),
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
  /** The whole of what a call would change in a file. */
  change: async (approvalId: string) =>
    (await call('GET', `/api/approvals/${encodeURIComponent(approvalId)}/change`)) as wire.FileChange,
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
  halt: async (what: Exclude<Which, { sessionId: string }>) =>
    (await call('POST', '/api/halts', what)) as Halt,
  lift: async (what: Exclude<Which, { sessionId: string }>) =>
    (await call('POST', '/api/halts/lift', what)) as Halt,
  /** How many were withdrawn. */
  cancelWaiting: async (which: Which) =>
    ((await call('POST', '/api/approvals/cancel', which)) as wire.WithdrawnBody).withdrawn.length,
  /** A page of the requests that match, newest first; takes the parameters of GET /api/approvals. */
  approvals: async (query: Record<string, string>) => {
    const page = (await call('GET', `/api/approvals?${new URLSearchParams(query)}`)) as wire.ApprovalsBody;
    return { approvals: page.approvals, next: page.next ?? '', searchedTo: page.searchedTo };
  },
  /** All requests that match, as a file. */
  exportApprovals: async (query: Record<string, string>): Promise<Blob> => {
    const path = `/api/approvals/export?${new URLSearchParams(query)}`;
    const response = await askWithProof(path, { method: 'GET' });
    if (!response.ok) throw new Problem(response.status, (await response.json()) as { detail: string });
    return response.blob();
  },
  approval: async (approvalId: string) =>
    (await call('GET', `/api/approvals/${encodeURIComponent(approvalId)}`)) as wire.Approval,
  /** Withdraws a request, even an approved one that hasn't started. */
  cancelApproval: (approvalId: string) =>
    call('POST', `/api/approvals/${encodeURIComponent(approvalId)}/cancel`),
  policy: async () => ((await call('GET', '/api/policy')) as wire.PolicyBody).agents,
  /** args are JSON, and go as they are written: reading them here could change a number. */
  explain: async (call: Tried) =>
    gateway.call<Explained>('POST', '/api/policy/explain', { text: tried(call) }),
  /** Rules that would allow such a call. */
  suggest: async (call: Tried) => {
    const found = await gateway.call<wire.SuggestionsBody>('POST', '/api/policy/suggestions', {
      text: tried(call),
    });
    return found.suggestions;
  },
  /** Allows such calls in every session. */
  give: async (call: Tried, offer: string, terms: GrantTerms) =>
    gateway.call<Grant>('POST', '/api/grants', { text: tried(call, { ...terms, offer }) }),
  stats: async (since: string) =>
    (await call('GET', `/api/stats?since=${encodeURIComponent(since)}`)) as Stats,
  nodes: async () => ((await call('GET', '/api/nodes')) as wire.NodesBody).nodes,
  tokens: async () => ((await call('GET', '/api/tokens')) as wire.TokensBody).tokens,
  logins: async () => (await call('GET', '/api/logins')) as wire.LoginsBody,
  links: async () => ((await call('GET', '/api/links')) as wire.LinksBody).links,
  /** Replaces a login link with a new one. */
  newLinkInPlaceOf: async (id: string) =>
    (await call('POST', `/api/links/${encodeURIComponent(id)}/again`)) as wire.NewLinkBody,
  withdrawLink: (id: string) => call('DELETE', `/api/links/${encodeURIComponent(id)}`),
  removePerson: (subject: string) => call('DELETE', `/api/people/${encodeURIComponent(subject)}`),
  newToken: async (access: AccessGiven) => (await call('POST', '/api/tokens', access)) as wire.NewTokenBody,
  newLink: async (access: AccessGiven) => (await call('POST', '/api/links', access)) as wire.NewLinkBody,
  changeAccess: (c: Credential, change: AccessChange) => call('PATCH', accessPath(c), change),
  revokeAccess: (c: Credential) => call('DELETE', accessPath(c)),
  createSession: async (agentId: string, title: string) =>
    (await call('POST', '/api/sessions', { agentId, title })) as Session,
};
