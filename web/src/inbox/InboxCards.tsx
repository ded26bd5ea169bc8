import { memo, useEffect, useRef } from 'react';
import { askerOf } from '../request/asking';
import { groupOf } from './queue';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { ApprovalCard } from '../card/ApprovalCard';
import { GoneCard } from './GoneCard';
import classes from './inbox.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';
import shell from '../shell/shell.module.css';
import type { Ticked } from './useTicked';

/** So many cards stand in the page at once, however many wait. */
export const pageSize = 20;

interface Props {
  cards: readonly ApprovalRequest[];
  gone: ReadonlySet<string>;
  place: string;
  ticked: Ticked;
}

/** A page of cards, those that are alike under one heading. */
export function InboxCards({ cards, gone, place, ticked }: Props) {
  const groups = inRuns(cards);
  return (
    <div className={classes.groups}>
      {groups.map((group) => (
        <section key={group[0]!.approvalId} className={classes.group} aria-label={labelOf(group[0]!)}>
          <GroupHead group={group} />
          <div className={shell.cards}>
            {group.map((request) => (
              <Slot
                key={request.approvalId}
                request={request}
                gone={gone.has(request.approvalId)}
                place={place}
                ticked={ticked.has(request)}
                onTick={ticked.set}
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
    const key = groupOf(card);
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
      <a className={classes.groupSession} href={href({ view: 'session', sessionId: first.sessionId })}>
        <Revealed text={entry ? sessionTitle(entry) : first.sessionId} mode="prose" />
      </a>
      <span className={classes.groupTool}>
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
  gone: boolean;
  place: string;
  ticked: boolean;
  onTick: Ticked['set'];
}

/** The place of a card. It stays as high as it was when the card has been answered under the pointer. */
const Slot = memo(function Slot({ request, gone, place, ticked, onTick }: SlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  useEffect(() => {
    const element = box.current;
    if (!element || gone) return;
    const watch = new ResizeObserver(() => (height.current = element.getBoundingClientRect().height));
    watch.observe(element);
    return () => watch.disconnect();
  }, [gone]);
  if (gone) return <GoneCard request={request} height={height.current} />;
  return (
    <div ref={box}>
      <ApprovalCard request={request} place={place} tick={{ on: ticked, set: (on) => onTick(request, on) }} />
    </div>
  );
});
