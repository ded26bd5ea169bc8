import { plural } from './plural';

/** The pages beside the sessions, by their names in the list. */
export const pages = {
  label: 'Pages',
  history: 'History',
  remembered: 'Remembered',
  agents: 'Agents',
  rules: 'Rules',
  statistics: 'Statistics',
  access: 'Access',
  settings: 'Settings',
  connection: 'Connection',
  loading: 'Loading…',
  failed: (why: string) => `That could not be fetched: ${why}`,
  retry: 'Try again',
  gone: 'This page could not be loaded. Perhaps Lineclear was updated: reload it.',
};

export const agentsPage = {
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

const effects: Record<string, string> = { allow: 'Allowed', ask: 'Asked about', deny: 'Denied' };

export const rulesPage = {
  title: 'Rules',
  body: 'What the gateway goes by, as it stands in agents.yaml. A denial beats everything, then what is always asked about, then what is allowed.',
  agent: 'Agent',
  none: 'No rules. The mode and each tool’s own setting decide.',
  effect: (effect: string) => effects[effect] ?? effect,
  scopes: { gateway: 'of the gateway', agent: 'of this agent' } as Record<string, string>,
  where: (rule: string) => `Rule at ${rule}`,
  tryTitle: 'Try a call',
  tryBody:
    'Says what would be decided about it now, outside of any session. Nothing is asked and nothing runs.',
  tool: 'Tool',
  args: 'Arguments (JSON)',
  notJSON: (why: string) => `That is not JSON: ${why}`,
  act: 'Try it',
  would: (effect: string) =>
    ({
      allow: 'It would run without being asked about',
      ask: 'A person would be asked',
      deny: 'It would be denied',
    })[effect] ?? effect,
  because: 'By',
  trace: 'How that came about',
  risk: 'Risk',
  commands: 'What the command line runs',
};

export const settingsPage = {
  title: 'Settings',
  body: 'They hold in this browser.',
  looks: 'Appearance',
  scheme: 'Colours',
  schemes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
  messages: 'Messages',
  formatted: 'Show messages of agents formatted',
  formattedNote: 'Off: as they were written, with every character that makes the form.',
  login: 'Login',
  signedIn: (who: string, roles: string) => `You are signed in as ${who} (${roles}).`,
  signOut: 'Sign out',
  signOutNote: 'For a new login you need the link that the gateway prints in its terminal.',
};

export const connectionPage = {
  title: 'Connection',
  body: 'How this tab’s line to the gateway is, for finding out what is wrong with it.',
  phase: 'State',
  trip: 'Round trip',
  measuring: 'measuring…',
  noTrip: 'no answer',
  trips: (last: string, best: string, n: number) => `${last} (best of ${n}: ${best})`,
  ms: (n: number) => `${n.toLocaleString('en', { maximumFractionDigits: n < 10 ? 1 : 0 })} ms`,
  clock: 'The gateway’s clock',
  clockSame: 'as this machine’s',
  clockAhead: (time: string) => `${time} ahead of this machine’s`,
  clockBehind: (time: string) => `${time} behind this machine’s`,
  since: 'Connected since',
  not: 'not connected',
  frames: 'Frames',
  counts: (received: number, sent: number) =>
    `${received.toLocaleString('en')} received, ${sent.toLocaleString('en')} sent`,
  heard: 'Last heard',
  ago: (time: string) => `${time} ago`,
  never: 'never',
  reconnects: 'Reconnects',
  times: (n: number) => plural(n, 'time', 'times'),
  lastClose: 'Last end of a connection',
  lastError: 'Last refusal',
  none: 'none',
  server: 'Gateway',
  unknown: 'unknown',
  version: (version: string) => `version ${version}`,
  protocol: 'Protocol',
  address: 'Address',
  browser: 'Browser',
  copy: 'Copy all this',
  copied: 'Copied',
  copyFailed: 'It could not be copied: mark the text and copy it by hand.',
  again: 'Measure again',
};

/** The gateway is another one than when the page was loaded. */
export const update = {
  title: 'Lineclear was updated.',
  soon: 'This page reloads itself in a moment.',
  typed: 'Reload this page when you are ready; what you have typed stays.',
  reload: 'Reload',
};
