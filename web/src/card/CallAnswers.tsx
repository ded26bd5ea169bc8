import { Button } from '@mantine/core';
import { IconArrowBackUp, IconArrowDown, IconCheck, IconChecks, IconClock, IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import { answerWords } from '../request/answerWords';
import { mayApprove } from '../request/approvers';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may, type ApprovalRequest, type CoverKind } from '../wire/wire';
import { AnswerNote } from '../answer/AnswerNote';
import { ApproveButton } from '../answer/ApproveButton';
import { useArmed, useMoves } from '../answer/arming';
import answering from '../answer/answer.module.css';
import { CoverChoice } from '../grants/CoverChoice';
import { DecisionButton } from '../answer/DecisionButton';
import { Deadline } from '../answer/Deadline';
import { Reason, useReason } from '../answer/Reason';
import { useReadToEnd } from '../answer/useReadToEnd';
import { Remark } from '../ui/Remark';
import { TypedName } from '../answer/TypedName';
import { useAnswering } from '../answer/useAnswering';
import { useConfirmation } from '../answer/useConfirmation';
import { Unconfirmed } from '../answer/Unconfirmed';

interface Props {
  request: ApprovalRequest;
  unseen: string | false; // part of what is decided about is still folded: what to do
  place: string;
  /** What an approval is to remember, while that is being chosen; nothing otherwise. */
  choosing: Choosing | undefined;
  onChoose: (choosing?: Choosing) => void;
  onLater: (() => void) | undefined;
  onReviewed: ((request: ApprovalRequest) => void) | undefined;
}

export interface Choosing {
  scope: 'session' | 'always';
  kind?: CoverKind; // chosen from the start; else the narrowest
}

/** What a person can say to a call that wants to run. */
export function CallAnswers(props: Props) {
  const { request, unseen, place, choosing, onChoose, onLater, onReviewed } = props;
  const identity = useStore((s) => s.identity);
  const { answer, online, sending, unconfirmed, late, blocked, send, takeBack } = useAnswering(request);
  const [reason, setReason] = useReason(request.approvalId);
  const choiceId = useId();
  const confirmation = useConfirmation(request);
  const cleared = mayApprove(identity, request);
  const bar = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const read = useReadToEnd(request, end, bar, String(unseen));
  const [opened, setGiving] = useState(false);
  const giving = opened || reason !== '';
  const { moves, still } = useMoves(bar);
  const current = `${place}|${online}|${answer?.phase}|${moves}|${confirmation.confirmed}|${read}`;
  const armed = useArmed(`${current}|${choosing?.scope}|${choosing?.kind}`);
  const reviewed = armed && read && unseen === false;
  useEffect(() => {
    if (reviewed) onReviewed?.(request);
  }, [reviewed, onReviewed, request]);
  const t = texts.card;

  if (!may(identity, 'answer')) return <Remark tone="quiet">{t.noRight}</Remark>;

  const held = blocked || unseen !== false || !cleared || !read;
  const deny = () => send({ status: 'denied', ...(reason.trim() ? { message: reason.trim() } : {}) });
  const stands = request.scopes.includes('always');
  const session = stands ? t.approveHere : t.approveSession;
  const words = answerWords(request, { once: t.approve, session, deny: t.deny });
  const opens = (scope: Choosing['scope'], words: string) => (
    // Only opens: what is remembered is chosen, and approved, below.
    <Button
      type="button"
      size="compact-sm"
      variant="subtle"
      data-armed
      disabled={held}
      aria-expanded={choosing?.scope === scope}
      aria-controls={choiceId}
      leftSection={<IconChecks size={15} aria-hidden />}
      onClick={() => onChoose(choosing?.scope === scope ? undefined : { scope })}
    >
      {words}
    </Button>
  );
  const press = { armed, still };
  return (
    <>
      <TypedName confirmation={confirmation} disabled={held} />
      {choosing && (
        <CoverChoice
          key={`${choosing.scope} ${choosing.kind}`}
          id={choiceId}
          standing={choosing.scope === 'always'}
          kind={choosing.kind}
          request={request}
          place={current}
          confirmation={confirmation}
          disabled={held}
          onApprove={(grant) => send({ status: 'approved', scope: choosing.scope, grant })}
          onBack={() => onChoose()}
        />
      )}
      <div ref={end} />
      <div
        className={answering.bar}
        data-armed={armed || undefined}
        data-bar
        data-testid="answer-bar"
        ref={bar}
      >
        {words.deny && giving && (
          <Reason value={reason} onChange={setReason} onDeny={deny} disabled={blocked} focused={opened} />
        )}
        {unconfirmed && answer && <Unconfirmed answer={answer} expiresAt={request.expiresAt} />}
        <div className={answering.row}>
          <Deadline request={request} />
          <div className={answering.more}>
            {words.session && opens('session', words.session)}
            {stands && opens('always', t.approveEverywhere)}
            {words.deny && !giving && (
              <Button
                type="button"
                size="compact-sm"
                variant="subtle"
                color="gray"
                disabled={blocked}
                data-key="reason"
                onClick={() => setGiving(true)}
              >
                {t.giveReason}
              </Button>
            )}
          </div>
          <div className={answering.main}>
            {sending && answer?.data.status === 'approved' ? (
              <Button
                type="button"
                className={answering.button}
                variant="default"
                leftSection={<IconArrowBackUp size={18} aria-hidden />}
                onClick={takeBack}
              >
                {t.takeBack}
              </Button>
            ) : (
              onLater && (
                <Button
                  type="button"
                  className={answering.button}
                  variant="default"
                  title={t.laterNote}
                  leftSection={<IconClock size={18} aria-hidden />}
                  onClick={onLater}
                >
                  {t.later}
                </Button>
              )
            )}
            {words.cancel && (
              <DecisionButton
                {...press}
                disabled={blocked}
                look="deny"
                act={() => send({ status: 'cancelled' })}
              >
                <IconX size={18} aria-hidden /> {words.cancel}
              </DecisionButton>
            )}
            {words.deny && (
              <DecisionButton {...press} disabled={blocked} look="deny" act={deny}>
                <IconX size={18} aria-hidden /> {words.deny}
              </DecisionButton>
            )}
            {words.once && (
              <div
                className={answering.approve}
                role="group"
                aria-label={t.approving}
                tabIndex={-1}
                data-key="approve"
              >
                {read ? (
                  <ApproveButton
                    confirmation={confirmation}
                    {...press}
                    disabled={held}
                    act={() => send({ status: 'approved', scope: 'once' })}
                  >
                    <IconCheck size={18} aria-hidden /> {words.once}
                  </ApproveButton>
                ) : (
                  <Button
                    type="button"
                    className={`${answering.button} ${answering.unread}`}
                    variant="default"
                    disabled={blocked}
                    rightSection={<IconArrowDown size={18} aria-hidden />}
                    onClick={() => end.current?.scrollIntoView({ block: 'center' })}
                  >
                    {t.readToEnd}
                  </Button>
                )}
              </div>
            )}
          </div>
        </div>
        {/* Below the buttons, so that it moves none of them. */}
        {answer?.phase === 'failed' && (
          <Remark tone={answer.code === 'taken_back' ? 'warn' : 'error'}>
            {answer.code !== 'taken_back' && t.failed} {answer.error}
          </Remark>
        )}
        <AnswerNote online={online} sending={sending} late={late} unseen={unseen} />
      </div>
    </>
  );
}
