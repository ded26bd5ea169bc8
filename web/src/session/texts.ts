import type { Outcome } from '../wire/wire';
import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const ends: Record<Outcome, string> = { completed: 'done', cancelled: 'stopped', error: 'failed' };

const speech = {
  thoughts: 'Reasoning',
  stops: {
    length: 'Cut off at the model’s output limit.',
    refused: 'The model or its provider refused.',
  } as Partial<Record<string, string>>,
};

const usage = {
  short: (tokens: string, cost: string) => `${tokens} tokens${cost && ` · cost ${cost}`}`,
  label: (short: string) => `Usage in this session: ${short}. Show details`,
  title: 'Usage in this session',
  input: 'Input tokens',
  cached: 'from cache',
  output: 'Output tokens',
  cost: 'Cost',
  costNote: 'Based on the prices in agents.yaml, in their currency.',
};

/** Formatted messages. */
const markdown = {
  image: (alt: string) => (alt ? `Image: ${alt}` : 'Image'),
  table: 'Table',
  done: 'Done:',
  open: 'Open:',
};

/** What happened when. */
const timeline = {
  open: 'Timeline',
  title: 'Timeline',
  close: 'Close the timeline',
  empty: 'No events yet.',
  said: (who: string, words: string) => `${who}: ${words}`,
  asked: (call: string) => `Asked: ${call}`,
  calls: (tools: string) => `Calls: ${tools}`,
  question: (words: string) => `Question: ${words}`,
  answered: (title: string, time: string) => (time ? `${title}, after ${time}` : title),
  unreported: (tool: string) => `No result from ${tool} was reported`,
  result: (tool: string, time: string) => `Result from ${tool}${time && `, took ${time}`}`,
  failed: (tool: string, time: string) => `${tool} failed${time && `, after ${time}`}`,
  notRun: (tool: string) => `${tool} did not run`,
  turnStarted: 'The agent started',
  turnFinished: (outcome: Outcome) =>
    `The agent ${outcome === 'error' ? 'stopped with an error' : outcome === 'cancelled' ? 'was stopped' : 'finished'}`,
  created: (by?: string) => (by ? `Session started by ${by}` : 'Session started'),
  ended: (outcome: Outcome, by?: string) => `Session ${ends[outcome]}${by ? ` by ${by}` : ''}`,
  extended: (until: string) => `The API client extended the deadline to ${until}`,
  remembers: (what: string) => `Standing approval: ${what}`,
  forgets: (what: string) => `Standing approval ended: ${what}`,
  revealed: (by?: string) => `Secrets viewed${by ? ` by ${by}` : ''}`,
};

/** Actions on a session, other than talking. */
const sessionMenu = {
  open: 'More about this session',
  json: 'Export journal (JSON)',
  markdown: 'Export conversation (Markdown)',
  plain: 'Show raw messages',
  formatted: 'Show formatted messages',
  withdraw: 'Withdraw all requests here…',
  end: 'End session…',
  endTitle: 'End this session?',
  endBody:
    'Running calls are stopped, waiting requests are withdrawn, and its standing approvals end. You can’t send messages to an ended session.',
  endYes: 'End session',
  endNo: 'Keep it open',
  close: 'Close',
  failed: (why: string) => `That didn’t work: ${why}`,
  exported: (events: number) => `Exported ${plural(events, 'event', 'events')}`,
  busy: 'Loading journal…',
};

/** The headings of an exported conversation. */
const exported = {
  agent: (agent: string) => `Agent: ${agent}`,
  started: (at: string, by?: string) => `Started: ${at}${by ? ` by ${by}` : ''}`,
  status: (status: string) => `Status: ${status}`,
  exportedAt: (at: string) => `Exported: ${at}`,
  call: (tool: string) => `Call: ${tool}`,
  arguments: 'Arguments',
  changed: 'Changed to (merge patch)',
  result: 'Result',
  told: 'Sent to the model',
  waiting: 'Waiting for an answer.',
};

export const texts = { ...shared, speech, usage, markdown, timeline, sessionMenu, exported };
