import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { SessionEntry } from '../store/state';
import { texts } from './texts';
import classes from './session.module.css';
import frame from '../ui/page.module.css';

interface Props {
  entry: SessionEntry;
  waiting: number;
  children: React.ReactNode;
}

/** Stays at the newest line while the reader is there, and leaves them alone when they read back. */
export function Scroller({ entry, waiting, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [above, setAbove] = useState(false); // whether the whole first waiting card is above
  const stays = useRef(true); // as atEnd, before it is drawn: what grows in the same frame must not scroll back
  const heldAt = useRef<number>(undefined); // the top of a card that is higher than the screen
  const reading = useRef(false); // the reader has opened something: only what arrives may move the page
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  useEffect(() => {
    const b = box.current;
    reading.current = false;
    if (!stays.current || !b) return;
    toEnd();
    heldAt.current = topOfCards(b);
    if (heldAt.current !== undefined) b.scrollTo({ top: heldAt.current });
    // Only what arrives moves the page; a reader who opens a fold stays where they are.
  }, [entry.session.sessionId, entry.events.length, entry.partials, entry.outbox.length, waiting]);
  const onScroll = () => {
    const b = box.current;
    if (!b) return;
    const held = heldAt.current !== undefined && Math.abs(b.scrollTop - heldAt.current) < 2;
    const end = b.scrollHeight - b.scrollTop - b.clientHeight < 80;
    stays.current = held || end;
    setAtEnd(end);
    const card = b.querySelector('article');
    setAbove(card !== null && card.getBoundingClientRect().bottom < b.getBoundingClientRect().top);
  };
  useGrowth(
    box,
    () => {
      if (stays.current && !reading.current && heldAt.current === undefined) toEnd();
    },
    // What stood at the end stands still when room is taken from below it; who has read back may see all of it now.
    () => !stays.current && onScroll(),
  );
  const onTouched = () => (reading.current = true);
  return (
    <div className={frame.scrollFrame}>
      {/* Focusable, so that the keyboard can scroll it. */}
      <div
        className={frame.scroll}
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label={texts.session.log}
        data-scroller
      >
        <div
          className={frame.column}
          onPointerDownCapture={onTouched}
          onKeyDownCapture={onTouched}
          onFocusCapture={onTouched}
        >
          {children}
        </div>
      </div>
      <div className={classes.newest}>
        {above && waiting > 0 && (
          <Button
            size="compact-sm"
            radius="xl"
            variant="default"
            onClick={() => box.current?.querySelector('article')?.scrollIntoView({ block: 'start' })}
          >
            {texts.session.waitsAbove(waiting)}
          </Button>
        )}
        {!atEnd && (
          <Button
            size="compact-sm"
            radius="xl"
            variant="default"
            onClick={() => {
              reading.current = false;
              toEnd();
            }}
          >
            {texts.session.newer}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Words that get their form late, and chunks that come in, change the height without anything having arrived. */
function useGrowth(box: RefObject<HTMLElement | null>, grown: () => void, resized: () => void): void {
  const newest = useRef({ grown, resized });
  newest.current = { grown, resized };
  useEffect(() => {
    const inside = box.current?.firstElementChild;
    if (!inside) return;
    const content = new ResizeObserver(() => newest.current.grown());
    const frame = new ResizeObserver(() => newest.current.resized());
    content.observe(inside);
    frame.observe(box.current!);
    return () => {
      content.disconnect();
      frame.disconnect();
    };
  }, [box]);
}

// A request has to be seen before its buttons: if the waiting cards don't fit, they are
// shown from the top of the first.
function topOfCards(box: HTMLElement): number | undefined {
  const card = box.querySelector('article');
  if (!card) return undefined;
  const top = Math.round(
    box.scrollTop + card.getBoundingClientRect().top - box.getBoundingClientRect().top - 12,
  );
  return box.scrollHeight - top > box.clientHeight ? top : undefined;
}
