import { isObject, pretty } from '../wire/json';
import type { Grant } from '../wire/wire';
import { commandIn } from './arguments';

type Covering = Pick<Grant, 'covers' | 'toolName' | 'args'>;

/** The one call that a grant covers, whole: its command, if it has no other argument, or its arguments as JSON. */
export function callOf({
  covers,
  toolName,
  args,
}: Covering): { isCommand: boolean; text: string } | undefined {
  if (covers.kind !== 'exact' || args === undefined) return undefined;
  const command = commandIn({ toolName, args });
  if (command && isObject(args) && Object.keys(args).length === 1)
    return { isCommand: true, text: String(args[command]) };
  return { isCommand: false, text: pretty(args).replace(/\n\s*/g, ' ') };
}

/** What a grant covers, on one line: the call itself, or the kind of calls. */
export function coveredBy(grant: Covering): string {
  return callOf(grant)?.text ?? grant.covers.text;
}
