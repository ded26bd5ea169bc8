import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useMemo, useRef, useState } from 'react';
import { argumentBlocks, commandIn, isLongArguments, saysMore } from '../request/arguments';
import { isFromProgram, isQuestion, isFromServer } from '../request/asker';
import { changeOf } from '../call/change';
import { numberedParts } from '../call/commandMarks';
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
import { isLongDiff } from '../call/DiffView';
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
  /** It does not stand in its session's own conversation. */
  showSession?: boolean;
  /** It stands alone, and fills its place. */
  fills?: boolean;
  /** Goes on without an answer. */
  onLater?: () => void;
  /** Told once all of it has been on the screen. */
  onReviewed?: (request: ApprovalRequest) => void;
}

/** One request that waits, with everything that is decided about and the answers to it. */
export function ApprovalCard(props: Props) {
  const { request, place, fills = false, showSession = fills, onLater, onReviewed } = props;
  const box = useRef<HTMLElement>(null);
  const titleId = useId();
  const seeing = useSeeing(request);
  const [choosing, setChoosing] = useState<Choosing>();
  const { blocks, change, parts, command } = seeing;
  useReportViewing(box, request.approvalId);
  const question = isQuestion(request);
  const answers = { request, unseen: seeing.unseen, place: `${place}|${seeing.expanded}` };
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
      {change && (
        <ChangeView
          request={request}
          change={change}
          blocks={blocks}
          expanded={seeing.expanded}
          onExpand={seeing.expand}
          onOpenArguments={seeing.openArguments}
        />
      )}
      {!change && !(question && blocks.empty) && (
        <Arguments
          args={request.args}
          blocks={blocks}
          expanded={seeing.expanded}
          onExpand={seeing.expand}
          command={command}
          parts={parts}
        />
      )}
      {(!seeing.long || seeing.expanded) && <Effects risk={request.risk} parts={parts} />}
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
      {question && <QuestionAnswers {...answers} />}
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

/** What there is to see of a request, and how much of it has been. */
function useSeeing(request: ApprovalRequest) {
  const command = commandIn(request);
  const blocks = useMemo(() => argumentBlocks(request.args, command), [request, command]);
  const change = useMemo(() => changeOf(request), [request]);
  const parts = useMemo(() => {
    const line = blocks.plain.find((p) => p.name === command)?.text ?? '';
    return numberedParts(line, request.commands);
  }, [request, blocks, command]);
  const [expanded, setExpanded] = useState(false);
  const [argumentsSeen, setArgumentsSeen] = useState(false);
  const long = change ? isLongDiff(change.diff) : isLongArguments(blocks);
  const unopened = change !== undefined && change.omitted > 0 && !argumentsSeen;
  return {
    command,
    blocks,
    change,
    parts,
    long,
    expanded,
    unseen: unseenIn(long && !expanded, unopened),
    expand: () => setExpanded(true),
    openArguments: () => setArgumentsSeen(true),
  };
}

/** What has to be looked at before this can be approved. */
function unseenIn(folded: boolean, unopened: boolean): string | false {
  if (folded) return texts.card.expandFirst;
  return unopened && texts.diff.openArguments;
}
