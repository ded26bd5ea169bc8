import { Button, Loader, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconChecks, IconX } from '@tabler/icons-react';
import { useId, useMemo, useState, type ReactNode } from 'react';
import { argumentBlocks, isLong } from '../arguments';
import { useSecondsLeft } from '../clock';
import { useConnection } from '../context';
import { countHidden } from '../hidden';
import { useStore } from '../store/store';
import { texts } from '../texts';
import { may, type AnswerData, type ApprovalRequest } from '../wire';
import { Arguments } from './Arguments';
import { CardFacts } from './CardFacts';
import { useArmed, useDeliberate } from './armed';
import classes from './card.module.css';
import { Countdown } from './Countdown';
import { Revealed } from './Revealed';

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

function Remark({ tone, children }: { tone: 'warn' | 'quiet' | 'error'; children: ReactNode }) {
  return (
    <p className={classes.remark} data-tone={tone} role={tone === 'error' ? 'alert' : undefined}>
      {children}
    </p>
  );
}

function Answers({ request, unseen, place }: { request: ApprovalRequest; unseen: boolean; place: string }) {
  const connection = useConnection();
  const online = useStore((s) => s.connection.phase === 'online');
  const identity = useStore((s) => s.identity);
  const answer = useStore((s) => s.answers[request.approvalId]);
  const offset = useStore((s) => s.clockOffset);
  const late = useSecondsLeft(request.expiresAt, offset) === 0;
  const armed = useArmed(`${place}|${online}|${answer?.phase}`);
  const [reason, setReason] = useState('');
  const needsForm = request.type === 'elicitation' && hasFields(request.schema);

  if (!may(identity, 'answer')) return <Remark tone="quiet">{texts.card.noRight}</Remark>;

  const sending = answer?.phase === 'sending';
  const blocked = !online || sending || late;
  const send = (rest: Pick<AnswerData, 'status' | 'scope' | 'message'>) => {
    const { approvalId, sessionId, argsDigest } = request;
    connection.answer({ approvalId, sessionId, argsDigest, ...rest });
  };
  const deny = () => send({ status: 'denied', ...(reason.trim() ? { message: reason.trim() } : {}) });
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
        {!needsForm && request.scopes?.includes('session') && (
          <Decide
            armed={armed}
            disabled={blocked || unseen}
            look="wide"
            act={() => send({ status: 'approved', scope: 'session' })}
          >
            <IconChecks size={18} aria-hidden /> {texts.card.approveSession}
          </Decide>
        )}
        <span className={classes.spring} />
        <Decide armed={armed} disabled={blocked} look="deny" act={deny}>
          <IconX size={18} aria-hidden /> {texts.card.deny}
        </Decide>
      </div>
      <Note online={online} sending={sending} late={late} unseen={unseen} needsForm={needsForm} />
    </div>
  );
}

function hasFields(schema: unknown): boolean {
  const properties = (schema as { properties?: object } | undefined)?.properties;
  return properties !== undefined && Object.keys(properties).length > 0;
}

interface DecideProps {
  armed: boolean;
  disabled: boolean;
  look?: 'wide' | 'deny';
  act: () => void;
  children: ReactNode;
}

function Decide({ armed, disabled, look, act, children }: DecideProps) {
  const deliberate = useDeliberate(armed, act);
  return (
    <Button
      type="button"
      className={`${classes.button} ${look ? classes[look] : ''}`}
      classNames={{ label: classes.buttonLabel }}
      variant={look ? 'default' : 'filled'}
      disabled={disabled}
      data-armed={armed || undefined}
      {...deliberate}
    >
      {children}
    </Button>
  );
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
