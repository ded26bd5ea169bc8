import type { AgentMode } from '../wire/wire';

const modes: Record<AgentMode, string> = {
  manual: 'Manual',
  'auto-approve': 'Auto-approve',
  'auto-deny': 'Auto-deny',
};

const modeMeanings: Record<AgentMode, string> = {
  manual: 'A person is asked.',
  'auto-approve': 'Every call runs that no rule denies or asks about.',
  'auto-deny': 'What would be asked is denied, also what waits now.',
};

const draftMeanings: Record<AgentMode, string> = {
  manual: 'A call that needs approval waits here until somebody decides.',
  'auto-approve': 'Its calls run at once, unless a rule or the tool itself wants a person.',
  'auto-deny': 'Calls that would need approval are denied.',
};

export const mode = {
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
    `From now on ${agent}’s calls run at once in all its sessions, without review. That includes command lines that the gateway can’t read, unless a deny or ask rule might apply to them.`,
    'Two things still hold: rules that deny or ask, and tools that are set to always need approval. What waits now goes on waiting.',
    'It stays so, also over a restart, until somebody sets another mode.',
  ],
  confirmYes: 'Set auto-approve',
  confirmNo: 'Leave it as it is',
  refusedTitle: 'Not set',
  meanwhile: (who: string, agent: string, mode: string, at?: string) =>
    `${who} has set ${agent} to ${mode} meanwhile${at ? ` (${at})` : ''}. That stands.`,
  notSent: (mode: string) =>
    `What you saw was out of date, so ${mode} was not set. Look again, and set it if you still want it.`,
  refused: (why: string) => `The mode was not set: ${why}`,
  done: (agent: string, mode: string) => `${agent} is in mode ${mode} now`,
  ok: 'All right',
  someone: 'Somebody',
  close: 'Close',
};

export const draft = {
  title: (agent: string) => `New session with ${agent}`,
  body: (mode: AgentMode | undefined) =>
    `Say what the agent should do. ${draftMeanings[mode ?? 'manual'] ?? ''}`,
  tools: 'Tools it may ask for',
  tryThis: 'Try',
  mode: 'Mode',
};
