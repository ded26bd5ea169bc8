import { wantedFor } from '../connection/answers';
import type { Answer } from '../store/state';
import { formatClock } from '../ui/clock';
import { texts } from '../words/texts';
import classes from './answer.module.css';

interface Props {
  answer: Answer;
  expiresAt: string | undefined;
}

/** State of an answer the gateway hasn't confirmed yet: it may have arrived, or still arrive. */
export function Unconfirmed({ answer, expiresAt }: Props) {
  const until = Math.min(answer.at + wantedFor, expiresAt ? Date.parse(expiresAt) : Infinity);
  const t = texts.card;
  return (
    <p className={classes.unconfirmed} role="alert" data-testid="unconfirmed">
      <strong>{t.unconfirmed}</strong>{' '}
      {t.unconfirmedUntil(formatClock(new Date(until).toISOString(), '2-digit'))}
    </p>
  );
}
