import { Button, TextInput } from '@mantine/core';
import { IconChecks, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { mayApprove } from '../request/approvers';
import { sentenceOf } from '../request/sentence';
import { askerOf } from '../request/asker';
import { useConnection } from '../connection/context';
import { confirmationFor } from '../request/risk';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { useArmed, useMoves } from '../answer/arming';
import classes from './batch.module.css';
import shared from '../ui/shared.module.css';
import { DecisionButton } from '../answer/DecisionButton';
import { Modal } from '../ui/dialogs';
import { DecisionLine } from '../ui/DecisionLine';
import { Revealed } from '../ui/Revealed';
import { RiskMark } from '../ui/RiskLine';
import { sessionTitle } from '../ui/sessionTitle';
import { isUnchanged } from './useSelection';

interface Props {
  verdict: 'approved' | 'denied';
  /** As they were seen when they were selected; the list does not grow while the dialog is open. */
  list: readonly ApprovalRequest[];
  onClose: () => void;
}

/** Answers several requests, each by its own id and for its own arguments. */
export function BatchDialog({ verdict, list, onClose }: Props) {
  const connection = useConnection();
  const pending = useStore((s) => s.pending);
  const online = useStore((s) => s.connection.phase === 'online');
  const answers = useStore((s) => s.answers);
  const identity = useStore((s) => s.identity);
  const [reason, setReason] = useState('');
  const [given, setGiven] = useState<readonly string[]>([]);
  const approves = verdict === 'approved';
  const open = list.filter(
    (r) =>
      isUnchanged(r, pending[r.approvalId]) &&
      answers[r.approvalId]?.phase !== 'sending' &&
      !(approves && (confirmationFor(r) !== 'press' || !mayApprove(identity, r))),
  );
  const box = useRef<HTMLDivElement>(null); // rows above it may grow when something is answered
  const { moves, still } = useMoves(box);
  const armed = useArmed(`${online}|${open.map((r) => r.approvalId).join()}|${moves}`);
  const t = texts.batch;
  const act = () => {
    const message = reason.trim();
    for (const { approvalId, sessionId, argsDigest } of open) {
      const terms = approves
        ? ({ status: 'approved', scope: 'once' } as const)
        : ({ status: 'denied', ...(message && { message }) } as const);
      connection.answer({ approvalId, sessionId, argsDigest, ...terms });
    }
    setGiven([...given, ...open.map((r) => r.approvalId)]);
  };
  const over = given.length > 0 && open.length === 0;
  return (
    <Modal
      opened
      onClose={onClose}
      size={640}
      title={approves ? t.approveTitle : t.denyTitle}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <div className={classes.dialog} data-testid="batch-dialog">
        <p className={`${shared.quiet} ${classes.body}`}>{t.body}</p>
        <ol
          className={`${shared.list} ${classes.list}`}
          aria-label={t.list}
          tabIndex={0}
          {...(approves && { 'data-autofocus': true })}
        >
          {list.map((request) => (
            <Row key={request.approvalId} request={request} approves={approves} />
          ))}
        </ol>
        {!approves && !over && (
          <TextInput
            label={t.reason}
            data-autofocus
            placeholder={texts.card.reasonPlaceholder}
            value={reason}
            onChange={(e) => setReason(e.currentTarget.value)}
            autoComplete="off"
          />
        )}
        {open.length === 0 && !over && <p className={`${shared.quiet} ${classes.body}`}>{t.nothing}</p>}
        <div className={`${shared.buttons} ${classes.buttons}`} ref={box}>
          <Button type="button" variant="default" onClick={onClose}>
            {over ? t.close : t.cancel}
          </Button>
          {!over && (
            <DecisionButton
              armed={armed}
              still={still}
              disabled={!online || open.length === 0}
              {...(approves ? {} : { look: 'deny' as const })}
              act={act}
            >
              {approves ? <IconChecks size={18} aria-hidden /> : <IconX size={18} aria-hidden />}
              {approves
                ? open.length === 1
                  ? t.approveOne
                  : t.approveAll(open.length)
                : open.length === 1
                  ? t.denyOne
                  : t.denyAll(open.length)}
            </DecisionButton>
          )}
        </div>
      </div>
    </Modal>
  );
}

/** One of those that are answered, by name, and how it stands. */
function Row({ request, approves }: { request: ApprovalRequest; approves: boolean }) {
  const entry = useStore((s) => s.sessions[request.sessionId]);
  const { code, text } = sentenceOf(request);
  return (
    <li className={classes.row} data-testid="batch-row" data-approval={request.approvalId}>
      <RiskMark risk={request.risk} />
      <div className={classes.what}>
        <p className={classes.title}>
          <strong>
            <Revealed text={request.toolName || texts.card.asksTitle} />
          </strong>{' '}
          <Revealed text={askerOf(request)} />
          {' · '}
          <Revealed text={entry ? sessionTitle(entry) : request.sessionId} mode="prose" />
        </p>
        <code className={classes.args}>
          <Revealed text={code ?? text} />
        </code>
        <State request={request} approves={approves} />
      </div>
    </li>
  );
}

function State({ request, approves }: { request: ApprovalRequest; approves: boolean }) {
  const now = useStore((s) => s.pending[request.approvalId]);
  const settled = useStore((s) => s.settled[request.approvalId]);
  const answer = useStore((s) => s.answers[request.approvalId]);
  const cleared = useStore((s) => mayApprove(s.identity, request));
  const t = texts.batch;
  if (settled?.response) return <DecisionLine response={settled.response} request={request} />;
  if (!isUnchanged(request, now)) return <p className={classes.note}>{t.gone}</p>;
  if (answer?.phase === 'sending') return <p className={classes.note}>{t.sending}</p>;
  if (answer?.phase === 'failed') {
    return (
      <p className={classes.note} data-failed role="alert">
        {t.failed(answer.error ?? '')}
      </p>
    );
  }
  if (approves && !cleared) return <p className={classes.note}>{texts.approvers.not}</p>;
  if (approves && confirmationFor(request) !== 'press') return <p className={classes.note}>{t.careful}</p>;
  return null;
}
