import type { Outcome, SessionStatus } from './wire';

// Every word that a person reads, in one place.

const plural = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

const statuses: Record<SessionStatus, string> = {
  idle: 'Idle',
  active: 'Working',
  waiting_approval: 'Waiting for you',
  completed: 'Done',
  error: 'Failed',
  cancelled: 'Stopped',
};

const outcomes: Record<Outcome, string> = {
  completed: 'completed',
  cancelled: 'stopped',
  error: 'failed',
};

const doors: Partial<Record<string, string>> = {
  ws: 'dashboard',
  websocket: 'dashboard',
  cli: 'the command line',
  rest: 'the API',
};

const errors: Partial<Record<string, string>> = {
  forbidden: 'Your role does not allow this.',
  unknown_approval: 'The gateway does not know this request any more.',
  unknown_session: 'The gateway does not know this session.',
  foreign_session: 'This request belongs to another session.',
  digest_mismatch: 'What is waiting is not what this page shows. Reload the page and look again.',
  session_ended: 'This session has ended and takes nothing more.',
  unavailable: 'The gateway could not record it, and nothing has changed. Try again.',
};

export const texts = {
  app: 'Lineclear',
  title: (waiting: number) => (waiting > 0 ? `(${waiting}) Lineclear` : 'Lineclear'),
  errors,
  duration: (seconds: number) => {
    if (seconds < 120) return plural(seconds, 'second', 'seconds');
    if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute', 'minutes');
    return plural(Math.round(seconds / 3600), 'hour', 'hours');
  },

  login: {
    title: 'Open your login link',
    body: 'This page is for people who approve what agents do. The gateway printed a login link in its terminal: open that link in this browser.',
    used: 'That login link has been used or has expired. Each link works once; whenever one is used, the gateway prints a fresh one in its terminal.',
    unreachable: 'The gateway can’t be reached. Is it still running?',
    retry: 'Try again',
    example: 'It looks like this:',
    loading: 'Looking for your login…',
  },

  header: {
    openNav: 'Open the list of sessions',
    closeNav: 'Close the list of sessions',
    toDark: 'Use dark colours',
    toLight: 'Use light colours',
    skip: 'Skip to the content',
  },

  connection: {
    connecting: 'Connecting…',
    online: 'Connected',
    offline: (attempts: number) => (attempts > 1 ? `Reconnecting… (attempt ${attempts})` : 'Reconnecting…'),
    short: { connecting: 'Connecting', online: 'Connected', offline: 'Offline' },
    banner: 'Connection lost.',
    bannerDetail: 'What you see may be old, and answers can’t be sent. Reconnecting by itself…',
  },

  nav: {
    label: 'Sessions',
    waiting: (n: number) => (n > 0 ? `Waiting (${n})` : 'Waiting'),
    newSession: 'New session',
    noAgents: 'No agents are set up',
    sessions: 'Sessions',
    empty: 'No sessions yet',
    waitingHere: (n: number) => plural(n, 'request waits', 'requests wait'),
    external: 'external',
    status: statuses,
    as: (subject: string) => `Signed in as ${subject}`,
  },

  home: {
    title: 'No session is open',
    body: 'Start a session with an agent, tell it what to do, and its risky calls wait here for you.',
    hint: 'To see one wait, type',
    example: 'run: uname -a',
    pick: 'Or choose one from the list.',
  },

  draft: {
    title: (agent: string) => `New session with ${agent}`,
    body: 'Say what the agent should do. A call that needs approval waits here until somebody decides.',
    tools: 'Tools it may ask for',
    tryThis: 'Try',
  },

  session: {
    untitled: 'Untitled session',
    unknown: 'The gateway knows no session under this address.',
    loading: 'Loading the conversation…',
    externalEmpty: 'This program only asks for approvals; there is no conversation to show.',
    empty: 'Nothing has been said yet.',
    stop: 'Stop',
    stopLabel: 'Stop the agent and withdraw what it asks',
    you: 'You',
    turn: (outcome: Outcome) =>
      outcome === 'error' ? 'The agent stopped with an error' : 'The agent was stopped',
    ended: (outcome: Outcome, by?: string) => `Session ${outcomes[outcome]}${by ? ` by ${by}` : ''}`,
    log: 'Conversation',
    writing: 'is writing…',
    working: 'Working…',
    newer: 'Jump to the newest',
  },

  call: {
    checking: 'Waiting for the gate…',
    running: 'Approved; no result yet…',
    result: 'Result',
    error: 'Error',
    notRun: 'Not run',
    exit: (code: string) => `exit code ${code}`,
    noOutput: 'No output',
    showAll: (lines: number) => `Show all ${plural(lines, 'line', 'lines')}`,
    showLess: 'Show less',
    told: 'What the model was told',
    arguments: 'Arguments',
    round: (n: number) => `asked again (${n + 1}×)`,
  },

  composer: {
    label: 'Message to the agent',
    placeholder: 'Message the agent — Enter sends, Shift+Enter starts a new line',
    placeholderShort: 'Message the agent',
    send: 'Send',
    offline: 'Not sent: there is no connection.',
    noRight: 'Your role may watch this session, not talk to the agent.',
    sending: 'Sending…',
    unconfirmed: 'The connection was lost before the gateway confirmed this. It may or may not have arrived.',
    again: 'Send again',
    discard: 'Discard',
  },

  inbox: {
    title: 'Waiting for a decision',
    count: (n: number) => plural(n, 'request waits', 'requests wait'),
    empty: 'Nothing is waiting',
    emptyBody:
      'When an agent wants to do something risky, it waits here until somebody decides. If nobody does, the answer is no.',
  },

  card: {
    region: (tool: string, agent: string) => `Request: ${agent} wants to use ${tool}`,
    wants: 'wants to use',
    asks: 'asks',
    asksTitle: 'Question',
    session: 'Session',
    directory: 'Working directory',
    rule: 'Why it waits',
    risk: 'Risk',
    askedBy: 'Asked by',
    asked: 'Asked',
    roundText: (n: number) =>
      `This call is asked for the ${n === 1 ? 'second' : n === 2 ? 'third' : `${n + 1}th`} time.`,
    file: 'File as it is now',
    arguments: 'Arguments',
    noArguments: 'No arguments',
    schema: 'Form',
    details: 'Details',
    hidden: (n: number) =>
      `Contains ${plural(n, 'hidden or misleading character', 'hidden or misleading characters')}, shown as ⟨U+…⟩.`,
    folded: (lines: number, size: string) =>
      `${plural(lines, 'line', 'lines')}, ${size}. The rest is folded.`,
    expand: 'Show everything',
    expandFirst: 'Show everything first: what is folded has not been seen.',
    approve: 'Approve once',
    approveSession: 'Approve for this session',
    deny: 'Deny',
    reason: 'Reason for denying (optional)',
    reasonPlaceholder: 'The agent reads this if you deny',
    noLimit: 'Waits without limit',
    left: (time: string) => `${time} left`,
    timeUp: 'Time is up',
    timeUpDetail: 'The time is up; the gateway is recording that nobody answered.',
    sending: 'Sending your answer…',
    offline: 'No connection: answers can’t be sent.',
    noRight: 'Your role may watch, not decide.',
    needsForm: 'This question wants a form filled in, which this page can’t do yet. It can be declined here.',
    failed: 'Your answer was not taken.',
  },

  decision: {
    someone: 'someone',
    approved: (who: string) => `Approved by ${who}`,
    approvedForSession: (who: string) => `Approved by ${who} for this session`,
    allowedByPolicy: (rule?: string) => (rule ? `Allowed without asking: ${rule}` : 'Allowed without asking'),
    denied: (who: string) => `Denied by ${who}`,
    deniedByPolicy: (rule?: string) => (rule ? `Denied by the policy: ${rule}` : 'Denied by the policy'),
    nobody: (waited?: string) => (waited ? `Nobody answered within ${waited}` : 'Nobody answered in time'),
    nobodyNote: 'No person refused it; the time ran out.',
    invalid: 'Refused: the arguments don’t fit the tool. Nobody was asked.',
    noHandler: 'Not run: there was nobody to ask',
    handlerFailed: 'Not run: asking for approval failed',
    withdrawn: (who: string) => `Withdrawn by ${who}`,
    askerGone: 'Withdrawn: the one who asked has gone away',
    superseded: 'Replaced: the call was asked anew',
    voided: 'Withdrawn before it ran',
    via: (door: string) => `via ${doors[door] ?? door}`,
  },

  notice: {
    live: (tool: string, agent: string) => `New request: ${agent} wants to use ${tool}`,
    late: 'Too late: your answer was not taken',
    away: (n: number) => `${plural(n, 'request was', 'requests were')} settled while this tab was offline`,
    trouble: 'That did not work',
    close: 'Close this note',
  },
};
