import { plural } from './plural';

/** Going through what waits. */
export const queue = {
  oneByOne: 'One at a time',
  filter: 'Search and filter',
  search: 'Search tool, arguments, session',
  risk: 'Risk',
  agent: 'Agent',
  tool: 'Tool',
  type: 'Kind',
  any: { risk: 'Any risk', agent: 'Any agent', tool: 'Any tool', type: 'Any kind' },
  noRisk: 'No risk named',
  types: { tool_confirmation: 'Tool calls', elicitation: 'Questions', custom: 'Other' } as Record<
    string,
    string
  >,
  clear: 'Clear',
  clearAll: 'Show everything that waits',
  filters: (n: number) => (n > 0 ? `Filters (${n})` : 'Filters'),
  filtered: (shown: number, all: number) =>
    `${shown.toLocaleString('en')} of ${plural(all, 'request', 'requests')} shown`,
  none: 'No request matches',
  noneBody: (n: number) =>
    `Your filters hide ${plural(n, 'waiting request', 'waiting requests')}.`,
  group: (n: number) => (n === 1 ? 'one request' : `${n.toLocaleString('en')} alike`),
  groupLabel: (session: string, asker: string, tool: string) =>
    [session, asker, tool].filter(Boolean).join(', '),
  pages: 'Pages',
  page: (from: number, to: number, of: number) => `${from}–${to} of ${of.toLocaleString('en')}`,
  earlier: 'Previous page',
  later: 'Next page',
  tidyShort: 'Close the gaps',
  riskier: (n: number) => `${n.toLocaleString('en')} riskier came in: sort again`,
  goneElsewhere: 'It does not wait any more.',
  tidy: (n: number) => `${plural(n, 'request is', 'requests are')} answered: close the gaps`,
};

/** Several at once. */
export const batch = {
  select: 'Choose for answering together',
  bar: (n: number) => `${plural(n, 'request', 'requests')} chosen`,
  approve: 'Approve together…',
  deny: 'Deny together…',
  clear: 'Choose none',
  approveTitle: 'Approve together',
  denyTitle: 'Deny together',
  body: 'These, as you have seen them, and no others: what comes later or changes is not part of it.',
  list: 'What is answered',
  careful: 'Too risky to be approved with others: approve it on its card.',
  gone: 'Answered meanwhile: not part of this.',
  approveAll: (n: number) => `Approve these ${n}`,
  approveOne: 'Approve this one',
  denyAll: (n: number) => `Deny these ${n}`,
  denyOne: 'Deny this one',
  nothing: 'None of these can be answered together.',
  reason: 'Reason for denying (optional)',
  cancel: 'Back',
  close: 'Close',
  sending: 'Sending…',
  failed: (why: string) => `Not taken: ${why}`,
};
