import { plural } from './plural';

/** What draws attention, and the keys. */
export const attention = {
  title: 'When something waits',
  sound: 'Play a sound',
  soundNote: 'A short tone for each new request, also while you look at the page.',
  soundTry: 'Play it',
  notifications: 'Show a notification',
  notificationsNote: 'By your system, while this page is not in front. Your browser asks whether it may.',
  askedNo:
    'Your browser does not allow notifications from this page. Allow them in its settings for this page, then try again.',
  unsupported: 'This browser has no notifications for this page.',
  failed: (why: string) => `Notifications could not be set up: ${why}`,
  keys: 'Single keys',
  keysNote: 'They move and open; none of them answers.',
  approveKey: 'The key a goes to the approve buttons',
  approveKeyNote: 'It presses none of them.',
  notice: (asker: string, tool: string) => `${asker} wants to use ${tool}`,
  question: (asker: string) => `${asker} asks`,
  many: (n: number) => `${plural(n, 'request waits', 'requests wait')} for a decision`,
  open: 'Open',
  deny: 'Deny',
};
