import { plural } from './plural';

/** The list of waiting requests. */
export const queue = {
  filter: 'Search and filter',
  search: 'Search requests',
  risk: 'Risk',
  agent: 'Agent',
  tool: 'Tool',
  any: { risk: 'Any risk', agent: 'Any agent', tool: 'Any tool' },
  noRisk: 'No risk given',
  questions: 'Questions',
  clearAll: 'Show all requests',
  filtered: (shown: number, all: number) =>
    `${shown.toLocaleString('en')} of ${plural(all, 'request', 'requests')} shown`,
  none: 'No matches',
  noneBody: (n: number) => `Your filters hide ${plural(n, 'request', 'requests')}.`,
  riskier: (n: number) => `${plural(n, 'higher-risk request', 'higher-risk requests')} arrived. Re-sort`,
  goneElsewhere: 'No longer waiting',
  tidy: (n: number) => `Hide ${plural(n, 'closed request', 'closed requests')}`,
};

/** Several at once. */
export const batch = {
  select: 'Select',
  bar: (n: number) => `${n.toLocaleString('en')} selected`,
  approve: (n: number) => `Approve ${n} reviewed…`,
  deny: (n: number) => `Deny ${n}…`,
  review: 'Review one by one',
  clear: 'Clear selection',
  approveTitle: 'Approve selected requests',
  denyTitle: 'Deny selected requests',
  body: 'Your answer covers only these requests, as you have seen them. Requests that arrive later or change are not included.',
  list: 'Selected requests',
  careful: 'Too risky to approve with others. Approve it on its own card.',
  gone: 'Already answered, so it is not included.',
  approveAll: (n: number) => `Approve these ${n}`,
  approveOne: 'Approve this one',
  denyAll: (n: number) => `Deny these ${n}`,
  denyOne: 'Deny this one',
  nothing: 'None of these can be answered here.',
  reason: 'Reason for denying (optional)',
  cancel: 'Back',
  close: 'Close',
  sending: 'Sending…',
  failed: (why: string) => `Not accepted: ${why}`,
};
