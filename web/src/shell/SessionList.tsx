import { Button } from '@mantine/core';
import { useContext, useEffect, useMemo, useRef, useState } from 'react';
import { href, type Route } from '../browser/route';
import { statusOf, type SessionEntry } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { api } from '../wire/api';
import { texts } from './texts';
import classes from './nav.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';
import { StatusBadge } from '../ui/StatusBadge';

/** The sessions, newest first, and the way to those that are older than what a tab is told at its beginning. */
export function SessionList({ route, counts }: { route: Route; counts: Map<string, number> }) {
  const sessions = useStore((s) => s.sessions);
  const list = useMemo(() => newestFirst(Object.values(sessions)), [sessions]);
  const older = useOlder();
  const box = useRef<HTMLUListElement>(null);
  const known = useRef(0);
  useEffect(() => {
    // With its last page the button goes, and the focus would go with it.
    if (!older.some && known.current > 0) box.current?.children[known.current]?.querySelector('a')?.focus();
  }, [older.some]);
  if (list.length === 0) return <p className={classes.empty}>{texts.nav.empty}</p>;
  const show = () => {
    known.current = list.length;
    void older.show();
  };
  return (
    <ul ref={box} className={`${shared.list} ${classes.list}`}>
      {list.map((entry) => (
        <SessionLink
          key={entry.session.sessionId}
          entry={entry}
          waiting={counts.get(entry.session.sessionId) ?? 0}
          current={route.view === 'session' && route.sessionId === entry.session.sessionId}
        />
      ))}
      {older.some && (
        <li>
          <Button variant="subtle" size="sm" loading={older.busy} onClick={show}>
            {texts.nav.older}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** Pages of older sessions, until one has some that are not in the list. */
function useOlder() {
  const store = useContext(StoreContext);
  const some = useStore((s) => s.olderThan !== undefined);
  const [busy, setBusy] = useState(false);
  const show = async () => {
    setBusy(true);
    try {
      for (let added = false; !added;) {
        const { olderThan: before, sessions: known } = store.get();
        if (before === undefined) break;
        const { sessions, next } = await api.olderSessions(before);
        added = sessions.some((s) => !known[s.sessionId]);
        store.dispatch({ type: 'olderSessions', before, sessions, next });
      }
    } catch (why) {
      store.dispatch({ type: 'trouble', text: texts.nav.notOlder((why as Error).message) });
    }
    setBusy(false);
  };
  return { some, busy, show };
}

function newestFirst(list: SessionEntry[]): SessionEntry[] {
  return list.sort((a, b) => b.session.createdAt.localeCompare(a.session.createdAt));
}

function SessionLink({
  entry,
  waiting,
  current,
}: {
  entry: SessionEntry;
  waiting: number;
  current: boolean;
}) {
  const { sessionId, agentId, kind, createdBy } = entry.session;
  return (
    <li>
      <a
        className={`${shared.navItem} ${classes.session}`}
        href={href({ view: 'session', sessionId })}
        aria-current={current ? 'page' : undefined}
      >
        <span className={classes.sessionTop}>
          <span className={classes.sessionTitle}>
            <Revealed text={sessionTitle(entry)} mode="prose" />
          </span>
          {waiting > 0 && (
            <span className={classes.count} aria-label={texts.nav.waitingHere(waiting)}>
              {waiting}
            </span>
          )}
        </span>
        <span className={classes.sessionBottom}>
          <StatusBadge status={statusOf(entry, waiting)} />
          <span className={classes.sessionAgent}>
            <Revealed text={kind === 'external' ? texts.program.kind(createdBy) : agentId} />
          </span>
        </span>
      </a>
    </li>
  );
}
