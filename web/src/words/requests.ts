import { plural } from './plural';

export const question = {
  asks: 'asks',
  send: 'Send answer',
  accept: 'Accept',
  sendHint: 'Enter does not send; Ctrl+Enter in a field does.',
  aside: 'Not answering',
  decline: 'Decline',
  declineNote: 'Decline says no; Dismiss says nothing, and who asks hears that there was no answer.',
  dismiss: 'Dismiss',
  reason: 'Reason for declining (optional)',
  reasonPlaceholder: 'Who asks reads this if you decline',
  unfinished: 'Not sent: look at the marked fields.',
  invalid: 'The answer does not fit yet. Nothing was sent on, and what you typed is still here.',
};

export const diff = {
  label: (file: string) => `Changes to ${file}`,
  changes: 'Changes',
  creates: 'Creates',
  counts: (added: number, removed: number) =>
    `${plural(added, 'line', 'lines')} added, ${removed.toLocaleString('en')} removed`,
  added: 'added:',
  removed: 'removed:',
  hunk: (line: number) => `from line ${line}`,
  omitted: (n: number) =>
    `${plural(n, 'more line', 'more lines')} of the change ${n === 1 ? 'is' : 'are'} left out here. The arguments below have the whole text.`,
  folded: (n: number) => `${plural(n, 'line', 'lines')} of changes. The rest is folded.`,
  arguments: (size: string) => `Arguments as the tool gets them (${size})`,
  rest: 'Other arguments',
  openArguments: 'Open the arguments first: part of the change is not shown above.',
};

export const program = {
  unnamed: 'A program',
  origin: (client: string, subject: string) =>
    `A program${client ? ` that calls itself ${client}` : ''} asks${subject ? `, signed in as ${subject}` : ''}.`,
  run: (name: string) => `It calls this run ${name}.`,
  rules: (agent: string) => `It asks under the rules of agent ${agent}.`,
  kind: (subject?: string) => (subject ? `program, as ${subject}` : 'program'),
  noTalk: 'A program asks for approvals here; there is nobody to talk to.',
};

export const server = {
  unnamed: 'A server',
  about: (agent: string) => `, an MCP server${agent ? ` that ${agent} uses` : ''},`,
  asked: (name: string) => `${name} asks`,
  page: 'The page it names',
  openPage: 'Open page',
  openNote: 'Opening it answers nothing: come back and say below what you did.',
  reasonPlaceholder: 'The server hears only the no',
};

export const clientTools = {
  region: 'What agents ask of this page',
  notification: (agent: string) => `Notice from ${agent}`,
  link: (agent: string) => `${agent} wants to open a link`,
  leadsTo: 'Leads to',
  written: 'Written as',
  open: 'Open',
  copyTitle: (agent: string) => `Copy text from ${agent}`,
  copyNote: 'It goes to your clipboard, in place of what is there.',
  copy: 'Copy',
  copyFailed: 'This browser did not allow it. Try again, or select the text and copy it by hand.',
  text: 'Text to copy',
  notNow: 'Not now',
  close: 'Close this notice',
  session: 'Open its session',
  left: (time: string) => `${time} left`,
  timeUp: 'Time is up',
  withdrawn: (n: number) =>
    `The connection was lost: ${plural(n, 'thing', 'things')} that agents asked of this page ${n === 1 ? 'is' : 'are'} withdrawn.`,
  // What the model reads.
  declined: 'the person declined',
  unknown: (tool: string) => `this page has no tool ${tool}`,
  needsText: (field: string) => `${field}: want a text that is not empty`,
  notAddress: 'url: want a whole http or https address',
};
