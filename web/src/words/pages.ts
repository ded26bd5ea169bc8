/** The pages beside the sessions, by their names in the list. */
export const pages = {
  label: 'Pages',
  history: 'History',
  remembered: 'Remembered',
  agents: 'Agents',
  rules: 'Rules',
  statistics: 'Statistics',
  access: 'Access',
  settings: 'Settings',
  connection: 'Connection',
  loading: 'Loading…',
  failed: (why: string) => `That could not be fetched: ${why}`,
  retry: 'Try again',
  gone: 'This page could not be loaded. Perhaps Lineclear was updated: reload it.',
};
