import { Button, Loader } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useConnection } from '../context';
import { statusOf, type SessionEntry } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { texts } from '../texts';
import { may } from '../wire';
import { Composer } from './Composer';
import { ModeControl } from './ModeControl';
import { Revealed } from './Revealed';
import { SessionGrants } from './SessionGrants';
import classes from './session.module.css';
import { sessionTitle } from './sessionTitle';
import shell from './shell.module.css';
import { StatusBadge } from './StatusBadge';
import { Transcript } from './Transcript';
import { UsageLine } from './UsageLine';
import { useContext } from 'react';

/** One session: its conversation, its cards in place, and the message box. */
export function SessionView({ sessionId }: { sessionId: string }) {
  const store = useContext(StoreContext);
  const entry = useStore((s) => s.sessions[sessionId]);
  const haveSnapshot = useStore((s) => s.haveSnapshot);
  useEffect(() => {
    store.dispatch({ type: 'view', session: sessionId });
    return () => store.dispatch({ type: 'view' });
  }, [store, sessionId]);
  if (!entry || entry.follow === 'unknown') {
    return (
      <div className={shell.center}>
        <div className={shell.empty}>
          {haveSnapshot ? (
            <p>{texts.session.unknown}</p>
          ) : (
            <Loader size="sm" aria-label={texts.session.loading} />
          )}
        </div>
      </div>
    );
  }
  return <Conversation entry={entry} />;
}

function Conversation({ entry }: { entry: SessionEntry }) {
  const connection = useConnection();
  const identity = useStore((s) => s.identity);
  const online = useStore((s) => s.connection.phase === 'online');
  const pending = useStore((s) => s.pending);
  const { sessionId, agentId, kind, createdBy } = entry.session;
  const agent = useStore((s) => s.agents?.find((a) => a.agentId === agentId));
  const waiting = useMemo(
    () => Object.values(pending).filter((r) => r.sessionId === sessionId).length,
    [pending, sessionId],
  );
  const status = statusOf(entry, waiting);
  const busy = status === 'active' || status === 'waiting_approval';
  const loading = entry.events.length === 0 && entry.session.seq > 0;
  const ended = entry.journalFacts.ended ?? entry.facts.ended;
  return (
    <>
      <div className={classes.top}>
        <div className={classes.topText}>
          <h1 className={classes.topTitle}>
            <Revealed text={sessionTitle(entry)} mode="prose" />
          </h1>
          <div className={classes.topMeta}>
            <StatusBadge status={status} />
            <span className={classes.topAgent}>
              <Revealed text={kind === 'external' ? texts.program.kind(createdBy) : agentId} />
            </span>
            {agent && kind === 'agent' && (
              <span className={classes.topMode}>
                <ModeControl agent={agent} />
              </span>
            )}
            <UsageLine entry={entry} />
          </div>
        </div>
        <SessionGrants entry={entry} />
        {busy && may(identity, 'talk') && (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            aria-label={texts.session.stopLabel}
            disabled={!online}
            onClick={() => connection.cancel(sessionId)}
          >
            {texts.session.stop}
          </Button>
        )}
      </div>
      <Scroller entry={entry} waiting={waiting}>
        {loading ? (
          <p className={classes.working}>
            <Loader size={14} aria-hidden /> {texts.session.loading}
          </p>
        ) : (
          <Transcript entry={entry} working={busy} />
        )}
        {!loading && entry.events.length <= 1 && waiting === 0 && entry.outbox.length === 0 && (
          <p className={classes.note}>
            {kind === 'external' ? texts.session.externalEmpty : texts.session.empty}
          </p>
        )}
      </Scroller>
      {kind === 'external' && <p className={classes.composerNote}>{texts.program.noTalk}</p>}
      {kind === 'agent' && !ended && (
        <Composer key={sessionId} onSend={(text) => connection.say(sessionId, text)} />
      )}
    </>
  );
}

interface ScrollerProps {
  entry: SessionEntry;
  waiting: number;
  children: React.ReactNode;
}

/** Stays at the newest line while the reader is there, and leaves them alone when they read back. */
function Scroller({ entry, waiting, children }: ScrollerProps) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const heldAt = useRef<number>(undefined); // the top of a card that is higher than the screen
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  useEffect(() => {
    const b = box.current;
    if (!atEnd || !b) return;
    toEnd();
    heldAt.current = topOfTallCard(b);
    if (heldAt.current !== undefined) b.scrollTo({ top: heldAt.current });
    // Only what arrives moves the page; a reader who opens a fold stays where they are.
  }, [entry.session.sessionId, entry.events.length, entry.partials, entry.outbox.length, waiting]);
  const onScroll = () => {
    const b = box.current;
    if (!b) return;
    const held = heldAt.current !== undefined && Math.abs(b.scrollTop - heldAt.current) < 2;
    setAtEnd(held || b.scrollHeight - b.scrollTop - b.clientHeight < 80);
  };
  return (
    <div className={classes.scrollFrame}>
      {/* Focusable, so that the keyboard can scroll it. */}
      <div
        className={shell.scroll}
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label={texts.session.log}
      >
        <div className={shell.column}>{children}</div>
      </div>
      {!atEnd && (
        <Button className={classes.newest} size="compact-sm" radius="xl" variant="default" onClick={toEnd}>
          {texts.session.newer}
        </Button>
      )}
    </div>
  );
}

// What is decided about has to be seen before the buttons are: a card that does
// not fit is shown from its top.
function topOfTallCard(box: HTMLElement): number | undefined {
  const card = [...box.querySelectorAll('article')].at(-1);
  if (!card || card.offsetHeight <= box.clientHeight) return undefined;
  return Math.round(box.scrollTop + card.getBoundingClientRect().top - box.getBoundingClientRect().top - 12);
}
