import { expect, type BrowserContext } from '@playwright/test';
import type { Gateway } from './gateway';

export interface Ask {
  toolName: string;
  args?: unknown;
  agentId?: string;
  client?: string;
  message?: string;
  [more: string]: unknown;
}

/** Asks as a program does, with the login of the browser; the request's id. */
export async function ask(browser: BrowserContext, gateway: Gateway, body: Ask): Promise<string> {
  const response = await browser.request.post(`${gateway.url}api/approvals`, {
    headers: { Origin: gateway.url.slice(0, -1) },
    data: body,
  });
  expect(response.ok(), await response.text()).toBe(true);
  return ((await response.json()) as { approvalId: string }).approvalId;
}

/** How a request stands. */
export async function standing(browser: BrowserContext, gateway: Gateway, id: string): Promise<string> {
  const response = await browser.request.get(`${gateway.url}api/approvals/${id}`);
  return ((await response.json()) as { status: string }).status;
}
