import { plural } from './plural';

export const question = {
  asks: 'asks',
  send: 'Send answer',
  accept: 'Accept',
  sendHint: 'Press Ctrl+Enter in a field to send. Enter alone does not send.',
  aside: 'Other answers',
  decline: 'Decline',
  declineNote: 'Decline sends a “no”. Dismiss sends no answer.',
  dismiss: 'Dismiss',
  reason: 'Reason for declining (optional)',
  reasonPlaceholder: 'Whoever asked sees this if you decline',
  unfinished: 'Not sent: check the marked fields.',
  invalid: 'The answer was not accepted, and nothing was sent on. What you typed is still here.',
};

export const diff = {
  label: (file: string) => `Changes to ${file}`,
  changes: 'Changes',
  creates: 'Creates',
  counts: (added: number, removed: number) =>
    `${plural(added, 'line', 'lines')} added, ${removed.toLocaleString('en')} removed`,
  lines: 'Changed lines',
  layout: 'Diff layout',
  unified: 'Unified',
  split: 'Split',
  steps: (n: number) => plural(n, 'change', 'changes'),
  step: (n: number, all: number) => `Change ${n.toLocaleString('en')} of ${all.toLocaleString('en')}`,
  previous: 'Previous change',
  next: 'Next change',
  gap: (from: number, to: number) =>
    from === to ? `Line ${from} unchanged` : `Lines ${from}–${to} unchanged`,
  show: 'Show',
  loading: 'Loading the whole change…',
  failed: (why: string) => `Couldn’t load the whole change: ${why}`,
  again: 'Try again',
  read: 'Scroll the change to its end before approving.',
  omitted: (n: number) =>
    `${plural(n, 'more line of this diff is', 'more lines of this diff are')} not shown here. The raw arguments below have the whole text.`,
  folded: (shown: number, all: number) =>
    `Only the first ${plural(shown, 'line', 'lines')} of ${all.toLocaleString('en')} are shown.`,
  arguments: (size: string) => `Raw arguments (${size})`,
  rest: 'Other arguments',
  openArguments: 'Open the raw arguments before approving: part of the change is not shown above.',
};

export const tree = {
  search: 'Search names and values',
  found: (n: number) => plural(n, 'match', 'matches'),
  none: 'No matches',
  at: (n: number, all: number) => `${n.toLocaleString('en')} of ${all.toLocaleString('en')}`,
  previous: 'Previous match',
  next: 'Next match',
  foldAll: 'Fold all',
  unfoldAll: 'Unfold all',
  folded: (n: number) =>
    `${plural(n, 'part is', 'parts are')} folded and not shown. Unfold everything to approve.`,
  copyPath: 'Copy path',
  pathCopied: 'Path copied',
};

export const program = {
  unnamed: 'An API client',
  origin: (client: string, subject: string) =>
    `Sent by an API client${client ? ` that calls itself ${client}` : ''}${subject ? `, logged in as ${subject}` : ''}.`,
  run: (name: string) => `Its name for this run: ${name}.`,
  rules: (agent: string) => `The rules of agent ${agent} apply.`,
  kind: (subject?: string) => (subject ? `API client of ${subject}` : 'API client'),
  noTalk: 'This session belongs to an API client, so you can’t send messages here.',
};

export const server = {
  unnamed: 'A server',
  about: (agent: string) => `, an MCP server${agent ? ` that ${agent} uses` : ''},`,
  asked: (name: string) => `${name} asks`,
  page: 'Page to visit',
  openPage: 'Open page',
  openNote: 'Opening the page does not answer the question. Come back and answer below.',
  reasonPlaceholder: 'The server only learns that you declined',
};

export const clientTools = {
  region: 'Requests from agents to this page',
  waiting: (n: number) => `${plural(n, 'item', 'items')} from agents for you`,
  notification: (agent: string) => `Notice from ${agent}`,
  link: (agent: string) => `${agent} wants to open a link`,
  leadsTo: 'Leads to',
  written: 'Written as',
  open: 'Open',
  copyTitle: (agent: string) => `Copy text from ${agent}`,
  copyNote: 'This replaces what is on your clipboard.',
  copy: 'Copy',
  copyFailed: 'Your browser did not allow copying. Try again, or select the text and copy it yourself.',
  text: 'Text to copy',
  notNow: 'Not now',
  close: 'Close this notice',
  session: 'Open session',
  left: (time: string) => `${time} left`,
  timeUp: 'Time is up',
  withdrawn: (n: number) =>
    `The connection was lost, so ${plural(n, 'request', 'requests')} from agents to this page ${n === 1 ? 'was' : 'were'} withdrawn.`,
  // What the model reads.
  declined: 'the person declined',
  unknown: (tool: string) => `this page has no tool ${tool}`,
  needsText: (field: string) => `${field}: want a text that is not empty`,
  notAddress: 'url: want a whole http or https address',
};
