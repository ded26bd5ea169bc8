import { plural } from '../words/plural';
import type { Suggestion } from '../wire/wire';
import { texts as shared } from '../words/texts';

const suggest = {
  open: 'Suggest a rule…',
  title: 'Rules that would have allowed this call',
  body: 'Nothing changes here. A rule applies to every session until it is removed.',
  where: (agent: string) =>
    `To use one, put it into agents.yaml under agents › ${agent} › toolConfirmation › rules, then have the gateway reread the file (by SIGHUP, or by a restart).`,
  loading: 'Looking through past calls…',
  none: 'No rule fits this call. A person should see it each time.',
  failed: (why: string) => `Couldn’t load rules: ${why}`,
  matched: ({ past, matched, denied, unknown = 0 }: Suggestion) => {
    if (past === 0) return 'There are no past calls to test it on.';
    const cleared = `It would have allowed ${matched.toLocaleString('en')} of ${plural(past, 'past call', 'past calls')}`;
    const refused = denied > 0 ? `, including ${denied.toLocaleString('en')} that people denied` : '';
    const open =
      unknown > 0
        ? ` For ${unknown.toLocaleString('en')} it isn’t known, because they name files with wildcards.`
        : '';
    return `${cleared}${refused}.${open}`;
  },
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Couldn’t copy. Select the text and copy it yourself',
  rule: (n: number) => `Rule ${n}`,
  close: 'Close',
};

export const texts = { ...shared, suggest };
