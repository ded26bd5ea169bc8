import { texts } from '../words/texts';
import { withNotice, type ClientCall, type State } from './state';

// Notices that nobody closes go by themselves, the oldest first.
const mostNotifications = 4;

export function showCall(state: State, shown: ClientCall): State {
  const others = state.clientCalls.filter((c) => c.call.toolCallId !== shown.call.toolCallId);
  const list = [...others, shown];
  const notifications = list.filter((c) => c.showing.kind === 'notification');
  const old = new Set(notifications.slice(0, -mostNotifications));
  return { ...state, clientCalls: list.filter((c) => !old.has(c)) };
}

export function hideCall(state: State, toolCallId: string): State {
  const left = state.clientCalls.filter((c) => c.call.toolCallId !== toolCallId);
  return left.length === state.clientCalls.length ? state : { ...state, clientCalls: left };
}

/** With the connection goes what was asked and not done yet: the gateway has told the agents so. */
export function withdrawCalls(state: State): State {
  const left = state.clientCalls.filter((c) => c.showing.kind === 'notification');
  const gone = state.clientCalls.length - left.length;
  if (gone === 0) return state;
  const text = texts.clientTools.withdrawn(gone);
  return withNotice({ ...state, clientCalls: left }, { kind: 'note', text });
}
