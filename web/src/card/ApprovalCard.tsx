import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { commandIn } from '../request/arguments';
import { isFromProgram, isQuestion, isFromServer } from '../request/asker';
import { useSeeing } from '../call/useSeeing';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { CallAnswers, type Choosing } from './CallAnswers';
import { Arguments } from '../call/Arguments';
import { CardFacts } from './CardFacts';
import { CardFoot, type Selectable } from './CardFoot';
import { CardTitle } from './CardTitle';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';
import { ChangeView } from '../call/ChangeView';
import { CommandParts } from '../call/CommandParts';
import { Countdown } from './Countdown';
import { PageOffer } from './PageOffer';
import { ProgramLine } from './ProgramLine';
import { QuestionAnswers } from '../question/QuestionAnswers';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import { ApproversLine } from './ApproversLine';
import { RiskLine } from '../ui/RiskLine';
import { RecentMessages } from './RecentMessages';
import { useReportViewing, Viewers } from './Viewers';

interface Props {
  request: ApprovalRequest;
  /** Changes whenever something moves the card on the screen. */
  place: string;
  /** Where the card does not stand in its session's own conversation. */
  showSession?: boolean;
  /** For choosing it with others. */
  selectable?: Selectable;
}

/** One request that waits, with everything that is decided about and the answers to it. */
export function ApprovalCard({ request, place, showSession = false, selectable }: Props) {
  const box = useRef<HTMLElement>(null);
  const titleId = useId();
  const seeing = useSeeing(request);
  const [choosing, setChoosing] = useState<Choosing>();
  const { blocks } = seeing;
  const { change } = seeing.state;
  useReportViewing(box, request.approvalId);
  const question = isQuestion(request);
  const Heading = selectable ? 'h3' : 'h2'; // in the list it stands under the heading of its group
  const answers = { request, unseen: seeing.unseen, place: `${place}|${seeing.expanded}|${seeing.unseen}` };
  return (
    <article
      className={`${shared.panel} ${classes.card}`}
      aria-labelledby={titleId}
      ref={box}
      tabIndex={-1}
      data-focus
      data-testid="card"
      data-approval={request.approvalId}
    >
      <Viewers approvalId={request.approvalId} />
      <header className={shared.spread}>
        <Heading id={titleId} className={classes.title}>
          <CardTitle request={request} />
        </Heading>
        <Countdown requestedAt={request.requestedAt} expiresAt={request.expiresAt} />
      </header>
      {isFromProgram(request) && <ProgramLine request={request} />}
      <RiskLine risk={request.risk} />
      <ApproversLine request={request} />
      {request.message && (
        <p className={classes.message} data-question={question || undefined}>
          <Revealed text={request.message} />
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
          command={commandIn(request)}
        />
      )}
      {request.commands && request.commands.length > 0 && (!seeing.long || seeing.expanded) && (
        <CommandParts parts={request.commands} />
      )}
      {request.misleading && request.misleading.length > 0 && (
        <Remark tone="warn">
          <IconAlertTriangle size={16} aria-hidden />{' '}
          <Revealed text={texts.card.misleading(request.misleading)} />
        </Remark>
      )}
      {isFromServer(request) && <PageOffer request={request} place={answers.place} />}
      {/* A question and its form stand together; what is decided about a call stands before its buttons. */}
      {question && <QuestionAnswers {...answers} />}
      {(showSession || selectable) && <RecentMessages said={request.context} />}
      <CardFacts request={request} showSession={showSession} />
      <CardFoot
        request={request}
        unseen={seeing.unseen}
        onAlways={(kind) => setChoosing({ scope: 'always', kind })}
        {...(selectable && { selectable })}
      />
      {!question && <CallAnswers {...answers} choosing={choosing} onChoose={setChoosing} />}
    </article>
  );
}
