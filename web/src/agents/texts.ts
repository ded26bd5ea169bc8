import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const agentsPage = {
  title: 'Agents',
  body: 'Your agents, their tools and approval mode.',
  none: 'No agents are set up',
  noneBody: 'Add agents to agents.yaml. The gateway reads this file when it starts.',
  status: (active: number, waiting: number) => {
    if (waiting > 0) return `${plural(waiting, 'request', 'requests')} waiting`;
    return active > 0 ? `Working in ${plural(active, 'session', 'sessions')}` : 'Idle';
  },
  tools: (n: number) => (n === 0 ? 'No tools' : plural(n, 'tool', 'tools')),
  schema: 'Input schema',
  start: 'New session',
  readOnly: 'changes nothing',
  destructive: 'may delete or overwrite',
  openWorld: 'reaches beyond this machine',
  hintNote: 'What the tool says about itself. This alone decides nothing.',
};

const observe = {
  title: (agent: string) => `${agent} is only observed.`,
  means: (until: string) =>
    `Nobody is asked: calls that need approval run at once, until ${until}. Deny rules and halts still hold.`,
};

const halt = {
  halt: 'Halt',
  all: 'Halt all',
  title: (agent?: string) => (agent === undefined ? 'Halt everything?' : `Halt ${agent}?`),
  means: [
    'Waiting requests are denied, approved calls that have not started will not run, and nothing else is approved or run, for everyone, until an admin lifts the halt. A restart does not lift it.',
    'Calls that are already running go on; to end them, press Stop in their session. Messages sent during the halt are answered after it.',
  ],
  yes: (agent?: string) => (agent === undefined ? 'Halt everything' : `Halt ${agent}`),
  no: 'Keep it running',
  failed: (why: string) => `That didn’t work: ${why}`,
  halted: (agent?: string) => (agent === undefined ? 'Everything is halted.' : `${agent} is halted.`),
  pressed: (who: string, at: string) => `Halted by ${who}, ${at}.`,
  now: 'Nothing is approved or run. Calls that were already running go on.',
  whoLifts: 'An admin can lift it.',
  lift: 'Lift',
  liftTitle: (agent?: string) =>
    agent === undefined ? 'Lift the halt of everything?' : `Lift the halt of ${agent}?`,
  liftMeans: [
    'Agents continue: messages sent during the halt are answered, and new requests wait for people again. Requests that were denied stay denied.',
  ],
  liftYes: 'Lift the halt',
  liftNo: 'Keep it halted',
};

const withdraw = {
  open: 'Withdraw all',
  title: (n: number) => `Withdraw ${plural(n, 'request', 'requests')}?`,
  means: [
    'These calls will not run, and the agents are told that the requests were withdrawn. The agents continue: they may ask again, or do something else.',
  ],
  yes: (n: number) => `Withdraw ${plural(n, 'request', 'requests')}`,
  no: 'Keep them waiting',
  done: (n: number) => `${plural(n, 'request', 'requests')} withdrawn`,
};

export const texts = { ...shared, agentsPage, halt, observe, withdraw };
