import { plural } from '../words/plural';
import { roleNames } from '../words/roles';
import { texts as shared } from '../words/texts';

const settingsPage = {
  title: 'Settings',
  body: 'Saved in this browser.',
  looks: 'Appearance',
  scheme: 'Colours',
  schemes: { auto: 'Same as system', light: 'Light', dark: 'Dark' },
  formatted: 'Format messages from agents',
  formattedNote: 'Off: show raw text.',
  login: 'Login',
  signedIn: (who: string, roles: string[]) => `You’re logged in as ${who} (${roleNames(roles)}).`,
  signOut: 'Log out',
  signOutNote: 'To log in again, you need a login link. The gateway prints one in its terminal.',
};

const connectionPage = {
  title: 'Connection',
  body: 'Connection diagnostics for this tab.',
  phase: 'State',
  trip: 'Round trip',
  measuring: 'measuring…',
  noTrip: 'no answer',
  trips: (last: string, best: string, n: number) => `${last} (best of ${n}: ${best})`,
  ms: (n: number) => `${n.toLocaleString('en', { maximumFractionDigits: n < 10 ? 1 : 0 })} ms`,
  clock: 'The gateway’s clock',
  clockSame: 'same as this machine’s',
  clockAhead: (time: string) => `${time} ahead of this machine’s`,
  clockBehind: (time: string) => `${time} behind this machine’s`,
  since: 'Connected since',
  not: 'not connected',
  frames: 'Frames',
  counts: (received: number, sent: number) =>
    `${received.toLocaleString('en')} received, ${sent.toLocaleString('en')} sent`,
  heard: 'Last message',
  ago: (time: string) => `${time} ago`,
  never: 'never',
  reconnects: 'Reconnects',
  times: (n: number) => plural(n, 'time', 'times'),
  lastClose: 'Last disconnect',
  lastError: 'Last error',
  none: 'none',
  server: 'Gateway',
  unknown: 'unknown',
  version: (version: string) => `version ${version}`,
  protocol: 'Protocol',
  address: 'Address',
  browser: 'Browser',
  copy: 'Copy all',
  copied: 'Copied',
  copyFailed: 'Couldn’t copy. Select the text and copy it yourself.',
  again: 'Test again',
};

export const texts = { ...shared, settingsPage, connectionPage };
