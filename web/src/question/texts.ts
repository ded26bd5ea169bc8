import { plural } from '../words/plural';
import { texts as shared } from '../words/texts';

const formats: Partial<Record<string, string>> = {
  email: 'an email address',
  uri: 'a web address, such as https://example.com',
  date: 'a date: YYYY-MM-DD',
  time: 'a time, such as 12:30:00Z',
  'date-time': 'a date and time, such as 2026-11-27T12:30:00Z',
  password: 'not shown while you type',
};

const form = {
  region: 'Your answer',
  noFields: 'No input needed, just confirm.',
  missing: 'This needs an answer.',
  notNumber: 'Enter a number, using digits and a decimal point.',
  notInteger: 'Enter a whole number, using digits.',
  inexact: 'This page can’t send that many digits exactly.',
  notFormat: (f: string) => `Enter ${formats[f] ?? f}.`,
  notJSON: (why: string) => `This is not JSON: ${why}`,
  notObject: 'Enter one JSON object: { … }',
  json: 'Answer as JSON',
  jsonNote: 'This form can’t be shown as fields. Enter a JSON object that fits the schema under “Form”.',
  yes: 'Yes',
  no: 'No',
  open: 'No answer',
  choose: 'Choose…',
  asItIs: 'With its hidden characters:',
  secret: '•••••',
  limits: {
    from: (n: unknown) => `at least ${String(n)}`,
    above: (n: unknown) => `more than ${String(n)}`,
    to: (n: unknown) => `at most ${String(n)}`,
    below: (n: unknown) => `less than ${String(n)}`,
    step: (n: unknown) => `a multiple of ${String(n)}`,
    longer: (n: number) => `at least ${plural(n, 'character', 'characters')}`,
    shorter: (n: number) => `at most ${plural(n, 'character', 'characters')}`,
    pattern: (p: string) => `matches ${p}`,
    format: (f: string) => formats[f] ?? `format ${f}`,
    integer: 'a whole number',
    atLeast: (n: unknown) => `choose at least ${String(n)}`,
    atMost: (n: unknown) => `choose at most ${String(n)}`,
  },
};

export const texts = { ...shared, form };
