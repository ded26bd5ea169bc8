import { texts as shared } from '../words/texts';

const suggest = {
  open: 'Suggest a rule…',
  title: 'Rules that would allow this call',
  body: '“Always allow” goes back to the request, where you approve this call and those after it; you can undo that at any time. As YAML, a rule goes into agents.yaml.',
  bodyFile:
    'Nothing changes here: a rule is put into agents.yaml, and applies to every session until it is removed.',
  loading: 'Looking through other calls…',
  none: 'No rule fits this call. A person should see it each time.',
  failed: (why: string) => `Couldn’t load rules: ${why}`,
  close: 'Close',
};

export const texts = { ...shared, suggest };
