import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { timelineEntries } from './timelineEntries';
import { callDuration, buildTranscript } from './buildTranscript';
import type { ApprovalResponse, Grant, SessionEvent } from '../wire/wire';

const names = ['assistant', 'requested', 'resolved', 'tool-result'] as const;
const [assistant, requested, resolved, result] = names.map(
  (n) => golden(`sessionEvent-${n}`, 'sessionEvent').data,
);

function journal(over: Partial<ApprovalResponse> = {}): SessionEvent[] {
  const at = (s: number) => new Date(Date.parse('2026-11-27T12:00:00Z') + s * 1000).toISOString();
  const request = { ...(requested!.data as object), requestedAt: at(1) };
  const response = { ...(resolved!.data as ApprovalResponse), at: at(13), ...over };
  return [
    { ...assistant!, at: at(0) },
    { ...requested!, at: at(1), data: request },
    { ...resolved!, at: at(13), data: response },
    { ...result!, at: at(13.4) },
  ].map((e, i) => ({ ...e, seq: i + 1 })) as SessionEvent[];
}

describe('what happened when', () => {
  it('tells who answered after how long, and how long the call ran from then on', () => {
    const told = timelineEntries(journal(), 'demo').map((m) => m.text);
    expect(told.at(-3)).toMatch(/^Asked: /);
    expect(told.at(-2)).toMatch(/^Approved by ada.*, after 12 s$/);
    expect(told.at(-1)).toMatch(/^Result from .*, took 0\.4 s$/);
  });

  it('does not charge a rule’s answer with a person’s time, and says that what was denied did not run', () => {
    const denied = { status: 'denied', reason: 'policy_denied', by: { subject: '', via: 'policy' } } as const;
    const told = timelineEntries(journal(denied), 'demo');
    expect(told.at(-2)!.text).not.toContain('after');
    expect(told.at(-1)!.text).toMatch(/did not run$/);
  });

  it('names each call that is asked about, and each that may run again', () => {
    const request = { ...(requested!.data as object), toolName: 'shell', args: { command: 'go vet ./a' } };
    const given = golden('sessionEvent-grant-given', 'sessionEvent').data;
    const grant = {
      ...(given.data as Grant),
      covers: { kind: 'exact' as const, text: 'exactly this call' },
      args: { command: 'go vet ./a' },
    };
    const events = [
      { ...requested!, data: request },
      { ...given, data: grant },
      { ...given, type: 'grant.ended' as const, data: grant },
    ].map((e, i) => ({ ...e, seq: i + 1 })) as SessionEvent[];
    expect(timelineEntries(events, 'demo').map((m) => m.text)).toEqual([
      'Asked: go vet ./a',
      'Standing approval: go vet ./a',
      'Standing approval ended: go vet ./a',
    ]);
  });

  it('leads to an item that the conversation has', () => {
    const events = journal();
    const keys = new Set(buildTranscript(events, []).map((i) => i.key));
    const items = timelineEntries(events, 'demo').flatMap((m) => m.item ?? []);
    expect(items.length).toBeGreaterThan(2);
    for (const item of items) expect(keys).toContain(item);
  });
});

describe('how long a call ran', () => {
  it('is from the answer to the result, and not the time that a person took', () => {
    const call = buildTranscript(journal(), []).find((i) => i.kind === 'call')!;
    expect(call.kind === 'call' && callDuration(call)).toBe('0.4 s');
  });

  it('is from the call where nobody was asked', () => {
    const [said, , , gave] = journal();
    const call = buildTranscript([said!, gave!], []).find((i) => i.kind === 'call' && i.result)!;
    expect(call.kind === 'call' && callDuration(call)).toBe('13 s');
  });
});
