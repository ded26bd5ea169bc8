import { createContext, useContext } from 'react';
import type { Connection } from './connection';
import { ConnectionStats } from './connectionStats';

/** What the page can do to the gateway. */
export type Commands = Pick<
  Connection,
  'answer' | 'takeBack' | 'say' | 'tell' | 'discard' | 'cancel' | 'finishTool' | 'look'
>;

const nobody: Commands = {
  answer: () => undefined,
  takeBack: () => undefined,
  say: () => undefined,
  tell: () => Promise.resolve({ taken: false }),
  discard: () => undefined,
  cancel: () => undefined,
  finishTool: () => undefined,
  look: () => undefined,
};

export const ConnectionContext = createContext<Commands>(nobody);

export function useConnection(): Commands {
  return useContext(ConnectionContext);
}

/** The line itself, for finding out what is wrong with it. */
export type Diagnosable = Pick<Connection, 'ping' | 'stats'>;

const noLine: Diagnosable = {
  ping: () => Promise.reject(new Error('there is no connection')),
  stats: new ConnectionStats(),
};

export const DiagnosticsContext = createContext<Diagnosable>(noLine);
