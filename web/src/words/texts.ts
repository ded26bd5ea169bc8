import { approvers } from './access';
import { card } from './card';
import { decision } from './decision';
import { attention } from './attention';
import { grants } from './grants';
import { batch, queue } from './inbox';
import { draft, mode } from './mode';
import { connection, home, nav } from './page';
import { pages } from './pages';
import { plural } from './plural';
import { clientTools, diff, program, question, server } from './asking';
import { call, composer, session } from './session';
import { times, took } from './talk';

// Every word that a person reads, by where it stands.
export const texts = {
  app: 'Lineclear',
  title: (waiting: number) => (waiting > 0 ? `(${waiting}) Lineclear` : 'Lineclear'),
  duration: (seconds: number) => {
    if (seconds < 120) return plural(seconds, 'second', 'seconds');
    if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute', 'minutes');
    return plural(Math.round(seconds / 3600), 'hour', 'hours');
  },
  connection,
  nav,
  home,
  draft,
  session,
  call,
  composer,
  pages,
  approvers,
  took,
  times,
  queue,
  batch,
  attention,
  card,
  question,
  diff,
  program,
  server,
  grants,
  mode,
  decision,
  clientTools,
};
