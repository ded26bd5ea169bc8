import { formatDuration } from '../words/durations';
import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const gatewaysPage = {
  title: 'Gateways',
  body: 'The gateways of this cluster, longest at work first.',
  noRight: 'Only people who may see all agents can see the gateways.',
  alone: 'This gateway is the only one',
  aloneBody: 'Gateways that share a database are a cluster, and are listed here.',
  gateway: 'Gateway',
  here: 'answers this page',
  differs: 'Its file differs: it runs nothing for',
  counts: 'counts',
  state: 'State',
  states: { works: 'Works', stands_by: 'Stands by', gone: 'Gone' } as Record<string, string>,
  since: 'Since',
  sessions: 'Open sessions',
  behind: 'Behind',
  commits: (n: number) => (n === 0 ? 'up to date' : plural(n, 'commit', 'commits')),
  sign: 'Last sign of life',
  silent: (seconds: number) => (seconds < 3 ? 'now' : `${formatDuration(seconds)} ago`),
  version: 'Version',
  none: '–',
};

export const texts = { ...shared, gatewaysPage };
