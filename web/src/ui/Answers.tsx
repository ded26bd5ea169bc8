import { Button, Loader, TextInput } from '@mantine/core';
import { IconCheck, IconChecks, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useSecondsLeft } from '../clock';
import { useConnection } from '../context';
import { useStore } from '../store/store';
import { texts } from '../texts';
import { may, type AnswerData, type ApprovalRequest } from '../wire';
import { useArmed } from './armed';
import classes from './card.module.css';
import { CoverChoice } from './CoverChoice';
import { Decide } from './Decide';
import { Remark } from './Remark';

interface Props {
  request: ApprovalRequest;
  unseen: boolean; // part of what is decided about is still folded
  place: string;
}

/** What a person can answer. */
export function Answers({ request, unseen, place }: Props) {
  const connection = useConnection();
  const online = useStore((s) => s.connection.phase === 'online');
  const identity = useStore((s) => s.identity);
  const answer = useStore((s) => s.answers[request.approvalId]);
  const offset = useStore((s) => s.clockOffset);
  const late = useSecondsLeft(request.expiresAt, offset) === 0;
  const [choosing, setChoosing] = useState(false);
  const [reason, setReason] = useState('');
  const choiceId = useId();
  const current = `${place}|${online}|${answer?.phase}`;
  const armed = useArmed(`${current}|${choosing}`);
  const needsForm = request.type === 'elicitation' && hasFields(request.schema);

  if (!may(identity, 'answer')) return <Remark tone="quiet">{texts.card.noRight}</Remark>;

  const sending = answer?.phase === 'sending';
  const blocked = !online || sending || late;
  const send = (rest: Pick<AnswerData, 'status' | 'scope' | 'grant' | 'message'>) => {
    const { approvalId, sessionId, argsDigest } = request;
    connection.answer({ approvalId, sessionId, argsDigest, ...rest });
  };
  const deny = () => send({ status: 'denied', ...(reason.trim() ? { message: reason.trim() } : {}) });
  const remembers = !needsForm && request.scopes?.includes('session');
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
        {!needsForm && (
          <Decide
            armed={armed}
            disabled={blocked || unseen}
            act={() => send({ status: 'approved', scope: 'once' })}
          >
            <IconCheck size={18} aria-hidden /> {texts.card.approve}
          </Decide>
        )}
        {remembers && (
          // Only opens: what is remembered is chosen, and approved, below.
          <Button
            type="button"
            className={`${classes.button} ${classes.wide}`}
            classNames={{ label: classes.buttonLabel }}
            variant="default"
            data-armed
            disabled={blocked || unseen}
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
          disabled={blocked || unseen}
          onApprove={(grant) => send({ status: 'approved', scope: 'session', grant })}
          onBack={() => setChoosing(false)}
        />
      )}
      <Note online={online} sending={sending} late={late} unseen={unseen} needsForm={needsForm} />
    </div>
  );
}

function hasFields(schema: unknown): boolean {
  const properties = (schema as { properties?: object } | undefined)?.properties;
  return properties !== undefined && Object.keys(properties).length > 0;
}

interface NoteProps {
  online: boolean;
  sending: boolean;
  late: boolean;
  unseen: boolean;
  needsForm: boolean;
}

/** Why the buttons can't be used now, if they can't. */
function Note({ online, sending, late, unseen, needsForm }: NoteProps) {
  if (!online) return <Remark tone="warn">{texts.card.offline}</Remark>;
  if (sending) {
    return (
      <Remark tone="quiet">
        <Loader size={14} aria-hidden /> {texts.card.sending}
      </Remark>
    );
  }
  if (late) return <Remark tone="quiet">{texts.card.timeUpDetail}</Remark>;
  if (unseen) return <Remark tone="warn">{texts.card.expandFirst}</Remark>;
  if (needsForm) return <Remark tone="quiet">{texts.card.needsForm}</Remark>;
  return null;
}
