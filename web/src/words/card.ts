import type { RiskLevel } from '../wire';
import { plural } from './plural';

const risks: Record<RiskLevel, string> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
  critical: 'Critical risk',
};

export const card = {
  region: (tool: string, agent: string) => `Request: ${agent} wants to use ${tool}`,
  wants: 'wants to use',
  asksTitle: 'Question',
  session: 'Session',
  directory: 'Working directory',
  sandbox: 'Runs',
  unconfined: 'without a sandbox: it may do everything that the gateway’s account may',
  confined: 'in a sandbox: it reads the machine, and writes in the working directory',
  withNetwork: 'the network is open to it',
  withoutNetwork: 'no network',
  writes: (paths: string[]) => `it also writes in ${paths.join(', ')}`,
  rule: 'Why it waits',
  trace: 'How that was decided',
  risks,
  riskUnknown: (word: string) => `Risk: ${word}`,
  askedBy: 'Asked by',
  asked: 'Asked',
  roundText: (n: number) =>
    `This call is asked for the ${n === 1 ? 'second' : n === 2 ? 'third' : `${n + 1}th`} time.`,
  file: 'File as it is now',
  fileAbsent: 'there is no such file yet',
  arguments: 'Arguments',
  noArguments: 'No arguments',
  schema: 'Form',
  schemaOpen: 'JSON Schema, as it was asked',
  details: 'Details',
  hidden: (n: number) =>
    `Contains ${plural(n, 'hidden or misleading character', 'hidden or misleading characters')}, shown as ⟨U+…⟩.`,
  folded: (lines: number, size: string) => `${plural(lines, 'line', 'lines')}, ${size}. The rest is folded.`,
  expand: 'Show everything',
  expandFirst: 'Show everything first: what is folded has not been seen.',
  approve: 'Approve once',
  approveSession: 'Approve for this session…',
  deny: 'Deny',
  reason: 'Reason for denying (optional)',
  reasonPlaceholder: 'The agent reads this if you deny',
  presets: 'Often needed',
  presetList: ['Not yet', 'Wrong place', 'Ask me first', 'Too much at once'],
  approving: 'Ways to approve',
  hold: 'hold',
  holdNote: 'Press and hold until it is taken',
  typeName: 'To approve, type the name of the tool:',
  parts: 'What each part does',
  partAlone: 'What it does',
  saidBefore: (n: number) => `What was said before (${n})`,
  saidBy: { user: 'Person', assistant: 'Agent' } as Partial<Record<string, string>>,
  saidOmitted: (n: number) => `… and ${plural(n, 'more character', 'more characters')}`,
  viewers: (names: string[]) => `${names.join(', ')} ${names.length === 1 ? 'looks' : 'look'} at this too`,
  asJSON: 'As JSON',
  tree: 'Tree',
  text: 'Text',
  view: 'How arguments are shown',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Not allowed',
  members: (n: number) => plural(n, 'member', 'members'),
  items: (n: number) => plural(n, 'item', 'items'),
  kinds: { string: 'string', number: 'number', boolean: 'boolean', null: 'null' } as Record<string, string>,
  noLimit: 'Waits without limit',
  left: (time: string) => `${time} left`,
  timeUp: 'Time is up',
  timeUpDetail: 'The time is up; the gateway is recording that nobody answered.',
  sending: 'Sending your answer…',
  offline: 'No connection: answers can’t be sent.',
  noRight: 'Your role may watch, not decide.',
  failed: 'Your answer was not taken.',
  stale:
    'The connection was gone for more than a minute before it arrived. If it still stands, give it once more.',
};

export const choice = {
  region: 'Approve for this session',
  title: 'What may run again in this session without being asked?',
  exactly: 'exactly this call',
  wholeTool: 'Whatever the arguments are. Only rules that deny or ask still stop it.',
  patterns: 'Patterns',
  folders: 'Folders',
  limits: 'Limit time or number',
  seconds: 'For how long',
  uses: 'How many calls',
  times: [
    { value: '', label: 'This session' },
    { value: '900', label: '15 minutes' },
    { value: '3600', label: '1 hour' },
    { value: '28800', label: '8 hours' },
  ],
  counts: [
    { value: '', label: 'No limit' },
    { value: '1', label: '1 more call' },
    { value: '5', label: '5 more calls' },
    { value: '20', label: '20 more calls' },
  ],
  summary: (agent: string, tool: string) => `Runs now. From then on ${agent} may use ${tool} unasked:`,
  until: (time: string, uses: number) => {
    const session = 'as long as this session lives';
    const long = time ? `for ${time}, at most ${session}` : session;
    return uses ? `${long}; ${plural(uses, 'more call', 'more calls')} at most.` : `${long}.`;
  },
  approve: 'Approve and remember this',
  back: 'Back',
};

export const suggest = {
  open: 'Suggest a rule…',
  title: 'Rules that would have cleared this call',
  body: 'Nothing is changed here. A rule holds for every session, until it is taken out again.',
  where: (agent: string) =>
    `To use one, put it into agents.yaml under agents › ${agent} › toolConfirmation › rules, then have the gateway reread the file (by SIGHUP, or by a restart).`,
  loading: 'Looking through past calls…',
  none: 'No rule fits this call: it is one that a person should see each time.',
  failed: (why: string) => `The rules could not be fetched: ${why}`,
  matched: (n: number, denied: number) =>
    n === 0
      ? 'No past call would have matched.'
      : `Would have matched ${plural(n, 'past call', 'past calls')}, ${denied === 0 ? 'none' : denied.toLocaleString('en')} of them denied.`,
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Select the text and copy it by hand',
  rule: (n: number) => `Rule ${n}`,
  close: 'Close',
};
