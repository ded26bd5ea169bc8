import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { saysMore } from '../request/arguments';
import { isFromProgram, isQuestion, isFromServer } from '../request/asker';
import { useSeeing } from '../call/useSeeing';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { CallAnswers, type Choosing } from './CallAnswers';
import { Arguments } from '../call/Arguments';
import { FactsLine } from './FactsLine';
import { CardFoot } from './CardFoot';
import { CardTitle } from './CardTitle';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';
import { ChangeView } from '../call/ChangeView';
import { Effects } from '../call/Effects';
import { PageOffer } from './PageOffer';
import { ProgramLine } from './ProgramLine';
import { QuestionAnswers } from '../question/QuestionAnswers';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import { ApproversLine } from './ApproversLine';
import { RiskLine } from '../ui/RiskLine';
import { RecentMessages } from './RecentMessages';
import { useReportViewing, Viewers } from './Viewers';
import { WhyAsked } from './WhyAsked';

interface Props {
  request: ApprovalRequest;
  /** Changes whenever something moves the card on the screen. */
  place: string;
  /** Shown outside its session, so it names and links the session. */
  showSession?: boolean;
  /** Shown alone: fills its container. */
  fills?: boolean;
  /** Skips the request. */
  onLater?: () => void;
  /** Called once all of it has been on the screen. */
  onReviewed?: (request: ApprovalRequest) => void;
}

/** One request that waits, with everything that is decided about and the answers to it. */
export function ApprovalCard(props: Props) {
  const { request, place, fills = false, showSession = fills, onLater, onReviewed } = props;
  const box = useRef<HTMLElement>(null);
  const titleId = useId();
  const seeing = useSeeing(request);
  const [choosing, setChoosing] = useState<Choosing>();
  const { blocks, parts, command } = seeing;
  const { change } = seeing.state;
  useReportViewing(box, request.approvalId);
  const question = isQuestion(request);
  const answers = { request, unseen: seeing.unseen, place: `${place}|${seeing.expanded}|${seeing.unseen}` };
  return (
    <article
      className={`${shared.panel} ${classes.card}`}
      aria-labelledby={titleId}
      ref={box}
      tabIndex={-1}
      data-fills={fills || undefined}
      data-focus
      data-testid="card"
      data-approval={request.approvalId}
    >
      <Viewers approvalId={request.approvalId} />
      <header className={classes.head}>
        <RiskLine risk={request.risk} />
        <h2 id={titleId} className={classes.title}>
          <CardTitle request={request} />
        </h2>
        <FactsLine request={request} showSession={showSession} />
      </header>
      {isFromProgram(request) && <ProgramLine request={request} />}
      {saysMore(request, command) && (
        <p className={classes.message} data-question={question || undefined}>
          <Revealed text={request.message ?? ''} />
        </p>
      )}
      {change && <ChangeView request={request} change={change} seeing={seeing} />}
      {!change && !(question && blocks.empty) && (
        <Arguments
          args={request.args}
          blocks={blocks}
          expanded={seeing.expanded}
          onExpand={seeing.expand}
          onRead={seeing.onRead}
          command={command}
          parts={parts}
        />
      )}
      {(!seeing.long || seeing.expanded) && <Effects risk={request.risk} parts={parts} />}
      {request.cutOff && (
        <Remark tone="warn">
          <IconAlertTriangle size={16} aria-hidden /> {texts.card.cutOff}
        </Remark>
      )}
      {request.misleading && request.misleading.length > 0 && (
        <Remark tone="warn">
          <IconAlertTriangle size={16} aria-hidden />{' '}
          <Revealed text={texts.card.misleading(request.misleading)} />
        </Remark>
      )}
      {isFromServer(request) && <PageOffer request={request} place={answers.place} />}
      <WhyAsked request={request} />
      <ApproversLine request={request} />
      {/* A question and its form stand together; what is decided about a call stands before its buttons. */}
      {question && <QuestionAnswers {...answers} onLater={onLater} />}
      {showSession && <RecentMessages said={request.context} />}
      <CardFoot
        request={request}
        unseen={seeing.unseen}
        onAlways={(kind) => setChoosing({ scope: 'always', kind })}
      />
      {!question && (
        <CallAnswers
          {...answers}
          choosing={choosing}
          onChoose={setChoosing}
          onLater={onLater}
          onReviewed={onReviewed}
        />
      )}
    </article>
  );
}
