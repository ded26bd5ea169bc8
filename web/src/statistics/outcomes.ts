import type { Stats } from '../wire/wire';

/** What became of requests, in the order in which it is drawn. Together these are all of them. */
export const outcomes = ['approved', 'denied', 'timeouts', 'cancelled', 'pending'] as const;

export type Counts = Pick<Stats, (typeof outcomes)[number]>;

export const total = (counts: Counts) => outcomes.reduce((sum, of) => sum + counts[of], 0);
