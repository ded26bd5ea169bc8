import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { describeRule, isBy } from './rule';

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
  ['agents.de mo.toolConfirmation.rules[0]: no deleting', 'no deleting (a rule of de mo)'],
  ['deny rule for shell: no deleting', 'no deleting (a rule)'],
  [
    'agents.demo.toolConfirmation.rules[0], in a sandbox',
    'A rule of demo applies to this call (in a sandbox)',
  ],
  [
    'granted for this session by ada: any command, in a sandbox that reads, in a sandbox',
    'Approved by ada for this session: any command, in a sandbox that reads',
  ],
  [
    'a rule denied a call of shell on 28 Nov, 12:00:00 UTC: this would write /srv/build',
    'A rule denied a call of shell on 28 Nov, 12:00:00 UTC, and this would write /srv/build',
  ],
  ['the policy failed: disk full', 'The rules could not be checked, so the call is denied: disk full'],
  ['nobody watches at night', 'nobody watches at night'],
])('%s', (rule, sentence) => {
  expect(describeRule(rule)).toBe(sentence);
});

// The gateway's own list of what it can name: a ground that is new there needs a sentence here.
const file = resolve(import.meta.dirname, '../../../policy/testdata/grounds.json');
const grounds = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

it.each(Object.entries(grounds))('%s has a sentence', (_, ground) => {
  const sentence = describeRule(ground);
  expect(sentence).not.toBe(ground);
  expect(sentence).not.toMatch(
    /rules\[|toolPolicies|approval\.|protected:|granted|^mode |(?:deny|ask|allow) rule for/,
  );
});

it('a ground is known by its rule, and not by one that begins alike', () => {
  const rule = 'agents.demo.toolConfirmation.rules[1]';
  for (const ground of [
    rule,
    `${rule}: why`,
    `${rule} may match, since $X`,
    `${rule}; other`,
    `${rule}, in a sandbox`,
  ])
    expect(isBy(ground, rule)).toBe(true);
  for (const ground of [`${rule}0`, 'mode manual']) expect(isBy(ground, rule)).toBe(false);
});
