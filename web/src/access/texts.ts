import type { Role } from '../wire/wire';
import { listed } from '../words/plural';
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
  body: 'Who has access. Changes apply immediately.',
  noRight: 'Only an admin for all agents can manage access.',
  invite: 'Invite a person',
  newToken: 'New token',
  tokens: 'Tokens',
  tokensBody:
    'For API clients, and for people on other machines. Each token is shown once, when it is created.',
  noTokens: 'No tokens',
  logins: 'Logged-in browsers and terminals',
  noLogins: 'No one is logged in',
  terminal: 'Terminal',
  role: (role: string) => roles[role as Role] ?? role,
  roleDoes: {
    viewer: 'Views requests and sessions',
    approver: 'Views and answers requests',
    operator: 'Views requests, messages agents and stops them',
    admin: 'Can do everything',
    agent: 'An API client that asks for approvals and can never answer',
  } satisfies Record<Role, string>,
  agents: (names: string[] | undefined) => (names?.length ? `for ${listed(names)}` : 'for all agents'),
  as: (subject: string) => `as ${subject}`,
  made: (by: string, when: string) => `created by ${by}, ${when}`,
  since: (when: string) => `since ${when}`,
  until: (when: string) => `until ${when}`,
  forever: 'until revoked',
  byToken: (name: string) => `with the token ${name}`,
  change: 'Change',
  changeLabel: (what: string) => `Change: ${what}`,
  revoke: 'Revoke',
  revokeLabel: (what: string) => `Revoke: ${what}`,
  sure: 'Confirm revoking',
  revoked: (what: string) => `${what} was revoked. Anyone who used it is logged out.`,
  changed: (what: string) => `${what} was changed. Open tabs reconnect with the new rights.`,
  failed: (why: string) => `That didn’t work: ${why}`,
  name: 'Name',
  personName: 'Person’s name',
  personHint: 'Shown beside everything they decide. Give each person their own name.',
  tokenHint: 'Describe its use, such as ci. Requests made with it show this name.',
  roleLabel: 'Role',
  agentsLabel: 'Only for these agents',
  agentsHint: 'Leave empty for all agents. Other agents are hidden from them.',
  agentsPlaceholder: 'All agents',
  expires: 'Expires',
  terms: [
    { value: '1', label: 'after a day' },
    { value: '7', label: 'after a week' },
    { value: '30', label: 'after 30 days' },
    { value: '365', label: 'after a year' },
    { value: '', label: 'when revoked' },
  ],
  save: 'Save',
  make: 'Create',
  making: 'Creating…',
  cancel: 'Cancel',
  close: 'Close',
  done: 'Done',
  tokenMade: (name: string) => `Token ${name}`,
  tokenOnce: 'Copy it now: it can’t be shown again. Anyone who has it has its rights.',
  linkMade: (name: string) => `Login link for ${name}`,
  linkOnce: (when: string) =>
    `Send it only to them. It works once, for whoever opens it first, until ${when}.`,
  secret: 'Secret',
  copyAll: 'Copy',
};

/** A terminal that asks to log in. */
const terminal = {
  title: 'Log in a terminal',
  asks: (name: string, subject: string) =>
    `The terminal ${name} wants to log in as you, ${subject}. It could then do everything that you can do, such as answering requests.`,
  codeLabel: 'Code',
  compare:
    'Allow it only if you have just run gateway login yourself and your terminal shows the same code. Programs and agents on that machine can ask for this too.',
  asked: (when: string) => `requested at ${when}`,
  from: (address: string) => `from ${address}`,
  termsLabel: 'Stay logged in for',
  terms: [
    { value: '1', label: '1 hour' },
    { value: '12', label: '12 hours' },
    { value: '168', label: '1 week' },
  ],
  allow: 'Allow this terminal',
  refuse: 'Refuse',
  allowed: 'The terminal is logged in. Continue there: it asks for a passphrase.',
  refused: 'The terminal was refused.',
};

export const texts = { ...shared, accessPage, terminal };
