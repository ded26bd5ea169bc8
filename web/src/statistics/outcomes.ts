import type { Stats } from '../wire/wire';

/** What became of requests, in drawing order. Together they add up to all requests. */
export const outcomes = ['approved', 'denied', 'timeouts', 'cancelled', 'pending'] as const;

export type Counts = Pick<Stats, (typeof outcomes)[number]>;

export const total = (counts: Counts) => outcomes.reduce((sum, of) => sum + counts[of], 0);
