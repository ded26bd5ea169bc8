import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import classes from './virtualList.module.css';

/** A place in the list to go to; each one a new one, also to the same place. */
export interface Jump {
  key: string;
  /** Only scrolls it into view; the focus stays where it is. */
  quiet?: boolean;
}

interface Props<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  render: (item: T) => ReactNode;
  height: number; // of an item, roughly, as long as none of its neighbours has been seen
  gap?: number;
  from?: 'start' | 'end'; // where the reader begins
  jump?: Jump | undefined;
}

/** How many items are added and removed together; more if the list would exceed mostChunks. */
export const chunkSize = 20;
const mostChunks = 1000;

// So far beyond the edges of what scrolls a chunk is there already.
const margin = 700;

/**
 * A long list of which only what is near the screen exists; for the rest stands
 * a gap as high as it was. The element that scrolls is marked with
 * data-scroller. A search by the browser finds only what exists.
 */
export function VirtualList<T>({ items, keyOf, render, height, gap = 0, from = 'start', jump }: Props<T>) {
  const list = useRef<HTMLDivElement>(null);
  const chunk = Math.max(chunkSize, Math.ceil(items.length / mostChunks));
  const count = Math.ceil(items.length / chunk);
  const [near, setNear] = useState<ReadonlySet<number>>(() => first(count, from));
  const heights = useRef(new Map<number, number>());
  useNear(list, count, heights.current, setNear);
  useJump(list, items, keyOf, jump, chunk, setNear);
  const last = count - 1;
  return (
    <div className={classes.list} ref={list} style={{ gap }}>
      {Array.from({ length: count }, (_, i) => {
        const part = items.slice(i * chunk, (i + 1) * chunk);
        const there = near.has(i) || (from === 'end' && i === last);
        // What comes by scrolling is no news, only what comes at the end.
        const live = i === last ? {} : { 'aria-live': 'off' as const };
        if (there) {
          return (
            <div key={i} className={classes.chunk} data-chunk={i} style={{ gap }} {...live}>
              {part.map((item) => (
                <div key={keyOf(item)} className={classes.item} data-item={keyOf(item)} tabIndex={-1}>
                  {render(item)}
                </div>
              ))}
            </div>
          );
        }
        const high = heights.current.get(i) ?? part.length * (height + gap) - gap;
        return <div key={i} data-chunk={i} style={{ height: high }} {...live} />;
      })}
    </div>
  );
}

function first(count: number, from: 'start' | 'end'): ReadonlySet<number> {
  return new Set(from === 'end' ? [count - 2, count - 1] : [0, 1]);
}

type SetNear = (change: (near: ReadonlySet<number>) => ReadonlySet<number>) => void;

/** Watches which chunks are near. One that has the focus stays. */
function useNear(
  list: React.RefObject<HTMLElement | null>,
  count: number,
  heights: Map<number, number>,
  setNear: SetNear,
): void {
  useEffect(() => {
    const root = list.current?.closest('[data-scroller]');
    if (!list.current || typeof IntersectionObserver === 'undefined') return;
    const seen = (entries: IntersectionObserverEntry[]) => {
      setNear((near) => {
        const next = new Set(near);
        for (const { target, isIntersecting, boundingClientRect } of entries) {
          const i = Number((target as HTMLElement).dataset['chunk']);
          const hidden = boundingClientRect.height === 0; // an ancestor is hidden
          if (isIntersecting) next.add(i);
          else if (next.has(i) && !hidden && !target.contains(document.activeElement)) {
            heights.set(i, boundingClientRect.height);
            next.delete(i);
          }
        }
        return same(near, next) ? near : next;
      });
    };
    const observer = new IntersectionObserver(seen, { root: root ?? null, rootMargin: `${margin}px 0px` });
    for (const chunk of list.current.children) observer.observe(chunk);
    return () => observer.disconnect();
  }, [count, heights, setNear, list]);
}

function same(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((i) => b.has(i));
}

/** Brings an item onto the screen and, unless the jump is quiet, the focus to it. */
function useJump<T>(
  list: React.RefObject<HTMLElement | null>,
  items: readonly T[],
  keyOf: (item: T) => string,
  jump: Jump | undefined,
  chunk: number,
  setNear: SetNear,
): void {
  const done = useRef<Jump>(undefined);
  useLayoutEffect(() => {
    if (!jump || done.current === jump) return;
    const at = items.findIndex((item) => keyOf(item) === jump.key);
    if (at < 0) return;
    const all = list.current?.querySelectorAll<HTMLElement>('[data-item]') ?? [];
    const item = [...all].find((one) => one.dataset['item'] === jump.key);
    if (!item) {
      setNear((near) => new Set([...near, Math.floor(at / chunk)]));
      return;
    }
    done.current = jump;
    if (jump.quiet) {
      bringNear(item);
      return;
    }
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: 'start' });
  });
}

/** Scrolls only the list, so that an item out of view ends up in its upper half. */
function bringNear(item: HTMLElement): void {
  const scroller = item.closest('[data-scroller]');
  if (!scroller) return;
  const frame = scroller.getBoundingClientRect();
  const { top, bottom } = item.getBoundingClientRect();
  if (top >= frame.top && bottom <= frame.bottom) return;
  scroller.scrollTop += top - frame.top - frame.height / 3;
}
