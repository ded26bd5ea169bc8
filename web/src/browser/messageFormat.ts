import { keptFlag } from './keptFlag';

// Whether messages are shown raw instead of formatted, in every session.
const unformatted = keptFlag('lineclear.plain');

export const isUnformatted = unformatted.get;
export const setUnformatted = unformatted.set;
export const useUnformatted = unformatted.use;
