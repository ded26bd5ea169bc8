import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const suggest = {
  open: 'Suggest a rule…',
  title: 'Rules that would have cleared this call',
  body: 'Nothing is changed here. A rule holds for every session, until it is taken out again.',
  where: (agent: string) =>
    `To use one, put it into agents.yaml under agents › ${agent} › toolConfirmation › rules, then have the gateway reread the file (by SIGHUP, or by a restart).`,
  loading: 'Looking through past calls…',
  none: 'No rule fits this call: it is one that a person should see each time.',
  failed: (why: string) => `The rules could not be fetched: ${why}`,
  matched: (n: number, denied: number) =>
    n === 0
      ? 'No past call would have matched.'
      : `Would have matched ${plural(n, 'past call', 'past calls')}, ${denied === 0 ? 'none' : denied.toLocaleString('en')} of them denied.`,
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Select the text and copy it by hand',
  rule: (n: number) => `Rule ${n}`,
  close: 'Close',
};

export const texts = { ...shared, suggest };
