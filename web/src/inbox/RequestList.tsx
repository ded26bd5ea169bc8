import { Button } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { WithdrawButton } from '../agents/Withdraw';
import { Corner } from '../clientTools/Corner';
import { riskRank } from '../request/risk';
import { VirtualList } from '../ui/VirtualList';
import type { ApprovalRequest } from '../wire/wire';
import { FilterBar } from './FilterBar';
import { RequestRow } from './RequestRow';
import { SelectionBar, type Batch } from './SelectionBar';
import { texts } from './texts';
import classes from './inbox.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { orders, type Order } from './filter';
import type { FilterState } from './useFilter';
import { isSelectable, type Selection } from './useSelection';
import type { SteadyOrder } from './useSteadyOrder';

interface Props {
  all: readonly ApprovalRequest[];
  /** How many wait; `all` may lag behind for a moment. */
  waiting: number;
  filterState: FilterState;
  steady: SteadyOrder;
  selection: Selection;
  reviewed: (request: ApprovalRequest) => boolean;
  skipped: ReadonlySet<string>;
  shown: string | undefined;
  addressOf: (approvalId: string) => string;
  onShow: (approvalId: string) => void;
  onAnswer: (batch: Batch) => void;
  /** There is only room for the request; the list stays mounted. */
  hidden: boolean;
}

type Item = { kind: 'head'; list: ApprovalRequest[] } | { kind: 'row'; request: ApprovalRequest };

/** The waiting requests, one row each, and the actions on several. */
export function RequestList(props: Props) {
  const { all, filterState, steady, selection, reviewed, onShow } = props;
  const { filter } = filterState;
  const { order } = steady;
  const items = useMemo(() => itemsOf(order, filter.sort), [order, filter.sort]);
  const { shown } = props;
  const rows = useRef<HTMLDivElement>(null);
  useEffect(() => {
    rows.current?.scrollTo({ top: 0 });
  }, [filterState.about]);
  const jump = useMemo(() => (shown === undefined ? undefined : { key: shown, quiet: true }), [shown]);
  return (
    <section
      className={classes.list}
      aria-label={texts.inbox.listLabel}
      data-hidden={props.hidden || undefined}
      {...steady.area}
    >
      <FilterBar all={all} filterState={filterState} />
      <OrderLine {...props} />
      <div className={`${frame.scroll} ${classes.rows}`} data-scroller tabIndex={-1} ref={rows}>
        {order.length === 0 && filterState.filtered && (
          <NoneFits waiting={all.length} onClear={filterState.clear} />
        )}
        <VirtualList
          items={items}
          keyOf={(item) =>
            item.kind === 'row' ? item.request.approvalId : `head ${item.list[0]!.approvalId}`
          }
          height={40}
          jump={jump}
          render={(item) =>
            item.kind === 'head' ? (
              <GroupHead list={item.list} selection={selection} />
            ) : (
              <RequestRow
                request={item.request}
                href={props.addressOf(item.request.approvalId)}
                current={item.request.approvalId === props.shown}
                answered={steady.answered.has(item.request.approvalId)}
                skipped={props.skipped.has(item.request.approvalId)}
                selected={selection.has(item.request)}
                onShow={onShow}
                onTick={(range) => selection.tick(item.request, order, range)}
              />
            )
          }
        />
      </div>
      <SelectionBar selection={selection} reviewed={reviewed} onShow={onShow} onAnswer={props.onAnswer} />
      <Corner />
    </section>
  );
}

/** Below the filters: the count, the order, and what isn't sorted in or hidden yet. */
function OrderLine({ all, waiting, filterState, steady }: Props) {
  const { filter, filtered, shown, set } = filterState;
  const { below, answered, sort } = steady;
  const t = texts.inbox;
  return (
    <div className={classes.orderLine}>
      <span className={shared.ellipsis} role="status">
        {filtered ? texts.queue.filtered(shown.length, all.length) : t.count(waiting)}
      </span>
      {below > 0 || answered.size > 0 ? (
        <Button size="compact-sm" variant="subtle" onClick={sort}>
          {below > 0 ? texts.queue.riskier(below) : texts.queue.tidy(answered.size)}
        </Button>
      ) : (
        <label className={classes.order}>
          <span className={shared.visuallyHidden}>{t.order}</span>
          <select
            className={shared.textButton}
            value={filter.sort}
            onChange={(e) => set({ sort: e.currentTarget.value as Order })}
          >
            {orders.map((order) => (
              <option key={order} value={order}>
                {t.orders[order]}
              </option>
            ))}
          </select>
        </label>
      )}
      {!filtered && <WithdrawButton which={{ all: true }} count={all.length} />}
    </div>
  );
}

/** Sorted by risk, the rows are grouped under headings. */
function itemsOf(order: readonly ApprovalRequest[], sort: Order): Item[] {
  const items: Item[] = [];
  let last: { kind: 'head'; list: ApprovalRequest[] } | undefined;
  for (const request of order) {
    if (sort === 'risk' && (!last || riskRank(last.list[0]!) !== riskRank(request))) {
      last = { kind: 'head', list: [] };
      items.push(last);
    }
    last?.list.push(request);
    items.push({ kind: 'row', request });
  }
  return items;
}

function GroupHead({ list, selection }: { list: readonly ApprovalRequest[]; selection: Selection }) {
  const t = texts.inbox;
  const first = list[0]!;
  const some = list.filter(isSelectable);
  const level = first.risk?.level;
  const name = level ? (t.groups[level] ?? texts.card.riskUnknown(level)) : texts.queue.noRisk;
  const all = some.length > 0 && some.every(selection.has);
  return (
    <div className={classes.groupHead} data-testid="group">
      <h2>
        {first.type === 'elicitation' ? texts.queue.questions : name} <span>{list.length}</span>
      </h2>
      {some.length > 0 ? (
        <button type="button" className={shared.textButton} onClick={() => selection.set(some, !all)}>
          {all ? texts.batch.clear : t.selectAll(some.length)}
        </button>
      ) : (
        <span>{first.type === 'tool_confirmation' && t.oneByOne}</span>
      )}
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
