import { plural } from './plural';

/** What draws attention, and the keys. */
export const attention = {
  title: 'Alerts',
  sound: 'Play a sound',
  soundNote: 'A short tone for each new request, even while this page is open.',
  soundTry: 'Play it',
  notifications: 'Show desktop notifications',
  notificationsNote: 'Only while this tab is hidden. Your browser asks for permission first.',
  askedNo:
    'Your browser blocks notifications from this page. Allow them in the browser’s settings for this page, then try again.',
  unsupported: 'This browser can’t show notifications from this page.',
  failed: (why: string) => `Couldn’t set up notifications: ${why}`,
  keys: 'Single-key shortcuts',
  keysNote: 'They navigate; none of them answers.',
  approveKey: 'Press A to focus the approve buttons',
  approveKeyNote: 'It never presses them.',
  notice: (asker: string, tool: string) => `${asker} wants to use ${tool}`,
  question: (asker: string) => `${asker} has a question`,
  many: (n: number) => `${plural(n, 'request needs', 'requests need')} an answer`,
  open: 'Open',
  deny: 'Deny',
};
