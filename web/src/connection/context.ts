import { createContext, useContext } from 'react';
import type { Connection } from './connection';
import { LineFacts } from './lineFacts';

/** What the page can do to the gateway. */
export type Commands = Pick<Connection, 'answer' | 'say' | 'discard' | 'cancel' | 'finishTool' | 'look'>;

const nobody: Commands = {
  answer: () => undefined,
  say: () => undefined,
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
export type Line = Pick<Connection, 'ping' | 'facts'>;

const noLine: Line = {
  ping: () => Promise.reject(new Error('there is no connection')),
  facts: new LineFacts(),
};

export const LineContext = createContext<Line>(noLine);
