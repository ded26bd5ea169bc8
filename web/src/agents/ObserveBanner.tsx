import { IconEyeExclamation } from '@tabler/icons-react';
import { formatTime, useTicking } from '../ui/clock';
import { useStore } from '../store/store';
import { texts } from './texts';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** The agents whose calls run although a person would be asked, on every page, until that ends. */
export function ObserveBanner() {
  const agents = useStore((s) => s.agents);
  const some = agents?.filter((a) => a.observedUntil !== undefined) ?? [];
  const now = useTicking(some.length > 0);
  const t = texts.observe;
  const observed = some.filter((a) => Date.parse(a.observedUntil ?? '') > now);
  return observed.map((agent) => (
    <div key={agent.agentId} className={shared.banner} role="alert" data-testid="observed">
      <IconEyeExclamation size={18} aria-hidden />
      <strong>
        <Revealed text={t.title(agent.agentId)} />
      </strong>
      <span>{t.means(formatTime(agent.observedUntil))}</span>
    </div>
  ));
}
