import { IconClock, IconInfinity } from '@tabler/icons-react';
import { formatClock, formatSeconds, isUrgent, useSecondsLeft } from '../ui/clock';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';
import { texts } from './texts';
import answering from '../answer/answer.module.css';

/** What becomes of the call if nobody answers, and how long that still takes, by the gateway's clock. */
export function Deadline({ request }: { request: ApprovalRequest }) {
  const { expiresAt } = request;
  const offset = useStore((s) => s.clockOffset);
  const left = useSecondsLeft(expiresAt, offset);
  const t = texts.card;
  if (!expiresAt || left === undefined) {
    return (
      <div className={answering.deadline}>
        <IconInfinity size={18} aria-hidden />
        <p>
          <strong>{t.noLimit}</strong>
          <span>{t.waitsFor}</span>
        </p>
      </div>
    );
  }
  return (
    <div className={answering.deadline} data-urgent={isUrgent(request, left) || undefined}>
      <IconClock size={18} aria-hidden />
      <p>
        <strong>{t.deniedAt(formatClock(expiresAt))}</strong>
        <span role="timer" data-testid="countdown" data-expires={expiresAt}>
          {left > 0 ? `${t.left(formatSeconds(left))}. ${t.silence}` : t.timeUp}
        </span>
      </p>
    </div>
  );
}
