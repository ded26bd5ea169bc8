import { IconBan, IconCircleCheck, IconCircleMinus, IconClockOff, IconHourglass } from '@tabler/icons-react';
import { formatTime } from '../ui/clock';
import { askerOf } from '../request/asker';
import { describeDecision, type Tone } from '../request/decision';
import { sentenceOf } from '../request/sentence';
import { timeToAnswer } from '../request/duration';
import { href } from '../browser/route';
import type { Approval } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import { RiskMark } from '../ui/RiskLine';
import { texts } from './texts';
import classes from './history.module.css';

const icons: Record<Tone | 'waiting', typeof IconBan> = {
  yes: IconCircleCheck,
  no: IconBan,
  nobody: IconClockOff,
  neutral: IconCircleMinus,
  waiting: IconHourglass,
};

/** A request in two lines, linking to its page. */
export function HistoryRow({ approval }: { approval: Approval }) {
  const { response, approvalId, requestedAt } = approval;
  const t = texts.historyPage;
  const decision = response && describeDecision(response, approval);
  const tone = decision?.tone ?? 'waiting';
  const Icon = icons[tone];
  const waited = response ? timeToAnswer(approval, response) : '';
  const { code, text } = sentenceOf(approval);
  return (
    <a
      className={classes.row}
      href={href({ view: 'approvals', approvalId })}
      data-tone={tone}
      data-testid="past"
    >
      <Icon className={classes.rowIcon} size={18} aria-hidden />
      <span className={classes.rowWhat} data-code={code !== undefined || undefined}>
        <RiskMark risk={approval.risk} />
        <span>
          <Revealed text={code ?? text} mode={code === undefined ? 'prose' : undefined} />
        </span>
      </span>
      <time className={classes.rowAt}>{formatTime(requestedAt)}</time>
      <span className={classes.rowOutcome}>
        <Revealed text={decision?.title ?? t.waiting} />
        {waited && ` ${texts.durations.after(waited)}`}
        {decision?.message && (
          <>
            : <Revealed text={decision.message} mode="prose" />
          </>
        )}
        <span className={classes.rowAgent}>
          {' · '}
          <Revealed text={askerOf(approval)} />
        </span>
      </span>
    </a>
  );
}
