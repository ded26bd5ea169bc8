import { describe, expect, it } from 'vitest';
import {
  filterChoices,
  filterIn,
  inOrder,
  isFiltered,
  matches,
  noFilter,
  queryOf,
  type Filter,
} from './filter';
import { golden } from '../test/golden';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;
const asks = (id: string, over: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  ...request,
  approvalId: id,
  ...over,
});
const risk = (level: RiskLevel) => ({ risk: { level } });
const ids = (list: ApprovalRequest[]) => list.map((r) => r.approvalId);

describe('what waits, in order', () => {
  it('the riskiest first, then what runs out first', () => {
    const soon = { expiresAt: '2026-11-27T12:00:10Z' };
    const late = { expiresAt: '2026-11-27T12:05:00Z' };
    const list = [
      asks('never', { ...risk('low'), expiresAt: undefined }),
      asks('late', { ...risk('low'), ...late }),
      asks('soon', { ...risk('low'), ...soon }),
      asks('high', { ...risk('high'), ...late }),
    ];
    expect(ids(inOrder(list, 'risk'))).toEqual(['high', 'soon', 'late', 'never']);
  });

  it('the calls of one reply keep the agent’s order where their risk is the same', () => {
    const call = (id: string, position: number, level: RiskLevel, sessionId = 'a') =>
      asks(id, { sessionId, position, ...risk(level) });
    const list = [
      { ...call('other', 1, 'medium', 'b'), requestedAt: '2026-11-27T12:00:09Z' },
      call('third', 3, 'low'),
      call('second', 2, 'critical'),
      call('eleventh', 11, 'low'),
      call('first', 1, 'low'),
    ];
    expect(ids(inOrder(list, 'risk'))).toEqual(['second', 'other', 'first', 'third', 'eleventh']);
    expect(ids(inOrder(list, 'oldest'))).toEqual(['first', 'second', 'third', 'eleventh', 'other']);
  });
});

describe('a filter', () => {
  const shell = asks('1', { args: { command: 'uname -a' }, ...risk('high') });
  const found = (over: object) => matches(shell, { ...noFilter, ...over }, 'Nightly build');

  it.each([
    [{ risk: 'high' }, true],
    [{ risk: 'low' }, false],
    [{ agent: 'demo' }, true],
    [{ agent: 'other' }, false],
    [{ tool: 'shell' }, true],
    [{ q: 'UNAME nightly' }, true],
    [{ q: 'shell' }, true],
    [{ q: 'uname windows' }, false],
  ])('by %j: %s', (over, passed) => {
    expect(found(over)).toBe(passed);
  });

  it('offers what there is', () => {
    expect(filterChoices([shell, asks('2', { toolName: 'read_file' })])).toEqual({
      agents: ['demo'],
      tools: ['read_file', 'shell'],
    });
  });

  it.each<Partial<Filter>>([
    {},
    { q: 'a b&c', risk: 'high' },
    { show: 'ending', sort: 'time' },
    { agent: 'x', tool: 'y' },
  ])('survives the round trip through the URL: %j', (over) => {
    const filter = { ...noFilter, ...over };
    expect(filterIn(new URLSearchParams(queryOf(filter).toString()))).toEqual(filter);
    expect(isFiltered(filter)).toBe(Object.keys(over).some((name) => name !== 'sort'));
  });

  it('ignores what it doesn’t know in a URL', () => {
    expect(filterIn(new URLSearchParams('sort=odd&show=odd&other=1'))).toEqual(noFilter);
  });
});
