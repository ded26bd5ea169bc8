import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Arguments } from '../call/Arguments';
import { changeOf } from '../call/change';
import { PastChange } from '../call/DiffView';
import { FactsLine } from '../card/FactsLine';
import { CardTitle } from '../card/CardTitle';
import { WhyAsked } from '../card/WhyAsked';
import { argumentBlocks, commandIn } from '../request/arguments';
import { describeDecision } from '../request/decision';
import { durationBetween } from '../request/duration';
import { isFromProgram, isQuestion } from '../request/asker';
import { sentenceOf } from '../request/sentence';
import { useConnection } from '../connection/context';
import { FormAnswer } from '../question/FormAnswer';
import { go } from '../browser/route';
import { useStore } from '../store/store';
import { UndoGrant } from '../grants/UndoGrant';
import { Caption, LongBlock } from '../ui/Block';
import { DecisionLine } from '../ui/DecisionLine';
import { EditShown } from '../ui/EditShown';
import { Fetching } from '../ui/PageFrame';
import { Revealed } from '../ui/Revealed';
import { RiskLine } from '../ui/RiskLine';
import { useFetched } from '../ui/useFetched';
import { api } from '../wire/api';
import { Problem } from '../wire/api';
import { may, type Approval } from '../wire/wire';
import { texts } from './texts';
import classes from './detail.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  approvalId: string;
  more: boolean;
  onNext: () => void;
}

/** A request that no longer waits: who answered it, when and why, and what happened then. */
export function Answered({ approvalId, more, onNext }: Props) {
  const settled = useStore((s) => s.settled[approvalId]?.response);
  const waiting = useStore((s) => Object.keys(s.pending).length);
  const { got, error, again } = useFetched(`approval ${approvalId} ${settled?.rev ?? ''}`, () =>
    found(approvalId),
  );
  useWhileRunning(got, again);
  const next = useRef<HTMLButtonElement>(null);
  const here = useRef(document.activeElement);
  const t = texts.focus;
  // The card's buttons are gone: moves focus to the button for the next request, unless it is elsewhere.
  useEffect(() => {
    if (!document.activeElement || document.activeElement === document.body || !here.current?.isConnected)
      next.current?.focus({ preventScroll: true });
  }, []);
  const response = got?.response ?? settled;
  return (
    <div className={classes.answered} data-testid="answered">
      <div role="status">{response && <Outcome approval={got} response={response} />}</div>
      <Fetching error={error} loading={got === undefined && !error} again={again} />
      {got && <Request approval={got} />}
      {got === null && (
        <div className={classes.unknown}>
          <h2>{t.unknown}</h2>
          <p>{t.unknownBody}</p>
        </div>
      )}
      <div className={classes.bar}>
        {got && <TryAgain approval={got} />}
        {got && (
          <Button variant="default" onClick={() => go({ view: 'session', sessionId: got.sessionId })}>
            {t.session}
          </Button>
        )}
        <Button ref={next} onClick={onNext} data-testid="go-on">
          {more ? t.goOn(waiting) : t.back}
        </Button>
      </div>
    </div>
  );
}

/** After a timeout: tells the agent, if it is one of the gateway's own. It then asks again, or not. */
function TryAgain({ approval }: { approval: Approval }) {
  const connection = useConnection();
  const allowed = useStore((s) => may(s.identity, 'talk'));
  const { sessionId, toolName, response } = approval;
  if (!allowed || response?.reason !== 'timeout' || isFromProgram(approval) || isQuestion(approval))
    return null;
  const { code, text } = sentenceOf({ toolName, args: approval.args });
  const tell = () => {
    connection.say(sessionId, texts.focus.tryAgainWords(code ? `${toolName} ${code}` : text));
    go({ view: 'session', sessionId });
  };
  return (
    <Button variant="default" onClick={tell}>
      {texts.focus.tryAgain}
    </Button>
  );
}

/** Asks again, less and less often, until an approved call has come to its end. */
function useWhileRunning(approval: Approval | null | undefined, again: () => void): void {
  const { run, response } = approval ?? {};
  const pause = useRef(500);
  const latest = useRef(again);
  useEffect(() => {
    latest.current = again;
  });
  useEffect(() => {
    if (response?.status !== 'approved' || (run !== 'none' && run !== 'claimed')) return;
    const timer = setTimeout(() => latest.current(), pause.current);
    pause.current = Math.min(2 * pause.current, 30_000);
    return () => clearTimeout(timer);
  }, [approval, run, response]);
}

/** The request; null if it doesn't exist or may not be seen. */
async function found(approvalId: string): Promise<Approval | null> {
  try {
    return await api.approval(approvalId);
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) return null;
    throw error;
  }
}

function Outcome({
  approval,
  response,
}: {
  approval?: Approval | null | undefined;
  response: NonNullable<Approval['response']>;
}) {
  const { voided, run } = approval ?? {};
  return (
    <>
      <DecisionLine response={response} request={approval ?? undefined} />
      <UndoGrant response={response} />
      {voided && <DecisionLine response={voided} request={approval ?? undefined} voided />}
      {approval && run && response.status === 'approved' && !voided && !isQuestion(approval) && (
        <Came approval={approval} />
      )}
      {response.formData !== undefined && <FormAnswer data={response.formData} schema={approval?.schema} />}
    </>
  );
}

/** What happened to an approved call: whether it ran, for how long, and how it ended. */
function Came({ approval }: { approval: Approval }) {
  const { run, ran } = approval;
  const t = texts.focus;
  if (!ran || run === 'none' || run === 'void') {
    const waits = run === 'none' && isFromProgram(approval);
    return <p className={classes.came}>{waits ? t.notReported : t.runs[run]}</p>;
  }
  const { startedAt, finishedAt, isError, unreported, exitCode, text, omitted } = ran;
  const took = durationBetween(startedAt, finishedAt);
  const how = [
    unreported ? t.unreported : !finishedAt ? t.runs.claimed : took ? t.ranFor(took) : t.runs.finished,
    exitCode !== undefined && t.exit(exitCode),
    isError && exitCode === undefined && t.failed,
  ];
  return (
    <>
      <p className={classes.came} data-failed={isError || undefined}>
        {how.filter(Boolean).join(', ')}
      </p>
      {text && (
        <div>
          <Caption title={texts.call.result} note={omitted ? t.omitted(omitted) : ''} />
          <LongBlock text={text} label={texts.call.result} error={isError === true} />
        </div>
      )}
    </>
  );
}

function Request({ approval }: { approval: Approval }) {
  const command = commandIn(approval);
  const blocks = argumentBlocks(approval.args, command);
  const decision = approval.response && describeDecision(approval.response, approval);
  return (
    <>
      <RiskLine risk={approval.risk} />
      <h2>
        <CardTitle request={approval} />
      </h2>
      {approval.message && (
        <p className={shared.note}>
          <Revealed text={approval.message} mode="prose" />
        </p>
      )}
      <PastChange request={approval} />
      {!blocks.empty && !changeOf(approval) && (
        <Arguments
          args={approval.args}
          blocks={blocks}
          expanded
          onExpand={() => undefined}
          command={command}
        />
      )}
      {approval.response && decision && <EditShown response={approval.response} />}
      <WhyAsked request={approval} past />
      <FactsLine request={approval} showSession />
    </>
  );
}
