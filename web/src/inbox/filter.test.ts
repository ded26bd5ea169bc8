import { describe, expect, it } from 'vitest';
import { sortAndGroup, filterChoices, noFilter, groupKey, matches, shapeOf } from './filter';
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
    expect(ids(sortAndGroup(list))).toEqual(['high', 'soon', 'late', 'never']);
  });

  it('what is alike stands together, where its riskiest stands', () => {
    const list = [
      asks('a-low', { sessionId: 'a', ...risk('low') }),
      asks('b-medium', { sessionId: 'b', ...risk('medium') }),
      asks('a-high', { sessionId: 'a', ...risk('high') }),
      asks('a-other', { sessionId: 'a', toolName: 'write_file', ...risk('medium') }),
    ];
    expect(ids(sortAndGroup(list))).toEqual(['a-high', 'a-low', 'a-other', 'b-medium']);
  });

  it('the calls of a reply stand in the order in which the agent made them, where the riskiest of them stands', () => {
    const call = (id: string, position: number, level: RiskLevel, sessionId = 'a') =>
      asks(id, { sessionId, position, ...risk(level) });
    const list = [
      call('other', 1, 'medium', 'b'),
      call('third', 3, 'low'),
      call('second', 2, 'critical'),
      call('eleventh', 11, 'low'),
      { ...call('first', 1, 'low'), requestedAt: '2026-11-27T12:00:09Z' }, // asked again
    ];
    expect(ids(sortAndGroup(list))).toEqual(['first', 'second', 'third', 'eleventh', 'other']);
  });

  it('is alike by agent, tool and the form of its arguments, not by what is in them', () => {
    expect(groupKey(asks('1', { args: { a: 1, b: 'x' } }))).toBe(
      groupKey(asks('2', { args: { b: 'y', a: 2 } })),
    );
    expect(groupKey(asks('1', { args: { a: 1 } }))).not.toBe(groupKey(asks('2', { args: { a: '1' } })));
    expect(groupKey(asks('1'))).not.toBe(groupKey(asks('2', { agentId: 'other' })));
    expect(shapeOf({ a: { b: [1] } })).toBe(shapeOf({ a: { b: ['x', 'y'] } }));
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
    [{ tool: 'shell', type: 'tool_confirmation' }, true],
    [{ type: 'elicitation' }, false],
    [{ words: 'UNAME nightly' }, true],
    [{ words: 'shell' }, true],
    [{ words: 'uname windows' }, false],
  ])('by %j: %s', (over, passed) => {
    expect(found(over)).toBe(passed);
  });

  it('offers what there is', () => {
    expect(filterChoices([shell, asks('2', { toolName: 'read_file' })])).toEqual({
      agents: ['demo'],
      tools: ['read_file', 'shell'],
    });
  });
});
