import { IconClock, IconInfinity } from '@tabler/icons-react';
import { formatSeconds, useSecondsLeft } from '../clock';
import { useStore } from '../store/store';
import { texts } from '../texts';
import classes from './card.module.css';

interface Props {
  requestedAt: string;
  expiresAt?: string;
}

/** How long a request still waits, by the gateway's clock. */
export function Countdown({ requestedAt, expiresAt }: Props) {
  const offset = useStore((s) => s.clockOffset);
  const left = useSecondsLeft(expiresAt, offset);
  if (!expiresAt || left === undefined) {
    return (
      <span className={classes.countdown}>
        <IconInfinity size={16} aria-hidden />
        {texts.card.noLimit}
      </span>
    );
  }
  const whole = Math.max(1, (Date.parse(expiresAt) - Date.parse(requestedAt)) / 1000);
  const urgent = left <= Math.min(30, whole / 4);
  return (
    <span
      className={classes.countdown}
      data-urgent={urgent || undefined}
      data-expires={expiresAt}
      role="timer"
      data-testid="countdown"
    >
      <IconClock size={16} aria-hidden />
      {left > 0 ? texts.card.left(formatSeconds(left)) : texts.card.timeUp}
      <span className={classes.bar} aria-hidden>
        <span className={classes.barFill} style={{ width: `${Math.min(100, (left / whole) * 100)}%` }} />
      </span>
    </span>
  );
}
