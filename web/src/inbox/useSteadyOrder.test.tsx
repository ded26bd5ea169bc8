import { act, renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { riskRank } from '../request/risk';
import { golden } from '../test/golden';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';
import { useSteadyOrder } from './useSteadyOrder';

const request = golden('approvalRequest', 'approvalRequest').data;
const asks = (id: string, level: RiskLevel = 'low'): ApprovalRequest => ({
  ...request,
  approvalId: id,
  risk: { level },
});

/** The order while the pointer is over the list. */
function show(first: readonly ApprovalRequest[]) {
  const { result, rerender } = renderHook(({ list }) => useSteadyOrder(list), {
    initialProps: { list: first },
  });
  act(() => result.current.area.onPointerEnter({ pointerType: 'mouse' } as React.PointerEvent));
  return { result, want: (list: readonly ApprovalRequest[]) => rerender({ list }) };
}

describe('an order that stands still', () => {
  it('keeps what was answered, but not for ever', () => {
    const { result, want } = show([]);
    let most = 0;
    for (let day = 0; day < 300; day++) {
      want([asks(`day-${day}`), asks('waits')]);
      most = Math.max(most, result.current.order.length);
    }
    expect(most).toBeLessThan(60);
    expect(result.current.answered.size).toBeGreaterThan(10);
    expect(result.current.order.map((c) => c.approvalId)).toContain('waits');
    expect(result.current.order.map((c) => c.approvalId)).toContain('day-298');
    act(() => result.current.sort());
    expect(result.current.answered.size).toBe(0);
  });

  it('counts the riskier ones that stand below what they should stand above', () => {
    const levels: RiskLevel[] = ['low', 'medium', 'high', 'critical'];
    // Any order will do; this one is the same at each run.
    const mixed = Array.from({ length: 60 }, (_, i) => asks(`mixed-${i}`, levels[(i * i + 3 * i) % 4]));
    const first = mixed.filter((_, i) => i % 3 === 0);
    const { result, want } = show(first);
    const wanted = [...mixed].sort((a, b) => riskRank(b) - riskRank(a));
    want(wanted);
    const { order, below } = result.current;
    const late = order.filter((card, i) =>
      order
        .slice(0, i)
        .some((above) => wanted.indexOf(card) < wanted.indexOf(above) && riskRank(card) > riskRank(above)),
    );
    expect(below).toBe(late.length);
    expect(below).toBeGreaterThan(10);
  });

  it('counts none that is as risky as what it stands below', () => {
    const low = [asks('one'), asks('two')];
    const { result, want } = show(low);
    want([asks('as-low'), ...low]);
    expect(result.current.below).toBe(0);
    want([asks('high', 'high'), asks('as-low'), ...low]);
    expect(result.current.below).toBe(1);
  });
});
