import { accessPage, approvers, localKey, terminal } from './words/access';
import { card, choice, suggest } from './words/card';
import { decision } from './words/decision';
import { attention, keys } from './words/attention';
import { edit } from './words/edit';
import { errors } from './words/errors';
import { grants } from './words/grants';
import { batch, focus, queue } from './words/inbox';
import { draft, mode } from './words/mode';
import { historyPage, statsPage } from './words/history';
import { connection, header, home, login, nav, notice } from './words/page';
import { agentsPage, connectionPage, pages, rulesPage, settingsPage, update } from './words/pages';
import { plural } from './words/plural';
import { clientTools, diff, form, program, question, server } from './words/asking';
import { call, composer, inbox, session, speech, usage } from './words/session';
import { exported, markdown, sessionMenu, timeline, times, took } from './words/talk';

// Every word that a person reads, by where it stands.
export const texts = {
  app: 'Lineclear',
  title: (waiting: number) => (waiting > 0 ? `(${waiting}) Lineclear` : 'Lineclear'),
  duration: (seconds: number) => {
    if (seconds < 120) return plural(seconds, 'second', 'seconds');
    if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute', 'minutes');
    return plural(Math.round(seconds / 3600), 'hour', 'hours');
  },
  errors,
  login,
  header,
  connection,
  nav,
  home,
  draft,
  session,
  speech,
  usage,
  call,
  composer,
  pages,
  agentsPage,
  rulesPage,
  settingsPage,
  connectionPage,
  historyPage,
  statsPage,
  accessPage,
  approvers,
  localKey,
  terminal,
  update,
  markdown,
  took,
  times,
  timeline,
  sessionMenu,
  exported,
  inbox,
  queue,
  focus,
  batch,
  attention,
  keys,
  edit,
  card,
  question,
  form,
  diff,
  program,
  server,
  choice,
  suggest,
  grants,
  mode,
  decision,
  clientTools,
  notice,
};
