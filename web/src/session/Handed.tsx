import { useContext, useEffect } from 'react';
import { href } from '../browser/route';
import { pendingCards, statusOf } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import type { Session } from '../wire/wire';
import classes from './session.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';
import { StatusBadge } from '../ui/StatusBadge';

/** Where another agent works on a call: its session has the call's id. */
export function HandedOnTo({ callId }: { callId: string }) {
  const child = useStore((s) => s.sessions[callId]);
  const waiting = useStore((s) => (child ? pendingCards(s, callId).length : 0));
  if (!child?.session.parentId) return null;
  return (
    <p className={classes.working} data-testid="handed-on">
      {texts.session.handedOnTo}{' '}
      <a href={href({ view: 'session', sessionId: callId })}>
        <Revealed text={child.session.agentId} />
      </a>
      <StatusBadge status={statusOf(child, waiting)} />
    </p>
  );
}

/** From which session a session's work comes. */
export function HandedOnBy({ session: { parentId, path } }: { session: Session }) {
  const store = useContext(StoreContext);
  const parent = useStore((s) => s.sessions[parentId ?? '']);
  useEffect(() => {
    if (parentId) store.dispatch({ type: 'want', session: parentId });
  }, [store, parentId]);
  if (!parentId) return null;
  return (
    <span className={classes.topAgent}>
      {texts.session.handedOnBy}{' '}
      <a href={href({ view: 'session', sessionId: parentId })}>
        <Revealed text={parent ? sessionTitle(parent) : (path ?? parentId)} mode="prose" />
      </a>
    </span>
  );
}
