import { texts as shared } from '../words/texts';

const effects: Record<string, string> = { allow: 'Allowed', ask: 'Asks a person', deny: 'Denied' };

const rulesPage = {
  title: 'Rules',
  body: 'Rules from agents.yaml. Deny wins over ask, and ask over allow.',
  agent: 'Agent',
  none: 'No rules. The agent’s mode and each tool’s own setting decide.',
  effect: (effect: string) => effects[effect] ?? effect,
  scopes: { gateway: 'for every agent', agent: 'for this agent' } as Record<string, string>,
  where: (rule: string) => `Rule at ${rule}`,
  tryTitle: 'Try a call',
  tryBody: 'See what would happen to a call now, outside any session. Nobody is asked and nothing runs.',
  tool: 'Tool',
  args: 'Arguments (JSON)',
  notJSON: (why: string) => `This is not JSON: ${why}`,
  act: 'Try it',
  would: (effect: string) =>
    ({
      allow: 'It would run without asking',
      ask: 'A person would be asked',
      deny: 'It would be denied',
    })[effect] ?? effect,
  because: 'Why:',
  trace: 'Decision trace',
  risk: 'Risk',
  commands: 'Commands that would run',
};

export const texts = { ...shared, rulesPage };
