import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

/** One request, and what became of it. */
const focus = {
  region: 'Request',
  place: (n: number, of: number) => `${n.toLocaleString('en')} of ${of.toLocaleString('en')}`,
  previous: 'Previous request',
  next: 'Next request',
  copy: 'Copy link',
  copied: 'Link copied',
  skipped: 'Later',
  session: 'Open session',
  tryAgain: 'Ask the agent to try again',
  tryAgainWords: (call: string) =>
    `Nobody answered in time, so this call did not run: ${call}. If you still need it, make it again.`,
  goOn: (waiting: number) => `Next request (${waiting.toLocaleString('en')} waiting)`,
  back: 'Back to Approvals',
  unknown: 'There is no such request',
  unknownBody: 'The link may be incomplete, or the request belongs to an agent that you can’t see.',
  loading: 'Loading the request…',
  ranFor: (took: string) => `Ran ${took}`,
  exit: (code: number) => `exit ${code}`,
  failed: 'failed',
  unreported: 'Its program has not reported a result',
  omitted: (bytes: number) => `${plural(bytes, 'more byte', 'more bytes')} in the session`,
  notReported: 'Its program has not reported that it started.',
  runs: {
    none: 'It has not run yet.',
    claimed: 'Running',
    finished: 'Ran',
    void: 'It did not run.',
  },
};

const inbox = {
  title: 'Approvals',
  listLabel: 'Waiting requests',
  count: (n: number) => `${plural(n, 'request', 'requests')} waiting`,
  empty: 'Nothing needs you right now',
  emptyBody: (agents: number) =>
    agents > 0
      ? `${plural(agents, 'agent is', 'agents are')} working. New requests appear here automatically.`
      : 'When an agent needs approval, its request appears here. If nobody answers in time, the call does not run.',
  quick: 'Quick filters',
  all: 'All',
  ending: 'Expires within 2 min',
  skipped: 'Later',
  order: 'Order',
  orders: {
    risk: 'Highest risk first, then least time left',
    time: 'Least time left first',
    oldest: 'Oldest first',
    newest: 'Newest first',
  },
  groups: { critical: 'Critical', high: 'High', medium: 'Medium', low: 'Low' } as Record<string, string>,
  selectAll: (n: number) => `Select ${n}`,
  oneByOne: 'Critical requests are answered one by one',
};

export const texts = { ...shared, focus, inbox };
