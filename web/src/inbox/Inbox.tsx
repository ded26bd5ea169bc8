import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { href, goTo, parseRoute, useQuery, useRoute } from '../browser/route';
import { pendingCards } from '../store/state';
import { useStore } from '../store/store';
import type { ApprovalRequest } from '../wire/wire';
import { InHeader } from '../ui/InHeader';
import { useNarrow } from '../ui/useNarrow';
import { texts } from './texts';
import { BatchDialog } from './BatchDialog';
import { Detail } from './Detail';
import type { Batch } from './SelectionBar';
import { NothingWaits } from './NothingWaits';
import { RequestList } from './RequestList';
import { QuickFilters } from './QuickFilters';
import classes from './inbox.module.css';
import frame from '../ui/page.module.css';
import { useFilter } from './useFilter';
import { useInboxKeys } from './useInboxKeys';
import { useReviewed } from './useReviewed';
import { useSkipped } from './useSkipped';
import { useSelection } from './useSelection';
import { useSteadyOrder } from './useSteadyOrder';

/** The waiting requests: a list with the chosen one beside it, or one of the two on a narrow screen. */
export function Inbox() {
  const route = useRoute();
  const shown = route.view === 'approvals' ? route.approvalId : undefined;
  const query = useQuery();
  const narrow = useNarrow();
  // Many that come in at once are taken in together; what a card shows of its answer does not wait for that.
  const latest = useStore((s) => s.pending);
  const pending = useDeferredValue(latest);
  const waiting = Object.keys(latest).length;
  const cards = useMemo(() => pendingCards({ pending }), [pending]);
  const [skipped, setSkipped] = useSkipped();
  const filterState = useFilter(cards, skipped);
  const selection = useSelection();
  const reviewed = useReviewed();
  const [batch, setBatch] = useState<Batch>();
  const steady = useSteadyOrder(filterState.shown, { about: filterState.about });
  const { order, answered } = steady;
  const box = useRef<HTMLDivElement>(null);

  const addressOf = (approvalId?: string) => href({ view: 'approvals', approvalId }, query);
  const show = (approvalId?: string) => goTo(addressOf(approvalId), narrow ? 'push' : 'replace');
  const waits = (id: string) => latest[id] !== undefined;
  const at = order.findIndex((c) => c.approvalId === shown);
  // An answered request leaves the list; previous and next continue from its position.
  const stood = useRef(0);
  if (at >= 0) stood.current = at;
  const open = (list: readonly ApprovalRequest[]) => list.filter((c) => waits(c.approvalId));
  const after = open(order.slice(at < 0 ? stood.current : at + 1));
  const before = open(order.slice(0, at < 0 ? stood.current : at));
  const [next] = after;
  const previous = before.at(-1);
  const notSkipped = [...after, ...before].find((c) => !skipped.has(c.approvalId));
  const first = order.find((c) => waits(c.approvalId))?.approvalId;
  // On a wide screen a request is always shown: the first, until another is chosen.
  useEffect(() => {
    // The page may have been left since it was rendered.
    if (!narrow && shown === undefined && first && parseRoute(location.pathname).view === 'approvals')
      goTo(href({ view: 'approvals', approvalId: first }, query), 'replace');
  }, [narrow, shown, first, query]);

  const later = () => {
    if (shown) setSkipped(new Set([...[...skipped].filter(waits), shown]));
    show(notSkipped?.approvalId);
  };
  useInboxKeys(box, {
    next: () => (next ?? (shown ? undefined : order[0])) && show((next ?? order[0])!.approvalId),
    previous: () => previous && show(previous.approvalId),
    list: () => (narrow && shown ? show() : box.current?.querySelector<HTMLElement>('[data-focus]')?.focus()),
    skip: later,
    tick: () => {
      const card = order[at];
      if (card && waits(card.approvalId)) selection.tick(card, order, false);
    },
  });

  const list = waiting + answered.size > 0;
  return (
    <div className={classes.inbox} ref={box}>
      <InHeader>
        {narrow && shown ? (
          <h1 className={`${frame.pageTitle} ${classes.back}`}>
            <a href={addressOf()}>
              ‹ {texts.inbox.title} <span>{waiting}</span>
            </a>
          </h1>
        ) : (
          <>
            <h1 className={frame.pageTitle}>{texts.inbox.title}</h1>
            {!narrow && waiting > 0 && (
              <QuickFilters
                all={waiting}
                filterState={filterState}
                skipped={open(skippedOf(cards, skipped)).length}
              />
            )}
          </>
        )}
      </InHeader>
      {list && (
        <RequestList
          all={cards}
          waiting={waiting}
          filterState={filterState}
          steady={steady}
          selection={selection}
          reviewed={reviewed.has}
          skipped={skipped}
          shown={shown}
          addressOf={addressOf}
          onShow={show}
          onAnswer={setBatch}
          hidden={narrow && shown !== undefined}
        />
      )}
      {batch && <BatchDialog {...batch} onClose={() => setBatch(undefined)} />}
      {shown !== undefined && (
        <Detail
          approvalId={shown}
          place={at < 0 ? undefined : { at: at + 1, of: order.length }}
          previous={previous?.approvalId}
          next={next?.approvalId}
          onShow={show}
          onLater={later}
          onNext={() => show(notSkipped?.approvalId)}
          more={notSkipped !== undefined}
          onReviewed={reviewed.add}
        />
      )}
      {shown === undefined && waiting === 0 && answered.size === 0 && <NothingWaits />}
    </div>
  );
}

function skippedOf<T extends { approvalId: string }>(cards: readonly T[], skipped: ReadonlySet<string>): T[] {
  return cards.filter((c) => skipped.has(c.approvalId));
}
