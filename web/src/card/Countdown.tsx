import { IconInfinity } from '@tabler/icons-react';
import { formatSeconds, useSecondsLeft } from '../ui/clock';
import { useStore } from '../store/store';
import { texts } from './texts';
import classes from './card.module.css';

interface Props {
  requestedAt: string;
  expiresAt?: string | undefined;
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
      <Ring part={Math.min(1, left / whole)} />
      {/* As wide as it was at first, so that fewer digits move nothing. */}
      <span className={classes.left} data-widest={texts.card.left(formatSeconds(Math.round(whole)))}>
        {left > 0 ? texts.card.left(formatSeconds(left)) : texts.card.timeUp}
      </span>
    </span>
  );
}

const radius = 8;
const round = 2 * Math.PI * radius;

function Ring({ part }: { part: number }) {
  return (
    <svg className={classes.ring} width={22} height={22} viewBox="0 0 22 22" aria-hidden>
      <circle cx={11} cy={11} r={radius} />
      <circle
        className={classes.ringLeft}
        cx={11}
        cy={11}
        r={radius}
        strokeDasharray={round}
        strokeDashoffset={round * (1 - part)}
      />
    </svg>
  );
}
