import { pretty } from '../wire/json';
import { texts } from '../words/texts';
import type { ApprovalResponse } from '../wire/wire';

interface Sandbox {
  read?: string[];
  writes?: string[];
  network?: boolean;
}

/** What ran where nobody was asked: the line as the gateway has read it, or as it stands in a sandbox. */
export function ranAs(response: ApprovalResponse): string | undefined {
  const via = response.by?.via;
  if (response.edit === undefined || (via !== 'policy' && via !== 'grant')) return undefined;
  const edit = response.edit as Record<string, unknown>;
  const values = Object.values(edit);
  if (values.length !== 1) return pretty(response.edit);
  if (typeof values[0] === 'string') return values[0];
  const { read = [], writes = [], network = false } = (edit['sandbox'] ?? {}) as Sandbox;
  return 'sandbox' in edit ? texts.call.sandbox(read, writes, network) : pretty(response.edit);
}
