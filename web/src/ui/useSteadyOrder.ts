import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { byRisk, riskRank } from '../risk';
import type { ApprovalRequest } from '../wire';

/**
 * The cards by risk, without moving one that somebody is about to answer:
 * while the pointer is over them, or something in it has the focus, those
 * that stand there keep their order and new ones come in below.
 */
export function useSteadyOrder(cards: readonly ApprovalRequest[]) {
  const box = useRef<HTMLDivElement>(null);
  const stood = useRef<string[]>([]);
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [, setSorts] = useState(0);

  const wanted = [...cards].sort(byRisk);
  const held = pointed || focused;
  const order = held ? steady(wanted, stood.current) : wanted;
  const key = order.map((c) => c.approvalId).join();

  useLayoutEffect(() => {
    stood.current = key === '' ? [] : key.split(',');
  }, [key]);
  // What had the focus may have gone with its card, which tells nobody.
  useEffect(() => {
    if (focused && !box.current?.contains(document.activeElement)) setFocused(false);
  }, [key, focused]);

  return {
    order,
    /** How many stand below cards that are less risky than they are. */
    below: order.filter((card, i) => order.slice(0, i).some((above) => riskRank(card) > riskRank(above)))
      .length,
    sort: () => {
      stood.current = [];
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

function steady(wanted: ApprovalRequest[], stood: readonly string[]): ApprovalRequest[] {
  const known = stood.flatMap((id) => wanted.find((c) => c.approvalId === id) ?? []);
  return [...known, ...wanted.filter((c) => !stood.includes(c.approvalId))];
}
