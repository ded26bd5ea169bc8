import type { Suggestion } from '../wire/wire';
import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const choice = {
  region: 'Approve for this session',
  regionEverywhere: 'Approve in every session',
  title: 'Which calls can run again in this session without asking?',
  titleEverywhere: (where: string) => `Which calls can run again ${where} without asking?`,
  exactly: 'exactly this call',
  wholeTool: 'With any arguments. Only rules that deny or ask still apply.',
  patterns: 'Patterns',
  folders: 'Folders',
  limits: 'Limit time or calls',
  seconds: 'Time limit',
  uses: 'Number of calls',
  times: <{ value: string; label: string; standing?: true }[]>[
    { value: '', label: 'This session' },
    { value: '900', label: '15 minutes' },
    { value: '3600', label: '1 hour' },
    { value: '28800', label: '8 hours' },
    { value: '86400', label: '1 day', standing: true },
    { value: '604800', label: '7 days', standing: true },
  ],
  counts: [
    { value: '', label: 'No limit' },
    { value: '1', label: '1 more call' },
    { value: '5', label: '5 more calls' },
    { value: '20', label: '20 more calls' },
  ],
  summary: (agent: string, tool: string) =>
    `Runs now. After this, ${agent} can use ${tool} again without asking:`,
  summaryBeforehand: (agent: string, tool: string) =>
    `Waiting requests that this covers run at once. After this, ${agent} can use ${tool} without asking:`,
  until: (time: string, uses: number) => {
    const session = 'until this session ends';
    const long = time ? `for ${time}, or ${session}` : session;
    return uses ? `${long}; at most ${plural(uses, 'more call', 'more calls')}.` : `${long}.`;
  },
  untilEverywhere: (where: string, time: string, uses: number) =>
    `${where}, for ${time}${uses ? `; at most ${plural(uses, 'more call', 'more calls')}.` : '.'}`,
  approve: 'Approve and remember this',
  back: 'Back',
};

/** Rules that would allow a call. */
const suggestions = {
  matched: ({ past, matched, denied, waiting = 0, unknown = 0 }: Suggestion) => {
    if (past === 0) return 'There are no other calls to test it on.';
    const n = matched === 0 ? 'None' : matched.toLocaleString('en');
    const of = past === 1 ? 'the one other call' : `the last ${past.toLocaleString('en')} calls`;
    const sentences = [
      `${past === 1 && matched === 1 ? 'The one other call' : `${n} of ${of}`} would have run without asking${
        denied > 0
          ? `; ${denied.toLocaleString('en')} of those ${denied === 1 ? 'was' : 'were'} denied by a person`
          : ''
      }.`,
    ];
    if (waiting > 0)
      sentences.push(
        past === 1
          ? 'It waits for an answer now.'
          : `${waiting.toLocaleString('en')} of them ${waiting === 1 ? 'waits' : 'wait'} for an answer now.`,
      );
    if (unknown > 0)
      sentences.push(
        `For ${unknown.toLocaleString('en')} it isn’t known, because they name files with wildcards.`,
      );
    return sentences.join(' ');
  },
  always: 'Always allow this…',
  copy: 'Copy as YAML',
  copied: 'Copied',
  showYAML: 'Show as YAML',
  copyFailed: 'Couldn’t copy. Select the text and copy it yourself',
  rule: (n: number) => `Rule ${n}`,
  where: (agent: string) =>
    `To use YAML, put it into agents.yaml under agents › ${agent} › toolConfirmation › rules, then have the gateway reread the file (by SIGHUP, or by a restart).`,
};

/** Letting calls run in every session before one is made. */
const allow = {
  title: 'Always allow this?',
  close: 'Close without allowing it',
  act: 'Allow',
  failed: (why: string) => `Not allowed: ${why}`,
};

export const texts = { ...shared, choice, suggestions, allow };
