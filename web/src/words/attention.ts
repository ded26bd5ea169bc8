import { plural } from './plural';

/** What draws attention, and the keys. */
export const attention = {
  title: 'Alerts',
  sound: 'Play a sound',
  soundNote: 'A short tone for each new request, even while this page is open.',
  soundTry: 'Play it',
  notifications: 'Show desktop notifications',
  notificationsNote:
    'While a tab of this dashboard is open but hidden. Your browser asks for permission first.',
  push: 'Also when this page is closed',
  pushNote:
    'Sent through your browser’s push service, which learns when something needs approval, but not what.',
  pushInsecure:
    'Your browser allows this only over https, or on the gateway’s own machine (http://localhost).',
  pushUnsupported:
    'This browser can’t be reached while the page is closed. On an iPhone or iPad, add the page to the Home Screen first.',
  pushOff: 'The gateway’s operator has turned this off (gateway.push).',
  pushRole: 'This is for people who may answer requests.',
  pushInactive: 'The gateway can’t reach this browser at the moment. Turn it off and on again.',
  pushFailed: (why: string) => `Couldn’t register with your browser’s push service: ${why}`,
  offer: 'Get called when something needs approval',
  offerNote: 'Also when this page is closed. Requests that nobody answers in time are denied.',
  offerLater: 'Not now',
  offerTake: 'Turn on',
  offerTaken: 'This browser will call you when something needs approval. You can change that in Settings.',
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
