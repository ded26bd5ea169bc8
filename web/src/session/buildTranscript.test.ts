import { describe, expect, it } from 'vitest';
import { golden } from '../test/golden';
import { buildTranscript, Transcript } from './buildTranscript';
import type { SessionEvent } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;
const names = [
  'created',
  'user',
  'turn-started',
  'assistant',
  'requested',
  'resolved',
  'tool-result',
  'turn-finished',
  'ended',
];
const journal: SessionEvent[] = names.map((n) => golden(`sessionEvent-${n}`, 'sessionEvent').data);

/** The same journal again behind it, about other calls. */
function longer(events: SessionEvent[]): SessionEvent[] {
  const text = JSON.stringify(events)
    .replaceAll(request.approvalId, 'another')
    .replaceAll(request.toolCallId!, 'c2');
  const more = JSON.parse(text) as SessionEvent[];
  return [...events, ...more.map((e) => ({ ...e, seq: e.seq + events.length }))];
}

describe('a transcript of a journal that grows', () => {
  it('is at each step what it would be from the beginning', () => {
    const all = longer(journal);
    const reading = new Transcript();
    for (let n = 0; n <= all.length; n++) {
      const events = all.slice(0, n);
      expect(reading.of(events, [])).toEqual(buildTranscript(events, []));
    }
  });

  it('has a request that waits also before the journal has it, and once', () => {
    const reading = new Transcript();
    for (let n = 0; n <= journal.length; n++) {
      const events = journal.slice(0, n);
      expect(reading.of(events, [request])).toEqual(buildTranscript(events, [request]));
    }
  });

  it('starts over with another journal', () => {
    const reading = new Transcript();
    reading.of(longer(journal), []);
    const other = journal.map((e) => ({ ...e }));
    expect(reading.of(other, [])).toEqual(buildTranscript(other, []));
    expect(reading.of([], [])).toEqual([]);
  });

  it('keeps the items that have not changed, and gives those that have as others', () => {
    const reading = new Transcript();
    const all = longer(journal);
    const at = (n: number) => reading.of(all.slice(0, n), []).filter((i) => i.kind === 'call');
    const [asked] = at(5);
    const [answered] = at(6);
    expect(answered).not.toBe(asked);
    expect(asked!.rounds[0]!.response).toBeUndefined();
    const [whole] = at(9);
    expect(at(16)[0]).toBe(whole);
    expect(at(16)[1]).not.toBe(at(15)[1]);
  });
});
