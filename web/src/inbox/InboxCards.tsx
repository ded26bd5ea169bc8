import { memo, useEffect, useRef } from 'react';
import { askerOf } from '../request/asker';
import { groupKey } from './filter';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { ApprovalCard } from '../card/ApprovalCard';
import { AnsweredCard } from './AnsweredCard';
import classes from './inbox.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';
import type { Selection } from './useSelection';

/** So many cards stand in the page at once, however many wait. */
export const pageSize = 20;

interface Props {
  cards: readonly ApprovalRequest[];
  answered: ReadonlySet<string>;
  place: string;
  selection: Selection;
}

/** A page of cards, those that are alike under one heading. */
export function InboxCards({ cards, answered, place, selection }: Props) {
  const groups = inRuns(cards);
  return (
    <div className={classes.groups}>
      {groups.map((group) => (
        <section key={group[0]!.approvalId} className={classes.group} aria-label={labelOf(group[0]!)}>
          <GroupHead group={group} />
          <div className={classes.cards}>
            {group.map((request) => (
              <Slot
                key={request.approvalId}
                request={request}
                answered={answered.has(request.approvalId)}
                place={place}
                selection={selection.has(request)}
                onSelect={selection.set}
              />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function inRuns(cards: readonly ApprovalRequest[]): ApprovalRequest[][] {
  const runs: ApprovalRequest[][] = [];
  let last: string | undefined;
  for (const card of cards) {
    const key = groupKey(card);
    if (key === last) runs.at(-1)!.push(card);
    else runs.push([card]);
    last = key;
  }
  return runs;
}

function labelOf(request: ApprovalRequest): string {
  return texts.queue.groupLabel('', askerOf(request), request.toolName ?? texts.card.asksTitle);
}

function GroupHead({ group }: { group: readonly ApprovalRequest[] }) {
  const first = group[0]!;
  const entry = useStore((s) => s.sessions[first.sessionId]);
  return (
    <h2 className={classes.groupHead} data-testid="group">
      <a
        className={`${shared.ellipsis} ${classes.groupSession}`}
        href={href({ view: 'session', sessionId: first.sessionId })}
      >
        <Revealed text={entry ? sessionTitle(entry) : first.sessionId} mode="prose" />
      </a>
      <span className={`${shared.ellipsis} ${classes.groupTool}`}>
        <Revealed text={askerOf(first)} />
        {' › '}
        <Revealed text={first.toolName || texts.card.asksTitle} />
      </span>
      <span className={classes.groupCount}>{texts.queue.group(group.length)}</span>
    </h2>
  );
}

interface SlotProps {
  request: ApprovalRequest;
  answered: boolean;
  place: string;
  selection: boolean;
  onSelect: Selection['set'];
}

/** The place of a card. It stays as high as it was when the card has been answered under the pointer. */
const Slot = memo(function Slot({ request, answered, place, selection, onSelect }: SlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  useEffect(() => {
    const element = box.current;
    if (!element || answered) return;
    const watch = new ResizeObserver(() => (height.current = element.getBoundingClientRect().height));
    watch.observe(element);
    return () => watch.disconnect();
  }, [answered]);
  if (answered) return <AnsweredCard request={request} height={height.current} />;
  return (
    <div ref={box}>
      <ApprovalCard
        request={request}
        place={place}
        selectable={{ on: selection, set: (on) => onSelect(request, on) }}
      />
    </div>
  );
});
