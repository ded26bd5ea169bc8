import { IconClock } from '@tabler/icons-react';
import { askerOf } from '../request/asker';
import { describeDecision } from '../request/decision';
import { sentenceOf } from '../request/sentence';
import { formatSeconds, isUrgent, useSecondsLeft } from '../ui/clock';
import { useStore } from '../store/store';
import { Revealed } from '../ui/Revealed';
import { RiskMark } from '../ui/RiskLine';
import { sessionTitle } from '../ui/sessionTitle';
import type { ApprovalRequest } from '../wire/wire';
import { texts } from './texts';
import classes from './row.module.css';
import { isSelectable } from './useSelection';

interface Props {
  request: ApprovalRequest;
  href: string;
  current: boolean;
  answered: boolean;
  skipped: boolean;
  selected: boolean;
  onShow: (approvalId: string) => void;
  onTick: (range: boolean) => void;
}

/** One request in a row: risk, what, who, where, and the time left. */
export function RequestRow(props: Props) {
  const { request, href, current, answered, skipped, selected, onShow, onTick } = props;
  const { approvalId, sessionId, above } = request;
  const title = useStore((s) => {
    const entry = s.sessions[sessionId];
    return entry ? sessionTitle(entry) : '';
  });
  const { code, text } = sentenceOf(request);
  const follow = (e: React.MouseEvent) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    onShow(approvalId);
  };
  return (
    <div
      className={classes.row}
      data-current={current || undefined}
      data-selected={selected || undefined}
      data-gone={answered || undefined}
      data-testid="row"
      data-approval={approvalId}
    >
      {isSelectable(request) && !answered ? (
        <label className={classes.tick}>
          <input
            type="checkbox"
            checked={selected}
            aria-label={texts.batch.select}
            onClick={(e) => onTick(e.shiftKey)}
            onChange={() => undefined}
          />
        </label>
      ) : (
        <span className={classes.tick} />
      )}
      <a
        className={classes.link}
        href={href}
        aria-current={current ? 'true' : undefined}
        onClick={follow}
        data-row={approvalId}
      >
        <RiskMark risk={request.risk} word />
        <span className={classes.sentence} data-code={code !== undefined || undefined}>
          <Revealed text={code ?? text} mode={code === undefined ? 'prose' : undefined} />
        </span>
        <span className={classes.who}>
          {above && above.length > 0 && <span aria-hidden>↳ </span>}
          <Revealed text={askerOf(request)} />
        </span>
        <span className={classes.session}>
          <Revealed text={title} mode="prose" />
        </span>
        {answered ? <Outcome request={request} /> : <TimeLeft request={request} skipped={skipped} />}
      </a>
    </div>
  );
}

function Outcome({ request }: { request: ApprovalRequest }) {
  const response = useStore((s) => s.settled[request.approvalId]?.response);
  const decision = response && describeDecision(response, request);
  return (
    <span className={classes.outcome} data-tone={decision?.tone} data-testid="gone">
      <Revealed text={decision?.title ?? texts.queue.goneElsewhere} />
    </span>
  );
}

function TimeLeft({ request, skipped }: { request: ApprovalRequest; skipped: boolean }) {
  const offset = useStore((s) => s.clockOffset);
  const left = useSecondsLeft(request.expiresAt, offset);
  return (
    <span className={classes.left} data-urgent={isUrgent(request, left) || undefined}>
      {skipped && <IconClock size={13} aria-label={texts.focus.skipped} />}
      {left === undefined ? '' : left > 0 ? formatSeconds(left) : texts.card.timeUp}
    </span>
  );
}
