import { parseJSON } from './json';
import type { Agent, Identity, Session } from './wire';

/** The gateway refused; status 0 when it could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
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
  if (!response.ok) throw new ApiError(response.status, problem(text) ?? `status ${response.status}`);
  return text ? parseJSON(text) : undefined;
}

// An error is a problem document where the gateway wrote it, and plain text
// where something in front of it did.
function problem(text: string): string | undefined {
  try {
    const document = JSON.parse(text) as { title?: string; detail?: string };
    return document.detail ?? document.title;
  } catch {
    return text.trim().slice(0, 200) || undefined;
  }
}

export const api = {
  login: async (token: string) => (await call('POST', '/api/login', { token })) as { identity: Identity },
  me: async () => (await call('GET', '/api/me')) as { identity: Identity },
  logout: () => call('POST', '/api/logout'),
  ticket: async () => ((await call('POST', '/api/ws-ticket')) as { ticket: string }).ticket,
  agents: async () => ((await call('GET', '/api/agents')) as { agents: Agent[] | null }).agents ?? [],
  createSession: async (agentId: string, title: string) =>
    (await call('POST', '/api/sessions', { agentId, title })) as Session,
};
