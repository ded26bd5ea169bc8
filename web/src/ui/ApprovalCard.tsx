import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useMemo, useState } from 'react';
import { argumentBlocks, isLong, type ArgumentBlocks } from '../arguments';
import { askerOf, isProgram, isQuestion, isServer } from '../asking';
import { changeOf, type Change } from '../change';
import { countHidden } from '../hidden';
import { pretty } from '../json';
import { texts } from '../texts';
import type { ApprovalRequest } from '../wire';
import { Answers } from './Answers';
import { Arguments } from './Arguments';
import { CardFacts } from './CardFacts';
import classes from './card.module.css';
import { ChangeView } from './ChangeView';
import { Countdown } from './Countdown';
import { isLongDiff } from './DiffView';
import { PageOffer } from './PageOffer';
import { ProgramLine } from './ProgramLine';
import { QuestionAnswers } from './QuestionAnswers';
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
  const change = useMemo(() => changeOf(request), [request]);
  const [expanded, setExpanded] = useState(false);
  const [argumentsSeen, setArgumentsSeen] = useState(false);
  const hidden = useMemo(() => countHidden(everyWord(request, blocks, change)), [request, blocks, change]);
  const question = isQuestion(request);
  const titleId = useId();
  const long = change ? isLongDiff(change.diff) : isLong(blocks);
  const unseen = unseenIn(long && !expanded, change !== undefined && change.omitted > 0 && !argumentsSeen);
  const answers = { request, unseen, place: `${place}|${expanded}` };
  const expand = () => setExpanded(true);
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
      {isProgram(request) && <ProgramLine request={request} />}
      <RiskLine risk={request.risk} />
      {request.message && (
        <p className={classes.message} data-question={question || undefined}>
          <Revealed text={request.message} />
        </p>
      )}
      {change && (
        <ChangeView
          change={change}
          blocks={blocks}
          expanded={expanded}
          onExpand={expand}
          onOpenArguments={() => setArgumentsSeen(true)}
        />
      )}
      {!change && !(question && blocks.empty) && (
        <Arguments blocks={blocks} expanded={expanded} onExpand={expand} />
      )}
      {hidden > 0 && (
        <Remark tone="warn">
          <IconAlertTriangle size={16} aria-hidden /> {texts.card.hidden(hidden)}
        </Remark>
      )}
      {isServer(request) && <PageOffer request={request} place={answers.place} />}
      {/* A question and its form stand together; what is decided about a call stands before its buttons. */}
      {question && <QuestionAnswers {...answers} />}
      <CardFacts request={request} showSession={showSession} />
      {!question && <Answers {...answers} />}
      {request.type === 'tool_confirmation' && <SuggestRule request={request} />}
    </article>
  );
}

/** What has to be looked at before this can be approved. */
function unseenIn(folded: boolean, unopened: boolean): string | false {
  if (folded) return texts.card.expandFirst;
  return unopened && texts.diff.openArguments;
}

// The diff is made of the arguments and of the file, which may hide something too.
function everyWord(request: ApprovalRequest, blocks: ArgumentBlocks, change: Change | undefined): string {
  const { agentId, toolName, workingDirectory, message, preview, schema, origin } = request;
  const shown = change ? [change.diff.file, preview?.diff, pretty(change.rest)].join('\n') : blocks.json;
  const form = schema === undefined ? '' : pretty(schema);
  const asker = [origin?.client, origin?.subject].join('\n');
  return [agentId, toolName, workingDirectory, message, shown, form, asker].join('\n');
}

function Title({ request }: { request: ApprovalRequest }) {
  const asker = <Revealed text={askerOf(request)} />;
  if (request.type === 'elicitation' || !request.toolName) {
    return (
      <>
        {asker}
        <span className={classes.wants}>
          {isServer(request) && <Revealed text={texts.server.about(request.agentId)} />} {texts.question.asks}
        </span>
      </>
    );
  }
  return (
    <>
      {asker} <span className={classes.wants}>{texts.card.wants}</span>{' '}
      <code className={classes.tool}>
        <Revealed text={request.toolName} />
      </code>
    </>
  );
}
