import { plural } from '../words/plural';
import type { Suggestion } from '../wire/wire';
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
  matched: ({ past, matched, denied, unknown = 0 }: Suggestion) => {
    if (past === 0) return 'There are no past calls to try it on.';
    const cleared = `Of ${plural(past, 'past call', 'past calls')} it would have cleared ${matched.toLocaleString('en')}`;
    const refused = denied > 0 ? `, ${denied.toLocaleString('en')} of which people denied` : '';
    const open = unknown > 0 ? ` Of ${unknown.toLocaleString('en')} it can’t be told: they name files by wildcards.` : '';
    return `${cleared}${refused}.${open}`;
  },
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Select the text and copy it by hand',
  rule: (n: number) => `Rule ${n}`,
  close: 'Close',
};

export const texts = { ...shared, suggest };
