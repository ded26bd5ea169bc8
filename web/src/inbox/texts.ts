import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

/** One request at a time. */
const focus = {
  region: (n: number, of: number) => `Request ${n} of ${of}`,
  place: (n: number, of: number) => `${n.toLocaleString('en')} of ${of.toLocaleString('en')}`,
  list: 'All that wait',
  previous: 'Previous',
  next: 'Next',
  skip: 'Not now',
  skipNote: 'Leaves it waiting and goes on',
  queue: 'What waits',
  skipped: 'put aside',
  answered: 'answered',
  goOn: 'Go on to the next',
  back: 'Back to the list',
  notWaiting: 'This request does not wait any more',
  notWaitingBody: 'It was answered, or it is not known here.',
  loading: 'Looking for the request…',
};

const inbox = {
  title: 'Waiting for a decision',
  count: (n: number) => plural(n, 'request waits', 'requests wait'),
  empty: 'Nothing is waiting',
  emptyBody:
    'When an agent wants to do something risky, it waits here until somebody decides. If nobody does, the answer is no.',
  sorted: 'highest risk first, the calls of one reply in the agent’s order',
  unsorted: (n: number) => `${plural(n, 'riskier request', 'riskier requests')} came in below: sort again`,
};

export const texts = { ...shared, focus, inbox };
