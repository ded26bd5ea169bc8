import { IconBan, IconCircleCheck, IconCircleMinus, IconClockOff, IconHourglass } from '@tabler/icons-react';
import { useState } from 'react';
import { formatTime } from '../ui/clock';
import { describeRule } from '../request/rule';
import { describeDecision, type Tone } from '../request/decision';
import { summaryOf } from './filterHistory';
import { pretty } from '../wire/json';
import { href } from '../browser/route';
import { texts } from './texts';
import { timeToAnswer } from '../request/duration';
import type { Approval } from '../wire/wire';
import { PastChange } from '../call/DiffView';
import { LongBlock } from '../ui/Block';
import { DecisionLine } from '../ui/DecisionLine';
import { EditShown } from '../ui/EditShown';
import classes from './history.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { RiskLine } from '../ui/RiskLine';

const icons: Record<Tone | 'waiting', typeof IconBan> = {
  yes: IconCircleCheck,
  no: IconBan,
  nobody: IconClockOff,
  neutral: IconCircleMinus,
  waiting: IconHourglass,
};

/** A request of the past in two lines; the rest opens below it. */
export function HistoryRow({ approval }: { approval: Approval }) {
  const [open, setOpen] = useState(false);
  const t = texts.historyPage;
  const { response } = approval;
  const decision = response && describeDecision(response, approval);
  const tone = decision?.tone ?? 'waiting';
  const Icon = icons[tone];
  const waited = response ? timeToAnswer(approval, response) : '';
  return (
    <details className={classes.row} data-tone={tone} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <Icon className={classes.rowIcon} size={18} aria-hidden />
        <span className={`${shared.ellipsis} ${classes.rowWhat}`}>
          <code>
            <Revealed text={approval.toolName || t.question} />
          </code>{' '}
          <span className={classes.gist}>
            <Revealed text={summaryOf(approval)} />
          </span>
        </span>
        <time className={classes.rowAt}>{formatTime(approval.requestedAt)}</time>
        <span className={classes.rowOutcome}>
          <Revealed text={decision?.title ?? t.waiting} />
          {waited && ` ${texts.durations.after(waited)}`}
          <span className={classes.rowAgent}>
            {' · '}
            <Revealed text={approval.agentId} />
          </span>
        </span>
      </summary>
      {open && <Details approval={approval} />}
    </details>
  );
}

function Details({ approval }: { approval: Approval }) {
  const { response, voided, policy, args, message, sessionId } = approval;
  const t = texts.historyPage;
  return (
    <div className={classes.rowDetails}>
      {message && (
        <p className={frame.words}>
          <Revealed text={message} mode="prose" />
        </p>
      )}
      <PastChange request={approval} />
      {args !== undefined && <LongBlock text={pretty(args)} label={t.arguments} />}
      <RiskLine risk={approval.risk} />
      {response && <DecisionLine response={response} request={approval} />}
      {response && <EditShown response={response} />}
      {voided && <DecisionLine response={voided} request={approval} voided />}
      {policy?.rule && (
        <p className={shared.note}>
          {t.rule}: <Revealed text={describeRule(policy.rule)} />
        </p>
      )}
      {policy?.trace && policy.trace.length > 0 && (
        <div>
          <h3 className={frame.small}>{t.trace}</h3>
          <ol className={frame.plain}>
            {policy.trace.map((line, i) => (
              <li key={i}>
                <Revealed text={line} />
              </li>
            ))}
          </ol>
        </div>
      )}
      <p className={shared.note}>
        <a href={href({ view: 'session', sessionId })}>{t.session}</a> ·{' '}
        {t.requested(formatTime(approval.requestedAt))} · <code>{approval.approvalId}</code>
      </p>
    </div>
  );
}
