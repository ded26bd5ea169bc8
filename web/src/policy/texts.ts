import { texts as shared } from '../words/texts';

const effects: Record<string, string> = { allow: 'Allowed', ask: 'Asked about', deny: 'Denied' };

const rulesPage = {
  title: 'Rules',
  body: 'What the gateway goes by, as it stands in agents.yaml. A denial beats everything, then what is always asked about, then what is allowed.',
  agent: 'Agent',
  none: 'No rules. The mode and each tool’s own setting decide.',
  effect: (effect: string) => effects[effect] ?? effect,
  scopes: { gateway: 'of the gateway', agent: 'of this agent' } as Record<string, string>,
  where: (rule: string) => `Rule at ${rule}`,
  tryTitle: 'Try a call',
  tryBody:
    'Says what would be decided about it now, outside of any session. Nothing is asked and nothing runs.',
  tool: 'Tool',
  args: 'Arguments (JSON)',
  notJSON: (why: string) => `That is not JSON: ${why}`,
  act: 'Try it',
  would: (effect: string) =>
    ({
      allow: 'It would run without being asked about',
      ask: 'A person would be asked',
      deny: 'It would be denied',
    })[effect] ?? effect,
  because: 'By',
  trace: 'How that came about',
  risk: 'Risk',
  commands: 'What the command line runs',
};

export const texts = { ...shared, rulesPage };
