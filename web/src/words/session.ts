import type { Outcome } from '../wire/wire';
import { listed, plural } from './plural';

const outcomes: Record<Outcome, string> = {
  completed: 'completed',
  cancelled: 'stopped',
  error: 'failed',
};

export const session = {
  untitled: 'Untitled session',
  unknown: 'There is no session at this address.',
  loading: 'Loading the conversation…',
  externalEmpty: 'This API client only asks for approvals, so there is no conversation to show.',
  empty: 'No messages yet.',
  handedOnTo: 'Handed off to',
  handedOnBy: 'Handed off by',
  below: { wants: (tool: string) => `wants to use ${tool}`, asks: 'asks a question' },
  stop: 'Stop',
  stopLabel: 'Stop the agent and withdraw its requests',
  you: 'You',
  turn: (outcome: Outcome) =>
    outcome === 'error' ? 'The agent stopped with an error' : 'The agent was stopped',
  ended: (outcome: Outcome, by?: string) => `Session ${outcomes[outcome]}${by ? ` by ${by}` : ''}`,
  log: 'Conversation',
  writing: 'is writing…',
  working: 'Working…',
  waitsAbove: (n: number) => `↑ ${plural(n, 'request', 'requests')} waiting`,
  newer: 'Jump to latest',
  remembered: (n: number) => `Standing: ${n.toLocaleString('en')}`,
  rememberedLabel: (n: number) =>
    `${plural(n, 'standing approval', 'standing approvals')} in this session. Open the list`,
  forgotten: (text: string, why: string) => `Standing approval ended: ${text} (${why})`,
};

export const call = {
  checking: 'Checking rules…',
  running: 'Running…',
  progress: (done: string, total?: string) =>
    total === undefined ? `${done} so far` : `${done} of ${total}`,
  progressLabel: (tool: string) => `Progress of ${tool}`,
  picture: (n: number, of: number, tool: string, size: string) =>
    `${of === 1 ? 'Image' : `Image ${n} of ${of}`} from ${tool}, ${size}`,
  noPicture: (size: string, mime: string) => `This ${mime} image can’t be shown here (${size})`,
  result: 'Result',
  error: 'Error',
  unreported: 'No result',
  notRun: 'Not run',
  exit: (code: string) => `exit code ${code}`,
  sandboxed: 'in a sandbox',
  sandbox: (read: string[], writes: string[], network: boolean) =>
    [
      'The same call, in a sandbox.',
      `It can read ${listed(['the working directory', ...read])}.`,
      writes.length > 0 ? `It can write in ${listed(writes)}.` : 'It can’t write anywhere.',
      network ? 'It can use the network.' : 'It can’t use the network.',
    ].join('\n'),
  noOutput: 'No output',
  showAll: (lines: number) => `Show all ${plural(lines, 'line', 'lines')}`,
  showLess: 'Show less',
  told: 'Sent to the model',
  arguments: 'Arguments',
  round: (n: number) => `asked again (${n + 1}×)`,
  edited: 'Changed arguments',
  ranAs: 'Command as run',
};

export const composer = {
  label: 'Message to the agent',
  placeholder: 'Message the agent. Enter sends, Shift+Enter starts a new line',
  placeholderShort: 'Message the agent',
  send: 'Send',
  offline: 'Not sent: you’re offline.',
  noRight: 'Your role can view this session, but not message the agent.',
  sending: 'Sending…',
  undecided: 'Nothing was answered, and nothing was sent to the agent.',
  answered: 'Your message was used as an answer:',
  placeholderAnswer: 'Message the agent, or “approve” or “deny: why”',
  unconfirmed:
    'The connection was lost before the gateway confirmed this message. The page checks whether it arrived as soon as the conversation is loaded again.',
  missing:
    'The connection was lost before the gateway confirmed this message, and it is not in the conversation. It most likely did not arrive, but this is not certain.',
  again: 'Send again',
  discard: 'Discard',
};
