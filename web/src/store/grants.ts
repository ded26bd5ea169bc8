import type { ApprovalResponse, Grant, ModeSetting } from '../wire/wire';
import type { State } from './state';

/** Takes grants in. One that has ended stays so, whatever an older list says. */
export function addGrants(state: State, list: readonly Grant[]): State {
  const grants = { ...state.grants };
  for (const grant of list) {
    if (!grants[grant.grantId]?.ended || grant.ended) grants[grant.grantId] = grant;
  }
  return { ...state, grants };
}

/** Something happened to a grant: whoever shows a list has to look again. */
export function withGrantChange(state: State): State {
  return { ...state, grantChanges: state.grantChanges + 1 };
}

/** An answer that gave a grant, or was given by one, changes the list of grants. */
export function withGrantsOf(state: State, response: ApprovalResponse): State {
  return response.grantId ? withGrantChange(state) : state;
}

/** Takes in how an agent's mode stands, unless something newer is known. */
export function setMode(state: State, set: ModeSetting): State {
  const agents = state.agents?.map((agent) =>
    agent.agentId === set.agentId && set.version >= agent.modeVersion
      ? { ...agent, mode: set.mode, modeVersion: set.version, modeSetBy: set.setBy?.subject }
      : agent,
  );
  return { ...state, agents };
}
