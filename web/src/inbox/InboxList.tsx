import { Button } from '@mantine/core';
import { IconFocusCentered } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { WithdrawButton } from '../agents/Withdraw';
import { go } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { InboxBatch } from './InboxBatch';
import { InboxCards, pageSize } from './InboxCards';
import { InboxFilter } from './InboxFilter';
import { InboxPages } from './InboxPages';
import classes from './inbox.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { useInboxKeys } from './useInboxKeys';
import type { FilterState } from './useFilter';
import { useSteadyOrder } from './useSteadyOrder';
import type { Selection } from './useSelection';

interface Props {
  all: readonly ApprovalRequest[];
  filterState: FilterState;
  selection: Selection;
}

/** All that waits, in pages of cards. */
export function InboxList({ all, filterState, selection }: Props) {
  const phase = useStore((s) => s.connection.phase);
  const { shown, filtered, about } = filterState;
  const { order, answered, below, sort, area } = useSteadyOrder(shown, { about });
  const scroll = useRef<HTMLDivElement>(null);
  const [page, setPage] = usePage(order.length, about);
  const from = page * pageSize;
  const cards = order.slice(from, from + pageSize);
  const place = `${phase}|${cards.map((c) => c.approvalId).join()}`;
  const turn = (to: number) => {
    setPage(to);
    scroll.current?.scrollTo({ top: 0 });
  };
  useInboxKeys(area.ref);
  const first = order.find((c) => !answered.has(c.approvalId));
  const t = texts.inbox;
  return (
    <div className={frame.scrollFrame} {...area}>
      <div className={frame.scroll} ref={scroll} tabIndex={-1}>
        <div className={frame.column}>
          <div className={`${shared.spread} ${classes.top}`}>
            <h1 className={frame.pageTitle}>{t.title}</h1>
            <span className={classes.spring} />
            <WithdrawButton which={{ all: true }} count={all.length} />
            <Button
              variant="default"
              size="sm"
              classNames={{ label: classes.oneByOneLabel }}
              disabled={!first}
              onClick={() => first && go({ view: 'waiting', approvalId: first.approvalId })}
            >
              <IconFocusCentered size={18} aria-hidden />
              <span>{texts.queue.oneByOne}</span>
            </Button>
          </div>
          <p className={classes.note}>
            {filtered ? texts.queue.filtered(shown.length, all.length) : t.count(all.length)}
            {shown.length > 1 && below === 0 && `, ${t.sorted}`}
          </p>
          <InboxFilter all={all} filterState={filterState} />
          {order.length === 0 && <NoneFits waiting={all.length} onClear={filterState.clear} />}
          <InboxCards cards={cards} answered={answered} place={place} selection={selection} />
          <InboxPages page={page} total={order.length} onPage={turn} />
        </div>
      </div>
      {(below > 0 || answered.size > 0) && (
        <Button className={classes.sort} size="xs" radius="xl" variant="default" onClick={sort}>
          {below > 0 ? t.unsorted(below) : texts.queue.tidy(answered.size)}
        </Button>
      )}
      <InboxBatch selection={selection} />
    </div>
  );
}

function NoneFits({ waiting, onClear }: { waiting: number; onClear: () => void }) {
  return (
    <div className={`${frame.empty} ${classes.none}`}>
      <h2>{texts.queue.none}</h2>
      <p>{texts.queue.noneBody(waiting)}</p>
      <Button variant="default" onClick={onClear}>
        {texts.queue.clearAll}
      </Button>
    </div>
  );
}

/** The page that is looked at; the first again when something else is looked for. */
function usePage(total: number, about: string): [number, (page: number) => void] {
  const [page, setPage] = useState(0);
  useEffect(() => setPage(0), [about]);
  const last = Math.max(0, Math.ceil(total / pageSize) - 1);
  return [Math.min(page, last), setPage];
}
