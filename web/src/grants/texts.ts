import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const choice = {
  region: 'Approve for this session',
  regionEverywhere: 'Approve in every session',
  title: 'What may run again in this session without being asked?',
  titleEverywhere: (where: string) => `What may run again ${where} without being asked?`,
  exactly: 'exactly this call',
  wholeTool: 'Whatever the arguments are. Only rules that deny or ask still stop it.',
  patterns: 'Patterns',
  folders: 'Folders',
  limits: 'Limit time or number',
  seconds: 'For how long',
  uses: 'How many calls',
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
  summary: (agent: string, tool: string) => `Runs now. From then on ${agent} may use ${tool} unasked:`,
  until: (time: string, uses: number) => {
    const session = 'as long as this session lives';
    const long = time ? `for ${time}, at most ${session}` : session;
    return uses ? `${long}; ${plural(uses, 'more call', 'more calls')} at most.` : `${long}.`;
  },
  untilEverywhere: (where: string, time: string, uses: number) =>
    `${where}, for ${time}${uses ? `; ${plural(uses, 'more call', 'more calls')} at most.` : '.'}`,
  approve: 'Approve and remember this',
  back: 'Back',
};

export const texts = { ...shared, choice };
