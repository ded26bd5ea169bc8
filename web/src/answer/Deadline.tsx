import { IconClock, IconInfinity } from '@tabler/icons-react';
import { formatClock, formatSeconds, isUrgent, useSecondsLeft } from '../ui/clock';
import { useStore } from '../store/store';
import { isQuestion } from '../request/asker';
import type { ApprovalRequest } from '../wire/wire';
import { texts } from '../words/texts';
import answering from './answer.module.css';

/** What happens if nobody answers, and the time left by the gateway's clock. */
export function Deadline({ request }: { request: ApprovalRequest }) {
  const { expiresAt } = request;
  const offset = useStore((s) => s.clockOffset);
  const left = useSecondsLeft(expiresAt, offset);
  const question = isQuestion(request);
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
        <strong>{(question ? t.endsAt : t.deniedAt)(formatClock(expiresAt))}</strong>
        <span role="timer" data-testid="countdown" data-expires={expiresAt}>
          {left > 0
            ? [`${t.left(formatSeconds(left))}.`, !question && t.silence].filter(Boolean).join(' ')
            : t.timeUp}
        </span>
      </p>
    </div>
  );
}
