import { Loader } from '@mantine/core';
import { IconMessageQuestion } from '@tabler/icons-react';
import { memo } from 'react';
import { askerOf, isFromServer } from '../request/asker';
import { texts } from './texts';
import { callDuration, type CallItem, type Round } from './buildTranscript';
import type { ApprovalRequest, Progress } from '../wire/wire';
import { ApprovalCard } from '../card/ApprovalCard';
import { CallHead } from './CallHead';
import { DecisionLine } from '../ui/DecisionLine';
import { EditShown } from '../ui/EditShown';
import { HandedOnTo } from './Handed';
import { UndoGrant } from '../grants/UndoGrant';
import { FormAnswer } from '../question/FormAnswer';
import { ProgressLine } from './ProgressLine';
import { ResultView } from './ResultView';
import { Revealed } from '../ui/Revealed';
import classes from './session.module.css';

interface Props {
  item: CallItem;
  pending: Readonly<Record<string, ApprovalRequest>>;
  progress?: Progress | undefined;
  place: string;
  over: boolean; // nothing more will come of it: the turn has ended
}

/** One tool call: what it was, what was decided, what it gave; the card while it waits. */
export const CallView = memo(function CallView({ item, pending, progress, place, over }: Props) {
  const waiting = item.rounds.flatMap((r) => pending[r.approvalId] ?? []);
  const ofServer = item.rounds.filter((r) => r.request && isFromServer(r.request));
  const own = item.rounds.filter((r) => !ofServer.includes(r));
  const asks = own.some((r) => r.request?.type === 'elicitation');
  // That nobody had to allow a question goes without saying.
  const answered = own.filter((r) => r.response && !(asks && r.response.by?.via === 'policy'));
  const last = own.at(-1);
  const asked = last?.request?.type === 'elicitation'; // then its result is the answer, which stands above it
  const ran = last?.response?.status === 'approved' && !last.voided;
  const open = own.some((r) => pending[r.approvalId]);
  const known = own.length > 0 || item.call.toolName !== ''; // not where a server asks out of nowhere
  return (
    <section className={classes.call} data-testid="call">
      <div className={classes.callBox} data-open={open || undefined}>
        {known && !open && <CallHead item={item} request={last?.request} />}
        {answered.map((round) => (
          <Answered key={round.approvalId} round={round} />
        ))}
        {ofServer.map((round) => round.response && <ServerAnswered key={round.approvalId} round={round} />)}
        {item.result && !(asked && ran && !item.result.result.isError) && (
          <ResultView result={item.result} ran={ran} duration={callDuration(item)} />
        )}
        {known && !item.result && waiting.length === 0 && !over && (ran || own.length === 0) && (
          <Running progress={progress} tool={item.call.toolName} ran={ran} />
        )}
        <HandedOnTo callId={item.call.toolCallId} />
      </div>
      {waiting.map((request) => (
        <ApprovalCard key={request.approvalId} request={request} place={place} />
      ))}
    </section>
  );
});

/** One answer to the call itself, and what it brought with it. */
function Answered({ round }: { round: Round }) {
  const { request, response, voided } = round;
  return (
    <div>
      {response && <DecisionLine response={response} request={request} />}
      {response && <UndoGrant response={response} />}
      {response?.edit !== undefined && (
        <div className={classes.edit}>
          <EditShown response={response} />
        </div>
      )}
      {response?.formData !== undefined && (
        <div className={classes.edit}>
          <FormAnswer data={response.formData} schema={request?.schema} />
        </div>
      )}
      {voided && <DecisionLine response={voided} request={request} voided />}
    </div>
  );
}

/** What an MCP server asked in the middle of the call, and the answer. */
function ServerAnswered({ round }: { round: Round }) {
  const { request } = round;
  return (
    <div className={classes.within} data-testid="server-question">
      {request && (
        <>
          <h3 className={classes.callTitle}>
            <IconMessageQuestion size={17} aria-hidden />
            <Revealed text={texts.server.asked(askerOf(request))} />
          </h3>
          <p className={classes.words}>
            <Revealed text={request.message ?? ''} />
          </p>
        </>
      )}
      <Answered round={round} />
    </div>
  );
}

interface RunningProps {
  progress: Progress | undefined;
  tool: string;
  ran: boolean;
}

function Running({ progress, tool, ran }: RunningProps) {
  if (progress) return <ProgressLine progress={progress} tool={tool} />;
  return (
    <p className={classes.working} role="status">
      <Loader size={14} aria-hidden /> {ran ? texts.call.running : texts.call.checking}
    </p>
  );
}
