import { texts } from '../words/texts';

const named = String.raw`(?:agents\.(\S+?)\.)?toolConfirmation\.rules\[\d+\]`;

// The gateway's names for what decided a call, each with a sentence. The names are places
// in its files; the trace still shows them.
const known: [RegExp, (found: string[]) => string][] = [
  [/^mode (\S+)$/, ([, mode = '']) => texts.rule.modes[mode] ?? ''],
  [/^approval\.required: true$/, () => texts.rule.alwaysAsks],
  [/^approval\.required: false$/, () => texts.rule.neverAsks],
  [/^approval\.pattern$/, () => texts.rule.pattern],
  [/^toolPolicies\.alwaysDeny: (.+)$/s, ([, tool = '']) => texts.rule.alwaysDenied(tool)],
  [/^toolPolicies\.alwaysAllow: (.+)$/s, ([, tool = '']) => texts.rule.alwaysAllowed(tool)],
  [
    /^granted until (\S+) by (.+?): (.+)$/s,
    ([, day = '', who = '', what = '']) => texts.rule.standing(who, day, what),
  ],
  [/^granted for this session by (.+?): (.+)$/s, ([, who = '', what = '']) => texts.rule.session(who, what)],
  [/^it asks to run outside of the sandbox$/, () => texts.rule.leaves],
  [/^protected: (.+) is the gateway's own$/s, ([, path = '']) => texts.rule.own(path)],
  [/^protected: (.+) says what agents may do$/s, ([, path = '']) => texts.rule.controls(path)],
  [
    /^protected: it may touch (.+), which is the gateway's own$/s,
    ([, path = '']) => texts.rule.mayTouch(path),
  ],
  [/^protected: the verbs of (.+) are for people$/s, ([, name = '']) => texts.rule.forPeople(name)],
  [new RegExp(`^${named}$`), ([, agent]) => texts.rule.rule(agent)],
  [new RegExp(`^${named}: (.+)$`, 's'), ([, agent, reason = '']) => texts.rule.because(reason, agent)],
  [
    new RegExp(String.raw`^${named} may match(?:, since (.+?))?(?: \(([^()]*)\))?$`, 's'),
    ([, agent, why, reason]) => texts.rule.mayMatch(agent, why, reason),
  ],
];

/** The rule that decided a call, as a sentence; an unknown one stays as it is. */
export function describeRule(rule: string): string {
  for (const [pattern, say] of known) {
    const found = pattern.exec(rule);
    if (found) return say(found) || rule;
  }
  const parts = rule.split('; '); // each part of a command line may be allowed by its own rule
  const told = parts.length > 1 && parts.every((part) => new RegExp(`^${named}`).test(part));
  return told ? [...new Set(parts.map(describeRule))].join('; ') : rule;
}
