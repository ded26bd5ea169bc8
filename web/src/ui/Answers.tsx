import { Button, TextInput } from '@mantine/core';
import { IconCheck, IconChecks, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useStore } from '../store/store';
import { texts } from '../texts';
import { may, type ApprovalRequest } from '../wire';
import { AnswerNote } from './AnswerNote';
import { useArmed } from './armed';
import classes from './card.module.css';
import { CoverChoice } from './CoverChoice';
import { Decide } from './Decide';
import { Remark } from './Remark';
import { useAnswering } from './useAnswering';

interface Props {
  request: ApprovalRequest;
  unseen: string | false; // part of what is decided about is still folded: what to do
  place: string;
}

/** What a person can say to a call that wants to run. */
export function Answers({ request, unseen, place }: Props) {
  const identity = useStore((s) => s.identity);
  const { answer, online, sending, late, blocked, send } = useAnswering(request);
  const [choosing, setChoosing] = useState(false);
  const [reason, setReason] = useState('');
  const choiceId = useId();
  const current = `${place}|${online}|${answer?.phase}`;
  const armed = useArmed(`${current}|${choosing}`);

  if (!may(identity, 'answer')) return <Remark tone="quiet">{texts.card.noRight}</Remark>;

  const held = blocked || unseen !== false;
  const deny = () => send({ status: 'denied', ...(reason.trim() ? { message: reason.trim() } : {}) });
  const remembers = request.scopes?.includes('session');
  return (
    <div className={classes.answers} data-armed={armed || undefined}>
      {answer?.phase === 'failed' && (
        <Remark tone="error">
          {texts.card.failed} {answer.error}
        </Remark>
      )}
      <TextInput
        label={texts.card.reason}
        placeholder={texts.card.reasonPlaceholder}
        value={reason}
        onChange={(e) => setReason(e.currentTarget.value)}
        disabled={sending}
        size="sm"
        autoComplete="off"
      />
      <div className={classes.buttons}>
        <Decide armed={armed} disabled={held} act={() => send({ status: 'approved', scope: 'once' })}>
          <IconCheck size={18} aria-hidden /> {texts.card.approve}
        </Decide>
        {remembers && (
          // Only opens: what is remembered is chosen, and approved, below.
          <Button
            type="button"
            className={`${classes.button} ${classes.wide}`}
            classNames={{ label: classes.buttonLabel }}
            variant="default"
            data-armed
            disabled={held}
            aria-expanded={choosing}
            aria-controls={choiceId}
            onClick={() => setChoosing(!choosing)}
          >
            <IconChecks size={18} aria-hidden /> {texts.card.approveSession}
          </Button>
        )}
        <span className={classes.spring} />
        <Decide armed={armed} disabled={blocked} look="deny" act={deny}>
          <IconX size={18} aria-hidden /> {texts.card.deny}
        </Decide>
      </div>
      {remembers && choosing && (
        <CoverChoice
          id={choiceId}
          request={request}
          place={current}
          disabled={held}
          onApprove={(grant) => send({ status: 'approved', scope: 'session', grant })}
          onBack={() => setChoosing(false)}
        />
      )}
      <AnswerNote online={online} sending={sending} late={late} unseen={unseen} />
    </div>
  );
}
