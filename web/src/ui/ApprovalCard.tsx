import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useMemo, useState } from 'react';
import { argumentBlocks, isLong } from '../arguments';
import { countHidden } from '../hidden';
import { texts } from '../texts';
import type { ApprovalRequest } from '../wire';
import { Answers } from './Answers';
import { Arguments } from './Arguments';
import { CardFacts } from './CardFacts';
import classes from './card.module.css';
import { Countdown } from './Countdown';
import { Remark } from './Remark';
import { Revealed } from './Revealed';
import { RiskLine } from './RiskLine';
import { SuggestRule } from './SuggestRule';

interface Props {
  request: ApprovalRequest;
  /** Changes whenever something moves the card on the screen. */
  place: string;
  showSession?: boolean;
}

/** One request that waits, with everything that is decided about and the answers to it. */
export function ApprovalCard({ request, place, showSession = false }: Props) {
  const blocks = useMemo(() => argumentBlocks(request.args), [request.args]);
  const [expanded, setExpanded] = useState(false);
  const hidden = useMemo(() => countHidden(everyWord(request, blocks.json)), [request, blocks]);
  const unseen = isLong(blocks) && !expanded;
  const titleId = useId();
  return (
    <article
      className={classes.card}
      aria-labelledby={titleId}
      data-testid="card"
      data-approval={request.approvalId}
    >
      <header className={classes.head}>
        <h3 id={titleId} className={classes.title}>
          <Title request={request} />
        </h3>
        <Countdown requestedAt={request.requestedAt} expiresAt={request.expiresAt} />
      </header>
      <RiskLine risk={request.risk} />
      {request.message && (
        <p className={classes.message}>
          <Revealed text={request.message} />
        </p>
      )}
      {request.type !== 'elicitation' && (
        <Arguments blocks={blocks} expanded={expanded} onExpand={() => setExpanded(true)} />
      )}
      {hidden > 0 && (
        <Remark tone="warn">
          <IconAlertTriangle size={16} aria-hidden /> {texts.card.hidden(hidden)}
        </Remark>
      )}
      <CardFacts request={request} showSession={showSession} />
      <Answers request={request} unseen={unseen} place={`${place}|${expanded}`} />
      {request.type === 'tool_confirmation' && <SuggestRule request={request} />}
    </article>
  );
}

function everyWord(request: ApprovalRequest, json: string): string {
  const { agentId, toolName, workingDirectory, message } = request;
  return [agentId, toolName, workingDirectory, message, json].join('\n');
}

function Title({ request }: { request: ApprovalRequest }) {
  const asker = <Revealed text={request.agentId || request.origin?.client || ''} />;
  if (request.type !== 'tool_confirmation') {
    return (
      <>
        {asker} <span className={classes.wants}>{texts.card.asks}</span>
      </>
    );
  }
  return (
    <>
      {asker} <span className={classes.wants}>{texts.card.wants}</span>{' '}
      <code className={classes.tool}>
        <Revealed text={request.toolName ?? ''} />
      </code>
    </>
  );
}
