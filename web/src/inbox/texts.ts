import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

/** One request at a time. */
const focus = {
  region: (n: number, of: number) => `Request ${n} of ${of}`,
  place: (n: number, of: number) => `${n.toLocaleString('en')} of ${of.toLocaleString('en')}`,
  list: 'All requests',
  previous: 'Previous',
  next: 'Next',
  skip: 'Skip',
  skipNote: 'Leave it waiting and go to the next',
  queue: 'Queue',
  skipped: 'skipped',
  answered: 'answered',
  goOn: 'Go to the next request',
  back: 'Back to the list',
  notWaiting: 'This request is no longer waiting',
  notWaitingBody: 'It was answered or withdrawn, or you can’t see it.',
  loading: 'Loading the request…',
};

const inbox = {
  title: 'Approvals',
  count: (n: number) => `${plural(n, 'request', 'requests')} waiting`,
  empty: 'Nothing needs you right now',
  emptyBody:
    'When an agent needs approval, its request appears here. If nobody answers in time, the call does not run.',
  sorted: 'highest risk first; calls from one reply stay in the agent’s order',
  unsorted: (n: number) =>
    `${plural(n, 'higher-risk request', 'higher-risk requests')} arrived below. Re-sort`,
};

export const texts = { ...shared, focus, inbox };
