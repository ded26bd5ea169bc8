import { expect, type APIResponse, type BrowserContext } from '@playwright/test';
import { proofs, type Served } from './gateway';

export interface Ask {
  toolName: string;
  args?: unknown;
  agentId?: string;
  client?: string;
  message?: string;
  [more: string]: unknown;
}

/** Changes something by the API, with the login of the browser. */
export async function change(
  browser: BrowserContext,
  gateway: Served,
  method: 'POST' | 'PUT',
  path: string,
  data: object,
): Promise<APIResponse> {
  const headers = ownHeaders(browser, gateway);
  const response = await browser.request.fetch(`${gateway.url}${path}`, { method, headers, data });
  expect(response.ok(), await response.text()).toBe(true);
  return response;
}

/** What the page sends with everything. */
export const ownHeaders = (browser: BrowserContext, gateway: Served) => ({
  Origin: gateway.url.slice(0, -1),
  'X-Lineclear-Csrf': proofs.get(browser) ?? '',
});

/** Denies a request, as it is done from elsewhere. */
export async function deny(
  browser: BrowserContext,
  gateway: Served,
  id: string,
  message?: string,
): Promise<void> {
  await change(browser, gateway, 'POST', `api/approvals/${id}`, { status: 'denied', message });
}

/** Asks as a program does; the request's id. */
export async function ask(browser: BrowserContext, gateway: Served, body: Ask): Promise<string> {
  const response = await change(browser, gateway, 'POST', 'api/approvals', body);
  return ((await response.json()) as { approvalId: string }).approvalId;
}

/** Reads something by the API, with the login of the browser. */
export async function read<T>(browser: BrowserContext, gateway: Served, path: string): Promise<T> {
  const headers = ownHeaders(browser, gateway);
  return (await (await browser.request.get(`${gateway.url}${path}`, { headers })).json()) as T;
}

/** How a request stands. */
export async function standing(browser: BrowserContext, gateway: Served, id: string): Promise<string> {
  return (await read<{ status: string }>(browser, gateway, `api/approvals/${id}`)).status;
}
