import type { SessionEntry } from '../store/state';

/** What this person has said in a session, newest first, also what is still on its way. */
export function ownMessages(
  { events, outbox }: Pick<SessionEntry, 'events' | 'outbox'>,
  me: string | undefined,
): string[] {
  const own = events.flatMap((e) =>
    e.type === 'message.user' && (!e.data.by || e.data.by === me) ? [e.data.text] : [],
  );
  const all = [...own, ...outbox.map((message) => message.text)];
  return all.reverse().filter((text, i) => text !== all[i - 1]);
}
