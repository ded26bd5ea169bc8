/** The pages beside the sessions, by their names in the list. */
export const pages = {
  label: 'Pages',
  approvals: 'Approvals',
  sessions: 'Sessions',
  history: 'History',
  agents: 'Agents',
  rules: 'Rules',
  statistics: 'Statistics',
  access: 'Access',
  gateways: 'Gateways',
  settings: 'Settings',
  loading: 'Loading…',
  failed: (why: string) => `Couldn’t load this page: ${why}`,
  retry: 'Try again',
  gone: 'This page couldn’t be loaded. Lineclear may have been updated: reload the page.',
};
