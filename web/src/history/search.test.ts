import { describe, expect, it } from 'vitest';
import { asked, everything, queryOf, searchIn, type HistorySearch } from './search';

describe('a search in History', () => {
  it.each<Partial<HistorySearch>>([
    {},
    { q: 'rm -rf & more', outcome: 'timed_out' },
    {
      agentId: 'demo',
      toolName: 'shell',
      risk: 'high',
      answeredBy: 'ada',
      from: '2026-11-01',
      to: '2026-11-02',
    },
  ])('survives the round trip through the URL: %j', (over) => {
    const search = { ...everything, ...over };
    expect(searchIn(new URLSearchParams(queryOf(search).toString()))).toEqual(search);
  });

  it('is sent without empty filters, with days as instants, the last day included', () => {
    const at = (text: string) => new Date(`${text}T00:00:00`).toISOString();
    expect(asked({ ...everything, q: ' uname ', from: '2026-11-01', to: '2026-11-30' })).toEqual({
      q: 'uname',
      since: at('2026-11-01'),
      until: at('2026-12-01'),
    });
  });

  it('leaves out an invalid day', () => {
    expect(asked({ ...everything, from: '2026-13-45' })).toEqual({});
  });
});
