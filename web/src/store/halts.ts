import type { Halt } from '../wire/wire';
import type { State } from './state';

/** A halt was set or lifted. */
export function addHalt(state: State, halt: Halt): State {
  const { [halt.agentId ?? '']: _before, ...others } = state.halts;
  return { ...state, halts: halt.on ? { ...others, [halt.agentId ?? '']: halt } : others };
}

/** A snapshot has all that are on. */
export function replaceHalts(state: State, list: readonly Halt[]): State {
  return list.reduce(addHalt, { ...state, halts: {} });
}

/** What holds for an agent: the halt of all, or its own. */
export function haltOf(halts: State['halts'], agentId: string): Halt | undefined {
  return halts[''] ?? halts[agentId];
}
