import type { Outcome } from '../wire/wire';
import { plural } from './plural';

const outcomes: Record<Outcome, string> = {
  completed: 'completed',
  cancelled: 'stopped',
  error: 'failed',
};

export const session = {
  untitled: 'Untitled session',
  unknown: 'The gateway knows no session under this address.',
  loading: 'Loading the conversation…',
  externalEmpty: 'This program only asks for approvals; there is no conversation to show.',
  empty: 'Nothing has been said yet.',
  handedOnTo: 'Handed on to',
  handedOnBy: 'Handed on by',
  below: { wants: (tool: string) => `wants to use ${tool}`, asks: 'asks a question' },
  stop: 'Stop',
  stopLabel: 'Stop the agent and withdraw what it asks',
  you: 'You',
  turn: (outcome: Outcome) =>
    outcome === 'error' ? 'The agent stopped with an error' : 'The agent was stopped',
  ended: (outcome: Outcome, by?: string) => `Session ${outcomes[outcome]}${by ? ` by ${by}` : ''}`,
  log: 'Conversation',
  writing: 'is writing…',
  working: 'Working…',
  newer: 'Jump to the newest',
  remembered: (n: number) => `Remembered ${n}`,
  rememberedLabel: (n: number) =>
    `Remembered in this session: ${plural(n, 'approval', 'approvals')}; open the list`,
  forgotten: (text: string, why: string) => `No longer remembered: ${text} (${why})`,
};

export const call = {
  checking: 'Waiting for the gate…',
  running: 'Approved; no result yet…',
  progress: (done: string, total?: string) =>
    total === undefined ? `${done} so far` : `${done} of ${total}`,
  progressLabel: (tool: string) => `How far ${tool} is`,
  picture: (n: number, of: number, tool: string, size: string) =>
    `${of === 1 ? 'Image' : `Image ${n} of ${of}`} from ${tool}, ${size}`,
  noPicture: (size: string, mime: string) => `An image of ${size} that can’t be shown here (${mime})`,
  result: 'Result',
  error: 'Error',
  unreported: 'No result',
  notRun: 'Not run',
  exit: (code: string) => `exit code ${code}`,
  sandboxed: 'in a sandbox',
  sandbox: (read: string[], writes: string[], network: boolean) =>
    [
      'The same, in a sandbox.',
      `It can read ${['the working directory', ...read].join(', ')}.`,
      writes.length > 0 ? `It can write ${writes.join(', ')}.` : 'It can write nothing.',
      network ? 'It has the network.' : 'It has no network.',
    ].join('\n'),
  noOutput: 'No output',
  showAll: (lines: number) => `Show all ${plural(lines, 'line', 'lines')}`,
  showLess: 'Show less',
  told: 'What the model was told',
  arguments: 'Arguments',
  round: (n: number) => `asked again (${n + 1}×)`,
  edited: 'Arguments that were changed',
  ranAs: 'What ran',
};

export const composer = {
  label: 'Message to the agent',
  placeholder: 'Message the agent — Enter sends, Shift+Enter starts a new line',
  placeholderShort: 'Message the agent',
  send: 'Send',
  offline: 'Not sent: there is no connection.',
  noRight: 'Your role may watch this session, not talk to the agent.',
  sending: 'Sending…',
  undecided: 'Nothing was decided, and nothing was sent to the agent.',
  answered: 'Your words were taken as an answer:',
  placeholderAnswer: 'Message the agent, or “approve” or “deny: why”',
  unconfirmed:
    'The connection was lost before the gateway confirmed this. Whether it has arrived is looked up once the conversation is here again.',
  missing:
    'The connection was lost before the gateway confirmed this, and the conversation does not have it. It most likely did not arrive, but that can’t be known for certain.',
  again: 'Send again',
  discard: 'Discard',
};
