import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { riskRank } from '../request/risk';
import type { ApprovalRequest } from '../wire/wire';

interface Options {
  /** Something that restarts the order when it changes, such as a filter. */
  about?: string;
}

// A pointer may rest on the page for days: of what was answered under it, so many stay at most.
const mostAnswered = 40;

/**
 * The cards in the order that is wanted, without moving one that somebody is
 * about to answer: while the pointer is over them, or something in it has the
 * focus, those that stand there keep their places, also when they have been
 * answered, and new ones come in below.
 */
export function useSteadyOrder(wanted: readonly ApprovalRequest[], options: Options = {}) {
  const { about = '' } = options;
  const box = useRef<HTMLDivElement>(null);
  const stood = useRef<{ about: string; list: readonly ApprovalRequest[] }>({ about, list: [] });
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [, setSorts] = useState(0);

  const waiting = new Map(wanted.map((card) => [card.approvalId, card]));
  const held = pointed || focused;
  const before = held && stood.current.about === about ? stood.current.list : [];
  const order = thinned(steady(wanted, before, waiting), waiting);
  const answered = new Set(order.map((c) => c.approvalId).filter((id) => !waiting.has(id)));

  useLayoutEffect(() => {
    stood.current = { about, list: order };
  });
  // What had the focus may have gone with its card, which tells nobody.
  useEffect(() => {
    if (focused && !box.current?.contains(document.activeElement)) setFocused(false);
  });

  return {
    /** In it stand also those that have been answered while it was held. */
    order,
    answered,
    /** How many came in below cards that are less risky than they are. */
    below: before.length > 0 ? countBelow(order, wanted, answered) : 0,
    sort: () => {
      stood.current = { about, list: [] };
      setSorts((n) => n + 1);
    },
    /** For the element around the cards and what sorts them. */
    area: {
      ref: box,
      onPointerEnter: (e: React.PointerEvent) => setPointed(e.pointerType !== 'touch'),
      onPointerLeave: () => setPointed(false),
      onFocus: () => setFocused(true),
      onBlur: (e: React.FocusEvent) => setFocused(e.currentTarget.contains(e.relatedTarget)),
    },
  };
}

export type SteadyOrder = ReturnType<typeof useSteadyOrder>;

type Waiting = ReadonlyMap<string, ApprovalRequest>;

function steady(
  wanted: readonly ApprovalRequest[],
  stood: readonly ApprovalRequest[],
  waiting: Waiting,
): ApprovalRequest[] {
  const known = new Set(stood.map((c) => c.approvalId));
  const kept = stood.map((card) => waiting.get(card.approvalId) ?? card);
  return [...kept, ...wanted.filter((c) => !known.has(c.approvalId))];
}

// What was answered first goes first, many at once, so that the others move seldom.
function thinned(order: ApprovalRequest[], waiting: Waiting): ApprovalRequest[] {
  const answered = order.filter((c) => !waiting.has(c.approvalId));
  if (answered.length <= mostAnswered) return order;
  const old = new Set(answered.slice(0, -mostAnswered / 2));
  return order.filter((c) => !old.has(c));
}

// Which came in late: they would stand above a card that is less risky.
function countBelow(
  order: readonly ApprovalRequest[],
  wanted: readonly ApprovalRequest[],
  answered: ReadonlySet<string>,
): number {
  const places = new Map(wanted.map((card, i) => [card.approvalId, i]));
  const lowest = new Map<number, number>(); // by rank: the last place that one above should have
  let below = 0;
  for (const card of order) {
    if (answered.has(card.approvalId)) continue;
    const place = places.get(card.approvalId)!;
    const rank = riskRank(card);
    if ([...lowest].some(([above, last]) => above < rank && last > place)) below++;
    lowest.set(rank, Math.max(place, lowest.get(rank) ?? -1));
  }
  return below;
}
