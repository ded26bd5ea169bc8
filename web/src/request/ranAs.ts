import type { ApprovalResponse } from '../wire/wire';
import { pretty } from '../wire/json';

/** A command line as it ran where nobody was asked: the gateway runs what it has read of it. */
export function ranAs(response: ApprovalResponse): string | undefined {
  const via = response.by?.via;
  if (response.edit === undefined || (via !== 'policy' && via !== 'grant')) return undefined;
  const values = Object.values(response.edit as object);
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : pretty(response.edit);
}
