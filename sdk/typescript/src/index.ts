export { Lineclear, type AnswerGiven, type Filter } from './lineclear.js';
export { Unclear, Unreported, type Question, type Run } from './guard.js';
export { Refused } from './refused.js';
export {
  Problem,
  reached,
  Transport,
  Unreachable,
  type Fetch,
  type Options,
  type Sent,
} from './transport.js';
export type { Watched, WatchEvent } from './watch.js';
export * from './json.js';
export type * from './types.js';
export { PROTOCOL } from './generated.js';
export type * as wire from './generated.js';
