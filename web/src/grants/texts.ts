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

export const texts = { ...shared, choice };
