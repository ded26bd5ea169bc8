import { createContext, useContext } from 'react';
import type { Connection } from './connection';

/** What the page can do to the gateway. */
export type Commands = Pick<Connection, 'answer' | 'say' | 'discard' | 'cancel' | 'finishTool'>;

const nobody: Commands = {
  answer: () => undefined,
  say: () => undefined,
  discard: () => undefined,
  cancel: () => undefined,
  finishTool: () => undefined,
};

export const ConnectionContext = createContext<Commands>(nobody);

export function useConnection(): Commands {
  return useContext(ConnectionContext);
}
