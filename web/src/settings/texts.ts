import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const settingsPage = {
  title: 'Settings',
  body: 'They hold in this browser.',
  looks: 'Appearance',
  scheme: 'Colours',
  schemes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
  messages: 'Messages',
  formatted: 'Show messages of agents formatted',
  formattedNote: 'Off: as they were written, with every character that makes the form.',
  login: 'Login',
  signedIn: (who: string, roles: string) => `You are signed in as ${who} (${roles}).`,
  signOut: 'Sign out',
  signOutNote: 'For a new login you need the link that the gateway prints in its terminal.',
};

const connectionPage = {
  title: 'Connection',
  body: 'How this tab’s line to the gateway is, for finding out what is wrong with it.',
  phase: 'State',
  trip: 'Round trip',
  measuring: 'measuring…',
  noTrip: 'no answer',
  trips: (last: string, best: string, n: number) => `${last} (best of ${n}: ${best})`,
  ms: (n: number) => `${n.toLocaleString('en', { maximumFractionDigits: n < 10 ? 1 : 0 })} ms`,
  clock: 'The gateway’s clock',
  clockSame: 'as this machine’s',
  clockAhead: (time: string) => `${time} ahead of this machine’s`,
  clockBehind: (time: string) => `${time} behind this machine’s`,
  since: 'Connected since',
  not: 'not connected',
  frames: 'Frames',
  counts: (received: number, sent: number) =>
    `${received.toLocaleString('en')} received, ${sent.toLocaleString('en')} sent`,
  heard: 'Last heard',
  ago: (time: string) => `${time} ago`,
  never: 'never',
  reconnects: 'Reconnects',
  times: (n: number) => plural(n, 'time', 'times'),
  lastClose: 'Last end of a connection',
  lastError: 'Last refusal',
  none: 'none',
  server: 'Gateway',
  unknown: 'unknown',
  version: (version: string) => `version ${version}`,
  protocol: 'Protocol',
  address: 'Address',
  browser: 'Browser',
  copy: 'Copy all this',
  copied: 'Copied',
  copyFailed: 'It could not be copied: mark the text and copy it by hand.',
  again: 'Measure again',
};

export const texts = { ...shared, settingsPage, connectionPage };
