import { Button } from '@mantine/core';
import { useContext, useEffect } from 'react';
import { formatSeconds, formatTime, useSecondsLeft } from '../ui/clock';
import { href } from '../browser/route';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { may, type Grant } from '../wire/wire';
import { CoverageDetail } from './Coverage';
import classes from './grants.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';

interface Props {
  grant: Grant;
  revoking: boolean;
  onRevoke: (grant: Grant) => void;
  showSession?: boolean;
}

/** One remembered approval: what it covers, whose it is, how long it holds, and the way to end it. */
export function GrantItem({ grant, revoking, onRevoke, showSession = false }: Props) {
  const t = texts.grants;
  const { covers, ended } = grant;
  const allowed = useStore((s) => may(s.identity, 'answer'));
  return (
    <li
      className={`${shared.panel} ${classes.grant}`}
      data-testid="grant"
      data-ended={ended ? true : undefined}
    >
      <div className={classes.text}>
        <div className={classes.what}>
          <Revealed text={covers.text} />
        </div>
        <CoverageDetail covers={covers} />
        <ul className={`${shared.facts} ${classes.facts}`}>
          <li>
            <Revealed text={t.tool(grant.agentId, grant.toolName)} />
          </li>
          {grant.standing && (
            <li>
              <Revealed text={t.everywhere(grant.agentId, grant.workingDirectory)} />
            </li>
          )}
          {showSession && (
            <li>
              <SessionLink sessionId={grant.sessionId} />
            </li>
          )}
          <li>
            <Revealed text={t.given(grant.givenBy.subject, formatTime(grant.givenAt))} />
          </li>
          <li>{grant.uses === 0 && !grant.maxUses ? t.unused : t.used(grant.uses, grant.maxUses)}</li>
          {!ended && (
            <li>
              <Until expiresAt={grant.expiresAt} />
            </li>
          )}
        </ul>
        {ended && (
          <div className={classes.over}>
            <Revealed text={`${t.ended(ended.reason, ended.by.subject)} · ${formatTime(ended.at)}`} />
          </div>
        )}
      </div>
      {!ended && allowed && (
        <Button
          type="button"
          size="xs"
          variant="default"
          className={`${shared.danger} ${classes.revoke}`}
          aria-label={t.revokeLabel(covers.text)}
          disabled={revoking}
          onClick={() => onRevoke(grant)}
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

function Until({ expiresAt }: { expiresAt: string | undefined }) {
  const offset = useStore((s) => s.clockOffset);
  const left = useSecondsLeft(expiresAt, offset);
  const t = texts.grants;
  if (!expiresAt || left === undefined) return t.untilEnd;
  if (left === 0) return t.untilOver;
  if (left > day) return t.untilDate(formatTime(expiresAt));
  return <span role="timer">{t.until(formatTime(expiresAt), texts.card.left(formatSeconds(left)))}</span>;
}
