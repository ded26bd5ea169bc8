import { lastSeq, type SessionEntry } from '../store/state';
import type { SessionEvent, Usage } from '../wire/wire';

export type Total = Required<Usage>;

/** What a session has used: by its journal, or by its own word until the journal is here. */
export function usageOf(entry: Pick<SessionEntry, 'session' | 'events'>): Total {
  const { session, events } = entry;
  return lastSeq(entry) >= session.seq ? sum(events) : plus(nothing, session.usage);
}

const nothing: Total = { input: 0, cached: 0, output: 0, cost: 0 };

function sum(events: readonly SessionEvent[]): Total {
  return events.reduce(
    (t, e) => (e.type === 'message.assistant' || e.type === 'turn.finished' ? plus(t, e.data.usage) : t),
    nothing,
  );
}

function plus(total: Total, { input = 0, cached = 0, output = 0, cost = 0 }: Usage = {}): Total {
  return {
    input: total.input + input,
    cached: total.cached + cached,
    output: total.output + output,
    cost: total.cost + cost,
  };
}

/** A number in few characters: 999, 12.3k, 4.56M. */
export function compactCount(n: number): string {
  if (n < 1000) return n.toLocaleString('en');
  // Written out first, so that what is rounded up to a thousand thousands is a million.
  const [size, unit] = n < 999_500 ? [1e3, 'k'] : n < 999_500_000 ? [1e6, 'M'] : [1e9, 'B'];
  return `${(n / size).toLocaleString('en', { maximumSignificantDigits: 3 })}${unit}`;
}

/** A price in at most four significant digits; empty where it costs nothing. */
export function formatCost(cost: number): string {
  if (cost === 0) return '';
  const digits = { maximumSignificantDigits: 4 };
  return cost < 1000 ? cost.toLocaleString('en', digits) : Math.round(cost).toLocaleString('en');
}
