import { clipped } from '../words/clipped';
import type { SessionEntry } from '../store/state';
import { texts } from '../words/texts';

/** A session's title, or the first words that were said in it. */
export function sessionTitle(entry: SessionEntry): string {
  if (entry.session.title) return entry.session.title;
  const first = entry.events.find((e) => e.type === 'message.user');
  return first?.type === 'message.user' ? firstWords(first.data.text) : texts.session.untitled;
}

export function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return clipped(line, 60);
}
