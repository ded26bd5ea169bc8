import { IconHandStop, IconLockOff, IconUserCheck } from '@tabler/icons-react';
import { texts } from './texts';
import type { Agent, AgentMode } from '../wire/wire';
import classes from './mode.module.css';
import { Revealed } from '../ui/Revealed';

const icons: Record<AgentMode, typeof IconUserCheck> = {
  manual: IconUserCheck,
  'auto-approve': IconLockOff,
  'auto-deny': IconHandStop,
};

/** A mode that this page does not know is shown as it is sent. */
export function modeName(mode: AgentMode): string {
  return texts.mode.names[mode] ?? mode;
}

/** In which mode an agent works, in words. */
export function ModeBadge({ agent, bare = false }: { agent: Agent; bare?: boolean }) {
  const Icon = icons[agent.mode];
  const name = modeName(agent.mode);
  return (
    <span className={classes.badge} data-mode={agent.mode} data-bare={bare || undefined}>
      {Icon && <Icon size={15} aria-hidden />}
      <Revealed text={name} />
    </span>
  );
}
