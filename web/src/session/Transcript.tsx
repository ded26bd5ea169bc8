import { Button, Loader } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import { href } from '../browser/route';
import { formatTime } from '../ui/clock';
import { useConnection } from '../connection/context';
import { pendingCards, type OutMessage, type SessionEntry } from '../store/state';
import { useStore } from '../store/store';
import { texts } from './texts';
import { ApprovalCard } from '../card/ApprovalCard';
import { coveredBy } from '../request/granted';
import { belowWords, pathOf } from './below';
import { Transcript as Reading, type Item } from './buildTranscript';
import { CallView } from './CallView';
import { VirtualList, type Jump } from '../ui/VirtualList';
import { Revealed } from '../ui/Revealed';
import classes from './session.module.css';
import shared from '../ui/shared.module.css';
import { AgentMessage } from './AgentMessage';

interface Props {
  entry: SessionEntry;
  working: boolean;
  jump?: Jump | undefined; // to one of its items
}

const keyOf = (item: Item) => item.key;

/** The conversation from its beginning to what is being written now. */
export function Transcript({ entry, working, jump }: Props) {
  const pending = useStore((s) => s.pending);
  const phase = useStore((s) => s.connection.phase);
  const { sessionId, agentId } = entry.session;
  const cards = useMemo(() => pendingCards({ pending }, sessionId), [pending, sessionId]);
  const [reading] = useState(() => new Reading());
  const own = useMemo(() => cards.filter((c) => c.sessionId === sessionId), [cards, sessionId]);
  const items = useMemo(() => reading.of(entry.events, own), [reading, entry.events, own]);
  const partials = Object.entries(entry.partials);
  // A call that begins to tell how far it is moves the cards below it.
  const telling = Object.keys(entry.progress).join();
  const place = `${phase}|${entry.events.length}|${cards.map((c) => c.approvalId).join()}|${telling}`;
  return (
    <div className={classes.log}>
      {items.length > 0 && (
        <VirtualList
          items={items}
          keyOf={keyOf}
          height={110}
          gap={22}
          from="end"
          jump={jump}
          render={(item) =>
            item.kind === 'call' ? (
              <CallView
                item={item}
                pending={pending}
                progress={entry.progress[item.key]}
                place={item.rounds.some((r) => pending[r.approvalId]) ? place : ''}
                over={!working}
              />
            ) : (
              <Entry item={item} agentId={agentId} />
            )
          }
        />
      )}
      {cards.map(
        (request) =>
          request.sessionId !== sessionId && (
            <ApprovalCard key={request.approvalId} request={request} place={place} showSession />
          ),
      )}
      {partials.map(([id, text]) => (
        <AgentMessage key={id} who={agentId} text={text} writing />
      ))}
      {entry.outbox.map((message) => (
        <Outgoing
          key={message.key}
          sessionId={sessionId}
          message={message}
          complete={entry.follow === 'live'}
        />
      ))}
      {working && partials.length === 0 && cards.length === 0 && (
        <p className={classes.working}>
          <Loader size={14} aria-hidden /> {texts.session.working}
        </p>
      )}
    </div>
  );
}

const Entry = memo(function Entry({
  item,
  agentId,
}: {
  item: Exclude<Item, { kind: 'call' }>;
  agentId: string;
}) {
  switch (item.kind) {
    case 'user':
      return <Said text={item.text} by={item.by} at={item.at} />;
    case 'assistant':
      return (
        <AgentMessage
          who={agentId}
          text={item.text}
          reasoning={item.reasoning}
          stop={item.stop}
          at={item.at}
        />
      );
    case 'turn':
      return (
        <p className={`${shared.quiet} ${classes.note}`} data-outcome={item.outcome}>
          {texts.session.turn(item.outcome)}
          {item.message && (
            <>
              {': '}
              <Revealed text={forPeople(item.message)} mode="prose" />
            </>
          )}
        </p>
      );
    case 'forgotten': {
      const { ended } = item.grant;
      const why = texts.grants.ended(ended?.reason, ended?.by.subject);
      return (
        <p className={`${shared.quiet} ${classes.note}`} data-testid="forgotten">
          <Revealed text={texts.session.forgotten(coveredBy(item.grant), why)} />
        </p>
      );
    }
    case 'below':
      return (
        <p className={`${shared.quiet} ${classes.note}`} data-testid="below">
          <a href={href({ view: 'session', sessionId: item.request.sessionId })}>
            <Revealed text={pathOf(item.request)} />
          </a>
          <Revealed text={belowWords(item)} />
        </p>
      );
    case 'ended':
      return (
        <p className={`${shared.quiet} ${classes.note}`}>
          <Revealed text={texts.session.ended(item.outcome, item.by)} />
        </p>
      );
  }
});

// An error names the part of the gateway that it comes from; people need the rest.
function forPeople(message: string): string {
  return message.replace(/^(agent: )?(model: )+/, '');
}

function Said({ text, by, at }: { text: string; by?: string | undefined; at: string }) {
  const me = useStore((s) => s.identity?.subject);
  return (
    <div className={classes.said}>
      <div className={classes.by}>
        <Revealed text={!by || by === me ? texts.session.you : by} /> <time>{formatTime(at)}</time>
      </div>
      <div className={classes.bubble}>
        <Revealed text={text} mode="prose" />
      </div>
    </div>
  );
}

interface OutgoingProps {
  sessionId: string;
  message: OutMessage;
  complete: boolean; // the journal is here as far as it goes
}

/** A message that is not in the journal yet. */
function Outgoing({ sessionId, message, complete }: OutgoingProps) {
  const connection = useConnection();
  const { key, text, phase, error } = message;
  const t = texts.composer;
  const why = phase === 'failed' ? error : complete ? t.missing : t.unconfirmed;
  return (
    <div className={classes.said} data-phase={phase}>
      <div className={classes.by}>{phase === 'sending' ? t.sending : texts.session.you}</div>
      <div className={classes.bubble}>
        <Revealed text={text} mode="prose" />
      </div>
      {phase !== 'sending' && (
        <div className={classes.unsent} role="alert">
          <span>{why}</span>
          {(phase === 'failed' || complete) && (
            <Button size="compact-xs" variant="light" onClick={() => connection.say(sessionId, text, key)}>
              {t.again}
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => connection.discard(sessionId, key)}
          >
            {t.discard}
          </Button>
        </div>
      )}
    </div>
  );
}
