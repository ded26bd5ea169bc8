import { expect, it } from 'vitest';
import { describeRule } from './rule';

it.each([
  ['mode manual', 'Manual mode: a person decides every call'],
  ['mode unheard-of', 'mode unheard-of'], // from a newer gateway
  ['approval.required: true', 'This tool always needs approval'],
  ['toolPolicies.alwaysDeny: shell', 'Calls of shell are always denied'],
  [
    'granted for this session by ada: commands like: uname *',
    'Approved by ada for this session: commands like: uname *',
  ],
  ["protected: /srv/data is the gateway's own", '/srv/data belongs to the gateway and is protected'],
  ['agents.demo.toolConfirmation.rules[0]', 'A rule of demo applies to this call'],
  ['toolConfirmation.rules[3]: nothing is deleted', 'nothing is deleted (a rule for every agent)'],
  [
    'agents.demo.toolConfirmation.rules[1] may match, since $x is not known (no force)',
    'A rule of demo may apply to this call, because $x is not known (no force)',
  ],
  [
    'agents.demo.toolConfirmation.rules[0]; agents.demo.toolConfirmation.rules[2]: tests are harmless',
    'A rule of demo applies to this call; tests are harmless (a rule of demo)',
  ],
  [
    'agents.demo.toolConfirmation.rules[0]; agents.demo.toolConfirmation.rules[2]',
    'A rule of demo applies to this call',
  ],
  ['nobody watches at night', 'nobody watches at night'],
])('%s', (rule, sentence) => {
  expect(describeRule(rule)).toBe(sentence);
});
