import type { Effect } from '../wire/wire';
import { listed } from '../words/plural';
import { texts as shared } from '../words/texts';

const rulesPage = {
  title: 'Rules',
  body: 'Deny wins over ask, and ask over allow.',
  agent: 'Agent',
  all: 'All agents',
  toTry: 'Try a call',
  groups: { deny: 'Never runs', ask: 'Asks a person', allow: 'Runs without asking' } as Record<
    Effect,
    string
  >,
  unread: 'A command line that can’t be read in full asks all the same.',
  none: {
    deny: 'No rule denies anything.',
    ask: 'No rule asks.',
    allow: 'No rule allows anything.',
  } as Record<Effect, string>,
  showYAML: 'Show as YAML',
  hideYAML: 'Hide YAML',
  yaml: (place: string) => `Rule at ${place}`,
  reason: (why: string) => `Reason: ${why}`,
  and: 'and',
};

const notes = {
  label: 'What holds right now',
  halted: (agent: string | undefined, who: string, at: string) =>
    `${agent === undefined ? 'Every agent is' : `${agent} is`} halted by ${who} since ${at}: nothing is approved or run.`,
  observed: (agent: string, until: string) =>
    `${agent} is only observed until ${until}: calls that need approval run without asking.`,
  fenced: (agents: string[], tools: string[], how: string) =>
    `${listed(tools)} of ${listed(agents)} ${tools.length === 1 ? 'runs' : 'run'} in a sandbox${how}.`,
  unfenced: (agents: string[], tools: string[]) =>
    `${listed(tools)} of ${listed(agents)} ${tools.length === 1 ? 'runs' : 'run'} without a sandbox, with full access as the gateway’s user.`,
  network: (has: boolean) => (has ? ', with the network' : ', without the network'),
  writes: (paths: string[]) => `, and can also write in ${listed(paths)}`,
};

const tryCall = {
  title: 'Try a call',
  body: 'See what would happen. Nothing is run, and nobody is asked.',
  agent: 'Agent',
  tool: 'Tool',
  command: 'Command',
  args: 'Arguments (JSON)',
  asJSON: 'Write the arguments as JSON',
  asFields: 'Back to fields',
  empty: 'Type a command to see what would happen to it.',
  unfinished: 'Fill in the required fields to see what would happen.',
  notJSON: (why: string) => `This is not JSON: ${why}`,
  checking: 'Checking…',
  failed: (why: string) => `Couldn’t check: ${why}`,
  effects: { deny: 'Never runs', ask: 'Asks a person', allow: 'Runs without asking' } as Record<
    Effect,
    string
  >,
  byMode: {
    'mode manual': 'No rule allows this call, and calls without a rule ask.',
    'mode auto-approve': 'No rule is about this call, and in auto-approve mode such calls run.',
    'mode auto-deny': 'No rule allows this call, and in auto-deny mode such calls are denied.',
  } as Partial<Record<string, string>>,
  observed: (agent: string) => `A person would be asked, but ${agent} is only observed.`,
  halted: 'The agent is halted: until the halt is lifted, nothing is approved or run.',
  trace: 'Decision trace',
  commands: 'Commands that would run',
  nearest: 'Nearest rule that allows',
  failsAt: 'Fails at',
  fails: 'It does not fit.',
  wordFits: 'fits:',
  wordFails: 'does not fit:',
  instead: 'What would let it run',
  smallest: 'The smallest rule that would allow it',
  looking: 'Looking through other calls…',
  allowed: 'From now on this runs without asking:',
  undo: 'Undo',
};

export const texts = { ...shared, rulesPage, notes, tryCall };
