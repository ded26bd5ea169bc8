import type { Grant } from '../wire/wire';
import { sentenceOf } from './sentence';

type Covering = Pick<Grant, 'covers' | 'toolName' | 'args'>;

/** The one call that a standing approval covers, where the gateway says which it is. */
export function callOf({ covers, toolName, args }: Covering): { code?: string; text: string } | undefined {
  return covers.kind === 'exact' && args !== undefined ? sentenceOf({ toolName, args }) : undefined;
}

/** What a standing approval covers, on one line: the call itself, or the kind of calls. */
export function coveredBy(grant: Covering): string {
  const call = callOf(grant);
  return call ? (call.code ?? call.text) : grant.covers.text;
}
