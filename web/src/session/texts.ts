import type { Outcome } from '../wire/wire';
import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const ends: Record<Outcome, string> = { completed: 'done', cancelled: 'stopped', error: 'failed' };

const speech = {
  thoughts: 'Thoughts',
  stops: {
    length: 'Cut off at the model’s limit.',
    refused: 'The model or its provider refused.',
  } as Partial<Record<string, string>>,
};

const usage = {
  short: (tokens: string, cost: string) => `${tokens} tokens${cost && ` · cost ${cost}`}`,
  label: (short: string) => `Used in this session: ${short}; what that is made of`,
  title: 'Used in this session',
  input: 'Tokens read',
  cached: 'of these from a cache',
  output: 'Tokens written',
  cost: 'Cost',
  costNote: 'By the prices in agents.yaml, in their currency.',
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
  title: 'What happened when',
  close: 'Close the timeline',
  empty: 'Nothing has happened yet.',
  said: (who: string, words: string) => `${who}: ${words}`,
  asked: (tool: string) => `Asked: ${tool}`,
  calls: (tools: string) => `Calls ${tools}`,
  question: (words: string) => `Asks: ${words}`,
  answered: (title: string, time: string) => (time ? `${title}, after ${time}` : title),
  unreported: (tool: string) => `No result of ${tool} was reported`,
  result: (tool: string, time: string) => `Result of ${tool}${time && `, took ${time}`}`,
  failed: (tool: string, time: string) => `${tool} failed${time && `, after ${time}`}`,
  notRun: (tool: string) => `${tool} did not run`,
  turnStarted: 'The agent begins',
  turnFinished: (outcome: Outcome) =>
    `The agent is ${outcome === 'error' ? 'done, with an error' : ends[outcome]}`,
  created: (by?: string) => (by ? `Session started by ${by}` : 'Session started'),
  ended: (outcome: Outcome, by?: string) => `Session ${ends[outcome]}${by ? ` by ${by}` : ''}`,
  remembers: (what: string) => `Remembers: ${what}`,
  forgets: (what: string) => `No longer remembered: ${what}`,
  revealed: (by?: string) => `Secrets looked at${by ? ` by ${by}` : ''}`,
};

/** What can be done with a session beside talking to it. */
const sessionMenu = {
  open: 'More about this session',
  json: 'Export the journal (JSON)',
  markdown: 'Export the conversation (Markdown)',
  plain: 'Show messages as written',
  formatted: 'Show messages formatted',
  withdraw: 'Withdraw all that waits here…',
  end: 'End this session…',
  endTitle: 'End this session?',
  endBody:
    'What runs is stopped, what waits is withdrawn, and what is remembered in it is forgotten. An ended session takes no further messages.',
  endYes: 'End the session',
  endNo: 'Leave it open',
  close: 'Close',
  failed: (why: string) => `That did not work: ${why}`,
  exported: (events: number) => `Exported ${plural(events, 'event', 'events')}`,
  busy: 'Reading the journal…',
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
  told: 'What the model was told',
  waiting: 'Waits for an answer.',
};

export const texts = { ...shared, speech, usage, markdown, timeline, sessionMenu, exported };
