import { listed } from './plural';
import type { AgentMode } from '../wire/wire';

const modes: Record<AgentMode, string> = {
  manual: 'Manual',
  'auto-approve': 'Auto-approve',
  'auto-deny': 'Auto-deny',
};

const modeMeanings: Record<AgentMode, string> = {
  manual: 'A person decides every call.',
  'auto-approve': 'Calls run without asking, unless a rule denies or asks about them.',
  'auto-deny': 'Requests that need approval are denied, including those waiting now.',
};

const draftMeanings: Record<AgentMode, string> = {
  manual: 'Calls that need approval wait here until someone decides.',
  'auto-approve': 'Its calls run at once, unless a rule or the tool requires approval.',
  'auto-deny': 'Calls that need approval are denied.',
};

export const mode = {
  names: modes,
  meanings: modeMeanings,
  label: (agent: string, mode: string) => `Mode of ${agent}: ${mode}`,
  change: (agent: string, mode: string) => `Mode of ${agent}: ${mode}. Change mode`,
  menu: 'When a call needs approval',
  setBy: (who: string) => `Set by ${who}`,
  header: (agents: string[]) => `Auto-approve: ${agents.join(', ')}`,
  headerShort: 'Auto-approve',
  headerLabel: (agents: string[]) => `Nobody is asked: ${listed(agents)} in auto-approve mode`,
  confirmTitle: (agent: string) => `Let ${agent} run without asking?`,
  confirm: (agent: string) => [
    `From now on, ${agent}’s calls run at once in all its sessions, without review. That includes commands that the gateway can’t parse, unless a deny or ask rule might apply to them.`,
    'Rules that deny or ask still apply, and so do tools that always need approval. Requests that are waiting now keep waiting.',
    'The mode stays set, even after a restart, until someone changes it.',
  ],
  confirmYes: 'Set auto-approve',
  confirmNo: 'Keep the current mode',
  refusedTitle: 'Mode not changed',
  meanwhile: (who: string, agent: string, mode: string, at?: string) =>
    `${who} set ${agent} to ${mode} in the meantime${at ? ` (${at})` : ''}.`,
  notSent: (mode: string) =>
    `Your change to ${mode} was not made. Check the mode, and set it again if you still want to.`,
  refused: (why: string) => `The mode was not changed: ${why}`,
  done: (agent: string, mode: string) => `${agent} is now in ${mode} mode`,
  ok: 'OK',
  someone: 'Someone',
  close: 'Close',
};

export const draft = {
  title: (agent: string) => `New session with ${agent}`,
  body: (mode: AgentMode | undefined) =>
    `Tell the agent what to do. ${draftMeanings[mode ?? 'manual'] ?? ''}`,
  tools: 'Tools',
  tryThis: 'Try',
  mode: 'Mode',
};
