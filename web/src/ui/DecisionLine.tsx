import { IconBan, IconCircleCheck, IconClockOff, IconCircleMinus } from '@tabler/icons-react';
import { href } from '../browser/route';
import { isQuestion } from '../request/asker';
import { formatTime } from './clock';
import { describeDecision, type Tone } from '../request/decision';
import { useStore } from '../store/store';
import { texts } from '../words/texts';
import { timeToAnswer } from '../request/duration';
import type { ApprovalRequest, ApprovalResponse } from '../wire/wire';
import { Revealed } from './Revealed';
import classes from './decisionLine.module.css';

const icons: Record<Tone, typeof IconBan> = {
  yes: IconCircleCheck,
  no: IconBan,
  nobody: IconClockOff,
  neutral: IconCircleMinus,
};

interface Props {
  response: ApprovalResponse;
  request?: ApprovalRequest | undefined;
  voided?: boolean;
}

/** Who decided what, why, when and through which door. */
export function DecisionLine({ response, request, voided }: Props) {
  const grant = useStore((s) => (response.grantId ? s.grants[response.grantId] : undefined));
  const decision = describeDecision(response, request, grant);
  const Icon = icons[decision.tone];
  const via =
    response.by?.via && !['policy', 'system', 'grant'].includes(response.by.via)
      ? response.by.via
      : undefined;
  const waited = timeToAnswer(request, response);
  const from = response.by?.via === 'grant' ? grant?.approvalId : undefined;
  return (
    <div className={classes.decision} data-tone={decision.tone} data-testid="decision">
      <Icon size={18} aria-hidden />
      <div>
        <span className={classes.decisionTitle}>
          <Revealed text={voided ? `${texts.decision.voided}: ${decision.title}` : decision.title} />
        </span>
        {decision.message && (
          <span className={classes.decisionWords}>
            {' — '}
            <Revealed text={decision.message} mode="prose" />
          </span>
        )}
        <div className={classes.decisionNote}>
          {response.reason === 'timeout' &&
            `${request && isQuestion(request) ? texts.decision.nobodyAnsweredNote : texts.decision.nobodyNote} `}
          {[formatTime(response.at), waited && texts.durations.after(waited), via && texts.decision.via(via)]
            .filter(Boolean)
            .join(' · ')}
          {from && (
            <>
              {' · '}
              <a href={href({ view: 'approvals', approvalId: from })}>{texts.grants.request}</a>
            </>
          )}
        </div>
      </div>
    </div>
  );
}
