import { Button } from '@mantine/core';
import { useContext, useEffect, useMemo, useRef, useState } from 'react';
import { href, type Route } from '../browser/route';
import { statusOf, type SessionEntry, type State } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { may } from '../wire/wire';
import { api } from '../wire/api';
import { texts } from './texts';
import classes from './nav.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { NewSession } from './NewSession';
import { sessionTitle } from '../ui/sessionTitle';
import { StatusBadge } from '../ui/StatusBadge';

/** The sessions, newest first, and the way to those that are older than what a tab is told at its beginning. */
export default function SessionList({ route }: { route: Route }) {
  const sessions = useStore((s) => s.sessions);
  const pending = useStore((s) => s.pending);
  const list = useMemo(() => inTree(newestFirst(Object.values(sessions))), [sessions]);
  const counts = useMemo(() => countWaiting(pending), [pending]);
  const older = useOlder();
  const talks = useStore((s) => may(s.identity, 'talk'));
  const box = useRef<HTMLUListElement>(null);
  const known = useRef(0);
  useEffect(() => {
    // With its last page the button goes, and the focus would go with it.
    if (!older.some && known.current > 0) box.current?.children[known.current]?.querySelector('a')?.focus();
  }, [older.some]);
  const show = () => {
    known.current = list.length;
    void older.show();
  };
  return (
    <nav className={classes.sessions} aria-label={texts.nav.sessions}>
      {talks && <NewSession />}
      {list.length === 0 && <p className={classes.empty}>{texts.nav.empty}</p>}
      <ul ref={box} className={`${shared.list} ${classes.list}`}>
        {list.map(({ entry, depth }) => (
          <SessionLink
            key={entry.session.sessionId}
            entry={entry}
            depth={depth}
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
    </nav>
  );
}

// Deeper ones stand no further in: their titles need the room.
const mostDepth = 3;

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

interface Placed {
  entry: SessionEntry;
  depth: number; // how many sessions stand above it
}

/** Each sub-agent's session below the one that its work comes from, where that is known. */
function inTree(list: readonly SessionEntry[]): Placed[] {
  const known = new Set(list.map((e) => e.session.sessionId));
  const children = new Map<string, SessionEntry[]>();
  for (const entry of list) {
    const { parentId = '' } = entry.session;
    const above = known.has(parentId) ? parentId : '';
    children.set(above, [...(children.get(above) ?? []), entry]);
  }
  const below = (id: string, depth: number): Placed[] =>
    (children.get(id) ?? []).flatMap((entry) => [
      { entry, depth },
      ...below(entry.session.sessionId, depth + 1),
    ]);
  return below('', 0);
}

/** How much waits in each session and below it. */
function countWaiting(pending: State['pending']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { sessionId, above = [] } of Object.values(pending)) {
    for (const id of [sessionId, ...above]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function SessionLink({
  entry,
  depth,
  waiting,
  current,
}: Placed & {
  waiting: number;
  current: boolean;
}) {
  const { sessionId, agentId, kind, createdBy } = entry.session;
  return (
    <li className={classes.place} data-depth={depth > 0 ? Math.min(depth, mostDepth) : undefined}>
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
