import { Button, Loader } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useContext, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { armDelay } from '../answer/arming';
import { useConnection } from '../connection/context';
import { lastSeq, pendingCards, statusOf, type SessionEntry } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import type { Jump } from '../ui/VirtualList';
import { Composer } from './Composer';
import { ownMessages } from './ownMessages';
import composer from './composer.module.css';
import classes from './session.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { HandedOnBy } from './Handed';
import { ModeControl } from '../agents/ModeControl';
import { InHeader } from '../ui/InHeader';
import { Revealed } from '../ui/Revealed';
import { Scroller } from './Scroller';
import { SessionGrants } from '../grants/SessionGrants';
import { SessionMenu } from './SessionMenu';
import { sessionTitle } from '../ui/sessionTitle';
import { StatusBadge } from '../ui/StatusBadge';
import { Timeline } from './Timeline';
import { Transcript } from './Transcript';
import { UsageLine } from './UsageLine';

/** One session: its conversation, its cards in place, and the message box. */
export default function SessionView({ sessionId }: { sessionId: string }) {
  const store = useContext(StoreContext);
  const entry = useStore((s) => s.sessions[sessionId]);
  const none = useStore((s) => s.wanted[sessionId] === 'none');
  useEffect(() => {
    store.dispatch({ type: 'view', session: sessionId });
    return () => store.dispatch({ type: 'view' });
  }, [store, sessionId]);
  if (!entry || entry.follow === 'unknown') {
    return (
      <div className={frame.center}>
        <div className={frame.empty}>
          {entry || none ? (
            <h1>{texts.session.unknown}</h1>
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
  const waiting = useMemo(() => pendingCards({ pending }, sessionId).length, [pending, sessionId]);
  const status = statusOf(entry, waiting);
  const busy = status === 'active' || status === 'waiting_approval';
  const loading = entry.events.length === 0 && entry.session.seq > 0;
  const ended = entry.journalFacts.ended ?? entry.facts.ended;
  const me = identity?.subject;
  const { events, outbox } = entry;
  const earlier = useMemo(() => ownMessages({ events, outbox }, me), [events, outbox, me]);
  // Words answer what waits here, where the person may: the gateway reads them, with what was on the screen.
  const answers = waiting > 0 && may(identity, 'answer');
  const seen = useSeen(lastSeq(entry));
  const [jump, setJump] = useState<Jump>();
  return (
    <>
      <div className={classes.top}>
        <div className={classes.topText}>
          <InHeader>
            <h1 className={frame.pageTitle}>
              <Revealed text={sessionTitle(entry)} mode="prose" />
            </h1>
          </InHeader>
          <div className={classes.topMeta}>
            <StatusBadge status={status} />
            <span className={classes.topAgent}>
              <Revealed text={kind === 'external' ? texts.program.kind(createdBy) : agentId} />
            </span>
            <HandedOnBy session={entry.session} />
            {agent && kind === 'agent' && (
              <span className={classes.topMode}>
                <ModeControl agent={agent} />
              </span>
            )}
            <UsageLine entry={entry} />
          </div>
        </div>
        <div className={classes.topActions}>
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
          <Timeline entry={entry} onGo={(key) => setJump({ key })} />
          <SessionMenu entry={entry} ended={ended !== undefined} waiting={waiting} />
        </div>
      </div>
      <Scroller entry={entry} waiting={waiting}>
        {loading ? (
          <p className={classes.working}>
            <Loader size={14} aria-hidden /> {texts.session.loading}
          </p>
        ) : (
          <Transcript entry={entry} working={busy} jump={jump} />
        )}
        {!loading && entry.events.length <= 1 && waiting === 0 && entry.outbox.length === 0 && (
          <p className={`${shared.quiet} ${classes.note}`}>
            {kind === 'external' ? texts.session.externalEmpty : texts.session.empty}
          </p>
        )}
      </Scroller>
      {kind === 'external' && <p className={composer.composerNote}>{texts.program.noTalk}</p>}
      {kind === 'agent' && !ended && (
        <Composer
          key={sessionId}
          draftKey={sessionId}
          earlier={earlier}
          answers={answers}
          onSend={(text) =>
            answers ? connection.tell(sessionId, text, seen.current) : connection.say(sessionId, text)
          }
        />
      )}
    </>
  );
}

/** The newest event that has been on the screen for as long as a card stands before it takes a press. */
function useSeen(newest: number): RefObject<number> {
  const seen = useRef(0);
  useEffect(() => {
    setTimeout(() => (seen.current = Math.max(seen.current, newest)), armDelay);
  }, [newest]);
  return seen;
}
