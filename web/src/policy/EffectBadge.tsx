import { IconBan, IconCircleCheck, IconHandStop } from '@tabler/icons-react';
import type { Effect } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import classes from './policy.module.css';
import shared from '../ui/shared.module.css';

const icons: Record<Effect, typeof IconBan> = { allow: IconCircleCheck, ask: IconHandStop, deny: IconBan };

/** What is done about a call: a sign, a colour, and the word. */
export function EffectBadge({ effect, words }: { effect: Effect; words: string }) {
  const Icon = icons[effect] ?? IconHandStop;
  return (
    <span className={`${shared.pill} ${classes.effect}`} data-effect={effect}>
      <Icon size={16} aria-hidden />
      <Revealed text={words} />
    </span>
  );
}
