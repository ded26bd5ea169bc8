import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const agentsPage = {
  title: 'Agents',
  body: 'Who works here, what each may use, and what happens when a tool is to be used.',
  none: 'No agents are set up',
  noneBody: 'Agents stand in agents.yaml; the gateway reads it when it starts.',
  status: (active: number, waiting: number) => {
    if (waiting > 0) return plural(waiting, 'request waits', 'requests wait');
    return active > 0 ? `At work in ${plural(active, 'session', 'sessions')}` : 'Idle';
  },
  tools: (n: number) => (n === 0 ? 'No tools of its own' : plural(n, 'tool', 'tools')),
  schema: 'What it takes',
  start: 'New session',
  readOnly: 'changes nothing',
  destructive: 'may delete or overwrite',
  openWorld: 'reaches beyond this machine',
  hintNote: 'What a tool says of itself. Nothing is decided by that alone.',
};

export const texts = { ...shared, agentsPage };
