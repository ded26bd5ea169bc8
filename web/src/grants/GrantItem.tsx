import { Button } from '@mantine/core';
import { useContext, useEffect } from 'react';
import { formatSeconds, formatTime, useSecondsLeft } from '../ui/clock';
import { href } from '../browser/route';
import { coveredBy } from '../request/granted';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { may, type Grant } from '../wire/wire';
import { GrantSentence } from './GrantSentence';
import classes from './grants.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';

interface Props {
  grant: Grant;
  revoking: boolean;
  onRevoke: (grantId: string) => void;
  showSession?: boolean;
}

/** One standing approval: who may do what, who said so about which request, how often it was used; and the way to end it. */
export function GrantItem({ grant, revoking, onRevoke, showSession = false }: Props) {
  const t = texts.grants;
  const { ended } = grant;
  const allowed = useStore((s) => may(s.identity, 'answer'));
  return (
    <li className={classes.grant} data-testid="grant" data-ended={ended ? true : undefined}>
      <div className={classes.text}>
        <p className={classes.what}>
          <GrantSentence grant={grant} />
        </p>
        <ul className={`${shared.facts} ${classes.facts}`}>
          <li>
            <Revealed text={t.given(grant.givenBy.subject, formatTime(grant.givenAt))} />
          </li>
          <li>{grant.uses === 0 && !grant.maxUses ? t.unused : t.used(grant.uses, grant.maxUses)}</li>
          {!ended && !grant.standing && grant.expiresAt && (
            <li>
              <Until expiresAt={grant.expiresAt} />
            </li>
          )}
          {showSession && grant.sessionId && (
            <li>
              <SessionLink sessionId={grant.sessionId} />
            </li>
          )}
          <li>
            {grant.approvalId ? (
              <a href={href({ view: 'approvals', approvalId: grant.approvalId })}>{t.request}</a>
            ) : (
              t.beforehand
            )}
          </li>
        </ul>
        {ended && (
          <div className={classes.over}>
            <Revealed text={`${t.ended(ended.reason, ended.by.subject)} · ${formatTime(ended.at)}`} />
          </div>
        )}
      </div>
      {!ended && showSession && !grant.standing && <span className={classes.tag}>{t.endsWithSession}</span>}
      {!ended && allowed && (
        <Button
          type="button"
          size="xs"
          variant="default"
          className={`${shared.danger} ${classes.revoke}`}
          aria-label={t.revokeLabel(coveredBy(grant))}
          disabled={revoking}
          onClick={() => onRevoke(grant.grantId)}
        >
          {revoking ? t.revoking : t.revoke}
        </Button>
      )}
    </li>
  );
}

function SessionLink({ sessionId }: { sessionId: string }) {
  const store = useContext(StoreContext);
  const entry = useStore((s) => s.sessions[sessionId]);
  useEffect(() => {
    store.dispatch({ type: 'want', session: sessionId });
  }, [store, sessionId]);
  return (
    <>
      {texts.grants.session}{' '}
      <a href={href({ view: 'session', sessionId })}>
        <Revealed text={entry ? sessionTitle(entry) : sessionId} mode="prose" />
      </a>
    </>
  );
}

const day = 86_400; // what is further away is told by its date alone

function Until({ expiresAt }: { expiresAt: string }) {
  const offset = useStore((s) => s.clockOffset);
  const left = useSecondsLeft(expiresAt, offset);
  const t = texts.grants;
  if (left === undefined) return null;
  if (left === 0) return t.untilOver;
  if (left > day) return t.untilDate(formatTime(expiresAt));
  return <span role="timer">{t.until(formatTime(expiresAt), texts.card.left(formatSeconds(left)))}</span>;
}
