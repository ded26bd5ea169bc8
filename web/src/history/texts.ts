import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const historyPage = {
  title: 'History',
  body: 'Past and waiting requests, newest first.',
  filters: 'Filters',
  status: 'Status',
  statuses: {
    '': 'Any',
    pending: 'Waiting',
    approved: 'Approved',
    denied: 'Denied',
    cancelled: 'Cancelled',
  } as Record<string, string>,
  agent: 'Agent',
  anyAgent: 'Any',
  tool: 'Tool',
  person: 'Person',
  text: 'Search',
  from: 'From',
  to: 'To',
  clear: 'Clear filters',
  more: 'Load older',
  again: 'Refresh',
  shown: (shown: number, of: number, whole: boolean) =>
    shown === of
      ? `${plural(of, 'request', 'requests')}${whole ? '' : ', the newest'}`
      : `${shown.toLocaleString('en')} of ${whole ? 'all' : 'the newest'} ${plural(of, 'request', 'requests')}`,
  back: (at: string) => `since ${at}`,
  empty: 'No requests yet',
  emptyBody: 'Every request appears here, including those decided by a rule.',
  noneFits: 'No matches',
  noneFitsBody: 'Change the filters, or load older requests.',
  waiting: 'Waiting for an answer',
  question: 'Question',
  export: 'Export',
  json: 'Shown requests as JSON',
  csv: 'Shown requests as CSV',
  file: 'lineclear-history',
  session: 'Open session',
  rule: 'Decided by',
  trace: 'Decision trace',
  arguments: 'Arguments',
  risk: 'Risk',
  requested: (at: string) => `Requested ${at}`,
};

export const texts = { ...shared, historyPage };
