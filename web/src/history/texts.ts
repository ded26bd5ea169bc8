import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const historyPage = {
  title: 'History',
  body: 'What was asked and what became of it, newest first.',
  filters: 'Which requests to show',
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
  text: 'Text',
  from: 'From',
  to: 'To',
  clear: 'Show all',
  more: 'Look further back',
  again: 'Look again',
  shown: (shown: number, of: number, whole: boolean) =>
    shown === of
      ? `${plural(of, 'request', 'requests')}${whole ? '' : ', the newest'}`
      : `${shown.toLocaleString('en')} of ${whole ? 'all' : 'the newest'} ${plural(of, 'request', 'requests')}`,
  back: (at: string) => `back to ${at}`,
  empty: 'Nothing was asked yet',
  emptyBody: 'Every gated call comes to stand here, also those that a rule decides.',
  noneFits: 'None of these fits',
  noneFitsBody: 'Change what is to be shown, or look further back.',
  waiting: 'Waiting for an answer',
  question: 'Question',
  export: 'Export',
  json: 'What is shown, as JSON',
  csv: 'What is shown, as CSV',
  file: 'lineclear-history',
  session: 'Open the session',
  rule: 'Rule',
  trace: 'How it came to be asked',
  arguments: 'Arguments',
  risk: 'Risk',
  requested: (at: string) => `Asked ${at}`,
};

export const texts = { ...shared, historyPage };
