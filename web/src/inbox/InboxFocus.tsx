import { Button, Loader } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconClockPause, IconList } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { go } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { ApprovalCard } from '../card/ApprovalCard';
import { FocusQueue } from './FocusQueue';
import { AnsweredCard } from './AnsweredCard';
import classes from './focus.module.css';
import shared from '../ui/shared.module.css';
import { useInboxKeys } from './useInboxKeys';
import { useSteadyOrder } from './useSteadyOrder';

interface Props {
  approvalId: string;
  cards: readonly ApprovalRequest[];
  about: string;
  skipped: ReadonlySet<string>;
  onSkip: (approvalId: string) => void;
}

const show = (approvalId: string | undefined) => go({ view: 'waiting', ...(approvalId && { approvalId }) });

/** One request at a time, with what else waits beside it. Nothing comes in its place by itself. */
export function InboxFocus({ approvalId, cards, about, skipped, onSkip }: Props) {
  const { order, answered, below, sort } = useSteadyOrder(cards, { about, always: true, shown: approvalId });
  // It may be outside of what was looked for in the list, and still be asked for by its address.
  const named = useStore((s) => s.pending[approvalId]);
  const box = useRef<HTMLDivElement>(null);
  const at = order.findIndex((c) => c.approvalId === approvalId);
  const list = at < 0 && named ? [named, ...order] : order;
  const here = Math.max(0, at);
  const request = list[here]?.approvalId === approvalId ? list[here] : undefined;
  const waits = (c: ApprovalRequest | undefined) => c !== undefined && !answered.has(c.approvalId);
  const before = list.slice(0, here).filter(waits).at(-1);
  const after = list.slice(request ? here + 1 : 0).filter(waits);
  const next = after[0];
  const notSkipped = [...after, ...list.slice(0, here).filter(waits)].find((c) => !skipped.has(c.approvalId));

  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
    box.current?.querySelector<HTMLElement>('[data-focus]')?.focus({ preventScroll: true });
  }, [approvalId]);

  const skip = () => {
    onSkip(approvalId);
    show(notSkipped?.approvalId);
  };
  const moves = {
    next: () => next && show(next.approvalId),
    previous: () => before && show(before.approvalId),
    list: () => show(undefined),
    skip,
  };
  useInboxKeys(box, moves);
  return (
    <section className={classes.focus} aria-label={texts.focus.region(here + 1, list.length)}>
      <FocusBar
        place={request ? texts.focus.place(here + 1, list.length) : ''}
        moves={moves}
        hasNext={next !== undefined}
        hasPrevious={before !== undefined}
        waits={waits(request)}
      />
      <div className={classes.body}>
        <div className={classes.one} ref={box}>
          <div className={classes.column}>
            <h1 className={`${shared.visuallyHidden} ${classes.hidden}`}>{texts.inbox.title}</h1>
            <Shown
              key={approvalId}
              request={request}
              waits={waits(request)}
              onNext={() => show(notSkipped?.approvalId)}
              more={notSkipped !== undefined}
            />
          </div>
        </div>
        <FocusQueue
          list={list}
          current={approvalId}
          answered={answered}
          skipped={skipped}
          below={below}
          onTidy={sort}
        />
      </div>
    </section>
  );
}

interface BarProps {
  place: string;
  moves: Record<'next' | 'previous' | 'list' | 'skip', () => unknown>;
  hasNext: boolean;
  hasPrevious: boolean;
  waits: boolean;
}

function FocusBar({ place, moves, hasNext, hasPrevious, waits }: BarProps) {
  const t = texts.focus;
  return (
    <div className={classes.bar}>
      <Button
        variant="subtle"
        color="gray"
        size="sm"
        leftSection={<IconList size={17} aria-hidden />}
        onClick={moves.list}
      >
        <span className={classes.long}>{t.list}</span>
        <span className={classes.short}>{t.back}</span>
      </Button>
      <span className={classes.place} role="status" data-testid="place">
        {place}
      </span>
      <div className={classes.moves}>
        <Button
          variant="default"
          size="sm"
          disabled={!hasPrevious}
          classNames={{ label: classes.moveLabel }}
          onClick={moves.previous}
          aria-label={t.previous}
        >
          <IconChevronLeft size={17} aria-hidden />
          <span className={classes.long}>{t.previous}</span>
        </Button>
        <Button
          variant="default"
          size="sm"
          disabled={!hasNext}
          onClick={moves.next}
          aria-label={t.next}
          classNames={{ label: classes.moveLabel }}
        >
          <span className={classes.long}>{t.next}</span>
          <IconChevronRight size={17} aria-hidden />
        </Button>
        <Button
          variant="default"
          size="sm"
          disabled={!waits}
          leftSection={<IconClockPause size={17} aria-hidden />}
          onClick={moves.skip}
          title={t.skipNote}
        >
          {t.skip}
        </Button>
      </div>
    </div>
  );
}

interface ShownProps {
  request: ApprovalRequest | undefined;
  waits: boolean;
  more: boolean;
  onNext: () => void;
}

function Shown({ request, waits, more, onNext }: ShownProps) {
  const phase = useStore((s) => s.connection.phase);
  const loading = useStore((s) => !s.haveSnapshot);
  const t = texts.focus;
  if (request && waits) return <ApprovalCard request={request} place={phase} showSession />;
  if (!request && loading) return <Loader size="sm" aria-label={t.loading} />;
  return (
    <div className={classes.over} data-focus tabIndex={-1}>
      {request ? (
        <AnsweredCard request={request} />
      ) : (
        <div className={classes.unknown}>
          <h2>{t.notWaiting}</h2>
          <p>{t.notWaitingBody}</p>
        </div>
      )}
      <Button variant="default" onClick={onNext} data-testid="go-on">
        {more ? t.goOn : t.back}
      </Button>
    </div>
  );
}
