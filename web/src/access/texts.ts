import type { Role } from '../wire/wire';
import { listed, plural } from '../words/plural';
import { roleName, roleNames } from '../words/roles';
import { texts as shared } from '../words/texts';

const accessPage = {
  title: 'Access',
  body: 'Who has access. Changes apply immediately.',
  noRight: 'Only an admin for all agents can manage access.',
  search: 'Search people, browsers, addresses',
  nothingFound: 'Nothing matches your search.',
  invite: 'Invite a person',
  newToken: 'New token',
  browser: 'Browser',
  address: 'Address',
  lastUsed: 'Last used',
  neverUsed: 'not used yet',
  noAddress: '–',
  someBrowser: 'A browser', // a login of an earlier version
  thisBrowser: 'This browser',
  terminal: 'Terminal',
  signOut: 'Sign out',
  signOutLabel: (what: string) => `Sign out: ${what}`,
  signOutOthers: (n: number) => (n === 1 ? 'Sign out the other' : `Sign out the other ${n}`),
  signedOut: (n: number) =>
    `Signed out ${plural(n, 'browser', 'browsers')}. The login page there says who did it.`,
  differentRights: 'Different rights in different browsers',
  agentsOf: (names: string[] | undefined) => (names?.length ? listed(names) : 'All agents'),
  remove: 'Remove',
  removeLabel: (who: string) => `Remove: ${who}`,
  removeSurely: (who: string) => `Remove ${who}`,
  removes: (who: string, logins: number, tokens: number, links: number) => {
    const parts = [`signs ${who} out of ${plural(logins, 'browser', 'browsers')}`];
    if (tokens > 0) parts.push(`revokes ${plural(tokens, 'token', 'tokens')} in their name`);
    if (links > 0) parts.push(`withdraws ${plural(links, 'invitation', 'invitations')}`);
    return `This ${listed(parts)}. They can only come back with a new invitation.`;
  },
  removed: (who: string) => `${who} was removed.`,
  invitations: 'Invitations',
  asRole: (names: string[], agents: string[] | undefined) =>
    `as ${roleNames(names)} ${agents?.length ? `for ${listed(agents)}` : 'for all agents'}`,
  invitedBy: (who: string, when: string) => `invited by ${who}, ${when}`,
  links: {
    open: (until: string) => `valid until ${until}`,
    used: (when: string) => `used ${when}`,
    expired: (when: string) => `not used, ended ${when}`,
    withdrawn: (who: string, when: string) => `withdrawn by ${who}, ${when}`,
    void: 'ended: whoever invited them is logged out or may not manage access any more',
  },
  newLink: 'New link',
  inviteAgain: 'Invite again',
  againLabel: (what: string, who: string) => `${what}: ${who}`,
  withdraw: 'Withdraw',
  withdrawLabel: (who: string) => `Withdraw: ${who}`,
  withdrawn: (who: string) => `The invitation of ${who} was withdrawn. Its link says so.`,
  tokens: 'Tokens for programs',
  tokensBody: 'Also for people on other machines. Each token is shown once, when it is created.',
  role: roleName,
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
  confirm: (what: string) => `Confirm: ${what.toLowerCase()}`,
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
