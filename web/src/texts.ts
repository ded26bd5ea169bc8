import type { AgentMode, GrantReason, Outcome, RiskLevel, SessionStatus } from './wire';

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

const risks: Record<RiskLevel, string> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
  critical: 'Critical risk',
};

const modes: Record<AgentMode, string> = {
  manual: 'Manual',
  'auto-approve': 'Auto-approve',
  'auto-deny': 'Auto-deny',
};

const modeMeanings: Record<AgentMode, string> = {
  manual: 'A person is asked.',
  'auto-approve': 'Calls run and nobody is asked.',
  'auto-deny': 'What would be asked is denied, also what waits now.',
};

const draftMeanings: Record<AgentMode, string> = {
  manual: 'A call that needs approval waits here until somebody decides.',
  'auto-approve': 'Its calls run at once, unless a rule or the tool itself wants a person.',
  'auto-deny': 'Calls that would need approval are denied.',
};

const grantEnds: Record<GrantReason, string> = {
  revoked: 'revoked',
  session_ended: 'its session ended',
  expired: 'its time was over',
  used_up: 'its calls were used up',
  crowded_out: 'made room for a newer one; a session holds 64',
  schema_changed: 'the tool has changed since',
  forgotten: 'the gateway was started again and forgets',
};

const errors: Partial<Record<string, string>> = {
  forbidden: 'Your role does not allow this.',
  unknown_approval: 'The gateway does not know this request any more.',
  unknown_session: 'The gateway does not know this session.',
  unknown_agent: 'The gateway does not know this agent any more.',
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
    remembered: 'Remembered',
    agents: 'Agents',
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
    body: (mode: AgentMode | undefined) =>
      `Say what the agent should do. ${draftMeanings[mode ?? 'manual'] ?? ''}`,
    tools: 'Tools it may ask for',
    tryThis: 'Try',
    mode: 'Mode',
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
    remembered: (n: number) => `Remembered ${n}`,
    rememberedLabel: (n: number) =>
      `Remembered in this session: ${plural(n, 'approval', 'approvals')}; open the list`,
    forgotten: (text: string, why: string) => `No longer remembered: ${text} (${why})`,
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
    edited: 'Arguments that were changed',
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
    sorted: 'highest risk first',
    unsorted: (n: number) => `${plural(n, 'riskier request', 'riskier requests')} came in below: sort again`,
  },

  card: {
    region: (tool: string, agent: string) => `Request: ${agent} wants to use ${tool}`,
    wants: 'wants to use',
    asks: 'asks',
    asksTitle: 'Question',
    session: 'Session',
    directory: 'Working directory',
    rule: 'Why it waits',
    trace: 'How that was decided',
    risks,
    riskUnknown: (word: string) => `Risk: ${word}`,
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
    approveSession: 'Approve for this session…',
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

  choice: {
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
  },

  suggest: {
    open: 'Suggest a rule…',
    title: 'Rules that would have cleared this call',
    body: 'Nothing is changed here. A rule holds for every session, until it is taken out again.',
    where: (agent: string) =>
      `To use one, put it into agents.yaml under agents › ${agent} › toolConfirmation › rules, then have the gateway read the file anew (by SIGHUP, or by a restart).`,
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
  },

  grants: {
    title: 'Remembered',
    body: 'Approvals that answer again by themselves, each in its own session. Revoke what should be asked about again.',
    panelBody: 'What runs in this session without being asked, because somebody approved it before.',
    empty: 'Nothing is remembered',
    emptyBody:
      'When somebody approves a call for its session, it stands here with what it covers, until it ends.',
    panelEmpty: 'Nothing is remembered in this session.',
    alsoEnded: 'Also ended ones',
    loading: 'Looking…',
    failed: (why: string) => `The list could not be fetched: ${why}`,
    retry: 'Try again',
    tool: (agent: string, tool: string) => `${agent} › ${tool}`,
    given: (who: string, at: string) => `given by ${who}, ${at}`,
    unused: 'not used yet',
    used: (uses: number, max?: number) =>
      max ? `used ${uses} of ${plural(max, 'time', 'times')}` : `used ${plural(uses, 'time', 'times')}`,
    until: (at: string, left: string) => `until ${at} (${left})`,
    untilOver: 'its time is over',
    untilEnd: 'until its session ends',
    session: 'Session',
    revoke: 'Revoke',
    revokeLabel: (text: string) => `Revoke: ${text}`,
    revoking: 'Revoking…',
    noRight: 'Your role may look, not revoke.',
    revoked: (text: string) => `Revoked: ${text}. It is asked about again from now on.`,
    wasOver: (text: string, why: string) => `It had ended before: ${text} (${why})`,
    revokeFailed: (why: string) => `Not revoked: ${why}`,
    ended: (reason: GrantReason | undefined, who?: string) => {
      const why = (reason && grantEnds[reason]) || 'ended';
      return reason === 'revoked' && who ? `${why} by ${who}` : why;
    },
    close: 'Close the list of what is remembered',
  },

  mode: {
    names: modes,
    meanings: modeMeanings,
    label: (agent: string, mode: string) => `Mode of ${agent}: ${mode}`,
    change: (agent: string, mode: string) => `Mode of ${agent}: ${mode}; change it`,
    menu: 'When a call needs approval',
    setBy: (who: string) => `Set by ${who}`,
    header: (agents: string[]) => `Auto-approve: ${agents.join(', ')}`,
    headerShort: 'Auto-approve',
    headerLabel: (agents: string[]) => `Nobody is asked: ${agents.join(', ')} in mode auto-approve`,
    confirmTitle: (agent: string) => `Let ${agent} run without asking?`,
    confirm: (agent: string) => [
      `From now on the calls of ${agent} run at once, in all its sessions, and nobody sees them before.`,
      'Two things still hold: rules that deny or ask, and tools that are set to always need approval. What waits now goes on waiting.',
      'It stays so, also over a restart, until somebody sets another mode.',
    ],
    confirmYes: 'Set auto-approve',
    confirmNo: 'Leave it as it is',
    refusedTitle: 'Not set',
    meanwhile: (who: string, agent: string, mode: string, at?: string) =>
      `${who} has set ${agent} to ${mode} meanwhile${at ? ` (${at})` : ''}. That stands.`,
    notSent: (mode: string) =>
      `Your ${mode} was made against what you saw before, so it was not set. Look again, and set it if you still want it.`,
    refused: (why: string) => `The mode was not set: ${why}`,
    done: (agent: string, mode: string) => `${agent} is in mode ${mode} now`,
    ok: 'All right',
    someone: 'Somebody',
    close: 'Close',
  },

  decision: {
    someone: 'someone',
    approved: (who: string) => `Approved by ${who}`,
    approvedForSession: (who: string) => `Approved by ${who} for this session`,
    cleared: (who: string, what?: string) =>
      what ? `Cleared by ${who}’s grant: ${what}` : `Cleared by a grant of ${who}`,
    changed: (title: string) => `${title} with changed arguments`,
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
