import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const agentsPage = {
  title: 'Agents',
  body: 'Who works here, what each may use, and what happens when a tool is to be used.',
  none: 'No agents are set up',
  noneBody: 'Agents stand in agents.yaml; the gateway reads it when it starts.',
  status: (active: number, waiting: number) => {
    if (waiting > 0) return plural(waiting, 'request waits', 'requests wait');
    return active > 0 ? `At work in ${plural(active, 'session', 'sessions')}` : 'Idle';
  },
  tools: (n: number) => (n === 0 ? 'No tools of its own' : plural(n, 'tool', 'tools')),
  schema: 'What it takes',
  start: 'New session',
  readOnly: 'changes nothing',
  destructive: 'may delete or overwrite',
  openWorld: 'reaches beyond this machine',
  hintNote: 'What a tool says of itself. Nothing is decided by that alone.',
};

const observe = {
  title: (agent: string) => `${agent} is only observed.`,
  means: (until: string) =>
    `Nobody is asked: calls that need approval run at once, until ${until}. Deny rules and halts still hold.`,
};

const halt = {
  halt: 'Halt',
  title: (agent?: string) => (agent === undefined ? 'Halt everything?' : `Halt ${agent}?`),
  means: [
    'What waits is denied, what is approved and has not started will not run, and nothing more is approved or run, for everybody, until an admin lifts it. A restart does not end it.',
    'Calls that run go on; Stop, in their session, ends them. What is said meanwhile is answered after the lift.',
  ],
  yes: (agent?: string) => (agent === undefined ? 'Halt everything' : `Halt ${agent}`),
  no: 'Leave it running',
  failed: (why: string) => `That did not work: ${why}`,
  halted: (agent?: string) => (agent === undefined ? 'Everything is halted.' : `${agent} is halted.`),
  pressed: (who: string, at: string) => `Pressed by ${who}, ${at}.`,
  now: 'Nothing is approved or run; calls that were running go on.',
  whoLifts: 'An admin can lift it.',
  lift: 'Lift',
  liftTitle: (agent?: string) => (agent === undefined ? 'Lift the halt of everything?' : `Lift the halt of ${agent}?`),
  liftMeans: ['Agents go on: what was said meanwhile is answered, and what they ask waits for people again. What was denied stays denied.'],
  liftYes: 'Lift the halt',
  liftNo: 'Leave it halted',
};

const withdraw = {
  open: 'Withdraw all',
  title: (n: number) => `Withdraw ${plural(n, 'request', 'requests')}?`,
  means: ['They will not run, and the agents are told that they were withdrawn. Turns go on: an agent may ask again, or do something else.'],
  yes: (n: number) => `Withdraw ${plural(n, 'request', 'requests')}`,
  no: 'Leave them waiting',
  done: (n: number) => `${plural(n, 'request', 'requests')} withdrawn`,
};

export const texts = { ...shared, agentsPage, halt, observe, withdraw };
