import { approvers } from './approvers';
import { card } from './card';
import { decision } from './decision';
import { attention } from './attention';
import { grants } from './grants';
import { batch, queue } from './inbox';
import { notByLink } from './login';
import { draft, mode } from './mode';
import { connection, home, nav } from './shell';
import { pages } from './pages';
import { rule } from './rule';
import { clientTools, diff, program, question, server, tree } from './requests';
import { call, composer, session } from './session';
import { durations, formatDuration, roughDuration } from './durations';

// The words that a person reads, by where they stand: those that several folders
// use. A folder's own words are in its texts.ts, which adds these.
export const texts = {
  app: 'Lineclear',
  title: (waiting: number) => (waiting > 0 ? `(${waiting}) Lineclear` : 'Lineclear'),
  roughDuration,
  connection,
  nav,
  notByLink,
  home,
  draft,
  session,
  call,
  composer,
  pages,
  approvers,
  formatDuration,
  durations,
  rule,
  queue,
  batch,
  attention,
  card,
  question,
  diff,
  tree,
  program,
  server,
  grants,
  mode,
  decision,
  clientTools,
};
