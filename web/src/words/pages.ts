/** The pages beside the sessions, by their names in the list. */
export const pages = {
  label: 'Pages',
  history: 'History',
  remembered: 'Standing approvals',
  agents: 'Agents',
  rules: 'Rules',
  statistics: 'Statistics',
  access: 'Access',
  settings: 'Settings',
  connection: 'Connection',
  loading: 'Loading…',
  failed: (why: string) => `Couldn’t load this page: ${why}`,
  retry: 'Try again',
  gone: 'This page couldn’t be loaded. Lineclear may have been updated: reload the page.',
};
