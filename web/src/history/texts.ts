import type { Approval } from '../wire/wire';
import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const historyPage = {
  title: 'History',
  body: 'Past and waiting requests, newest first.',
  filters: 'Filters',
  any: 'Any',
  programs: 'external (programs)',
  outcome: 'Outcome',
  outcomes: {
    pending: 'Waiting',
    approved: 'Approved by a person',
    allowed_by_grant: 'Allowed by a standing approval',
    allowed_by_rule: 'Allowed by a rule or mode',
    observed: 'Ran while only observed',
    denied: 'Denied by a person',
    denied_by_rule: 'Denied by a rule or mode',
    timed_out: 'Timed out',
    cancelled: 'Withdrawn',
    halted: 'Halted',
    not_asked: 'Nobody could be asked',
    invalid: 'Invalid arguments',
  } satisfies Record<Required<Approval>['outcome'], string>,
  agent: 'Agent',
  tool: 'Tool',
  person: 'Answered by',
  text: 'Search',
  from: 'From',
  to: 'To',
  clear: 'Clear filters',
  more: 'Load older',
  again: 'Refresh',
  found: (n: number, more: boolean, back: string | undefined) =>
    more && back
      ? `${plural(n, 'request', 'requests')} found back to ${back}`
      : plural(n, 'request', 'requests'),
  empty: 'No requests yet',
  emptyBody: 'Every request appears here, including those decided by a rule.',
  noneFits: 'No matches',
  noneFitsBody: 'No request that is kept fits these filters.',
  waiting: 'Waiting for an answer',
  export: 'Export',
  json: 'These requests as JSON lines',
  csv: 'These requests as CSV',
  file: 'lineclear-history',
  risk: 'Risk',
};

export const texts = { ...shared, historyPage };
