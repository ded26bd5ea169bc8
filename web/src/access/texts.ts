import type { Role } from '../wire/wire';
import { texts as shared } from '../words/texts';

const roles: Record<Role, string> = {
  viewer: 'Viewer',
  approver: 'Approver',
  operator: 'Operator',
  admin: 'Admin',
  agent: 'Agent',
};

const accessPage = {
  title: 'Access',
  body: 'Who has access, with which rights, to which agents. A change takes effect at once: open tabs reconnect with the new rights.',
  noRight: 'Only an admin for all agents may manage access.',
  invite: 'Invite a person',
  newToken: 'New token',
  tokens: 'Tokens',
  tokensBody: 'For programs, and for people on other machines. Each is shown once, when it is made.',
  noTokens: 'No tokens',
  logins: 'Browsers and terminals that are logged in',
  noLogins: 'Nobody is logged in',
  terminal: 'Terminal',
  role: (role: string) => roles[role as Role] ?? role,
  roleDoes: {
    viewer: 'Watches',
    approver: 'Watches and answers requests',
    operator: 'Watches, talks to agents and stops them',
    admin: 'May do everything',
    agent: 'A program that asks for approvals, and can never answer',
  } satisfies Record<Role, string>,
  agents: (names: string[] | undefined) => (names?.length ? `for ${names.join(', ')}` : 'for all agents'),
  as: (subject: string) => `as ${subject}`,
  made: (by: string, when: string) => `made by ${by}, ${when}`,
  since: (when: string) => `since ${when}`,
  until: (when: string) => `until ${when}`,
  forever: 'until it is revoked',
  byToken: (name: string) => `by the token ${name}`,
  change: 'Change',
  changeLabel: (what: string) => `Change: ${what}`,
  revoke: 'Revoke',
  revokeLabel: (what: string) => `Revoke: ${what}`,
  sure: 'Revoke for good',
  revoked: (what: string) => `${what} was revoked; whoever was in by it is out.`,
  changed: (what: string) => `${what} was changed; its open tabs reconnect with the new rights.`,
  failed: (why: string) => `That was not done: ${why}`,
  name: 'Name',
  personName: 'Who it is for',
  personHint:
    'The name under which they answer; it stands beside everything they decide. One name for each person.',
  tokenHint: 'What it is used for, such as ci. Its bearer is known by this name.',
  roleLabel: 'May',
  agentsLabel: 'Only for these agents',
  agentsHint: 'Leave it empty for all. Of others they learn nothing.',
  agentsPlaceholder: 'All agents',
  expires: 'Ends',
  terms: [
    { value: '1', label: 'after a day' },
    { value: '7', label: 'after a week' },
    { value: '30', label: 'after 30 days' },
    { value: '365', label: 'after a year' },
    { value: '', label: 'when it is revoked' },
  ],
  save: 'Save',
  make: 'Make it',
  making: 'Making it…',
  cancel: 'Cancel',
  close: 'Close',
  done: 'I have it',
  tokenMade: (name: string) => `The token ${name}`,
  tokenOnce: 'Copy it now: nobody can show it again. Whoever has it has its rights.',
  linkMade: (name: string) => `A login link for ${name}`,
  linkOnce: (when: string) =>
    `Send it to them alone. It logs in whoever opens it first, once, until ${when}.`,
  secret: 'The secret',
  copyAll: 'Copy it',
};

/** A terminal that asks to log in. */
const terminal = {
  title: 'Log in a terminal',
  asks: (name: string, subject: string) =>
    `The terminal ${name} asks to log in as you, ${subject}. It could then do everything you may: answer requests, and manage where you can.`,
  codeLabel: 'The code',
  compare:
    'Allow it only if you have just started gateway login yourself and your terminal shows the same code. Programs and agents on that machine can ask for this too.',
  asked: (when: string) => `asked at ${when}`,
  from: (address: string) => `from ${address}`,
  termsLabel: 'How long it stays logged in',
  terms: [
    { value: '1', label: '1 hour' },
    { value: '12', label: '12 hours' },
    { value: '168', label: '1 week' },
  ],
  allow: 'Allow this terminal',
  refuse: 'Refuse',
  allowed: 'The terminal is logged in. Continue there: it asks you for a passphrase.',
  refused: 'The terminal was refused.',
};

export const texts = { ...shared, accessPage, terminal };
