import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asCSV } from './csv';
import { emptyQuery, filterHistory } from './filterHistory';
import { golden } from '../test/golden';
import type { Approval, ApprovalResponse } from '../wire/wire';

const request = golden('approvalRequest', 'approvalRequest').data;
const response = golden('approvalResponse-denied', 'approvalResponse').data;

function approval(over: Partial<Approval> = {}, answer: Partial<ApprovalResponse> = {}): Approval {
  return { ...request, status: 'denied', run: 'none', response: { ...response, ...answer }, ...over };
}

/** The cells of the only row, as RFC 4180 has them. */
function cells(a: Approval): Record<string, string> {
  const found = [...asCSV([a]).matchAll(/(?:"((?:[^"]|"")*)"|([^,\r]*))(,|\r\n)/g)];
  const values = found.map((m) => m[1]?.replaceAll('""', '"') ?? m[2] ?? '');
  const names = values.slice(0, values.length / 2);
  return Object.fromEntries(names.map((name, i) => [name, values[names.length + i]!]));
}

describe('the history as CSV', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
    'makes a text of %j, which a spreadsheet would run',
    (words) => {
      expect(cells(approval({}, { message: words }))['message']).toBe(`'${words}`);
    },
  );

  it('keeps commas, quotes and line ends inside their cell', () => {
    const words = 'no, "not"\r\ntoday';
    expect(cells(approval({}, { message: words }))['message']).toBe(words);
  });

  it('has the time to the answer as a number, also a negative one of a clock that was set', () => {
    const at = new Date(Date.parse(request.requestedAt) - 1500).toISOString();
    expect(cells(approval({}, { at }))['seconds']).toBe('-1.5');
  });
});

describe('the history’s filters', () => {
  const chosen = (over: Partial<typeof emptyQuery>, list = [approval()]) =>
    filterHistory(list, { ...emptyQuery, ...over }).length;

  it.each([
    [{ status: 'denied' }, 1],
    [{ status: 'approved' }, 0],
    [{ agent: request.agentId }, 1],
    [{ agent: 'another' }, 0],
    [{ tool: request.toolName!.slice(0, 3).toUpperCase() }, 1],
    [{ person: response.by!.subject }, 1],
    [{ person: 'nobody' }, 0],
    [{ text: String(Object.values(request.args as object)[0]).slice(0, 4) }, 1],
    [{ text: 'not in it' }, 0],
    [{ from: '2000-01-01', to: '2099-01-01' }, 1],
    [{ to: '2000-01-01' }, 0],
  ])('%j leaves %i', (over, n) => {
    expect(chosen(over)).toBe(n);
  });

  it('takes the last day whole', () => {
    const day = new Date(2026, 10, 28, 23, 59, 30);
    const list = [approval({ requestedAt: day.toISOString() })];
    expect(chosen({ from: '2026-11-28', to: '2026-11-28' }, list)).toBe(1);
  });

  describe('where clocks are set', () => {
    const { TZ } = process.env;
    beforeEach(() => void (process.env['TZ'] = 'Europe/Berlin'));
    afterEach(() => {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    });

    it.each([
      ['the last hour of a day of 25', '2026-10-25', '2026-10-25T22:30:00Z', 1],
      ['the first of the day after', '2026-10-25', '2026-10-25T23:00:00Z', 0],
      ['the last hour of a day of 23', '2026-03-29', '2026-03-29T21:30:00Z', 1],
      ['the first of the day after that', '2026-03-29', '2026-03-29T22:30:00Z', 0],
    ])('%s counts as it should', (_, day, requestedAt, n) => {
      expect(chosen({ from: day, to: day }, [approval({ requestedAt })])).toBe(n);
    });
  });
});
