import { texts } from '../words/texts';

// A rule by its place in the file, or, where that is not known, by its effect and its tools.
const named = String.raw`(?:(?:agents\.((?:(?!\.toolConfirmation).)+)\.)?toolConfirmation\.rules\[\d+\]|((?:allow|ask|deny) rule for \S+?))`;

const whose = (agent?: string, nameless?: string) => (nameless ? null : agent);

// The gateway's names for what decided a call, each with a sentence. The names are places
// in its files; the trace still shows them. policy/testdata/grounds.json has one of each
// kind, and the test reads it.
const known: [RegExp, (found: string[]) => string][] = [
  [/^mode (\S+)$/, ([, mode = '']) => texts.rule.modes[mode] ?? ''],
  [/^unknown mode (".*")$/s, ([, mode = '']) => texts.rule.unknownMode(mode)],
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
  [/^the policy failed: (.+)$/s, ([, why = '']) => texts.rule.failed(why)],
  [
    /^(.+) denied a call of (\S+) on (.+? UTC): this would (.+)$/s,
    ([, who = '', tool = '', at = '', what = '']) => texts.rule.refused(who, tool, at, what),
  ],
  [
    /^(.+) denied a call of (\S+) on (.+? UTC): nobody can read whether this would (.+)$/s,
    ([, who = '', tool = '', at = '', what = '']) => texts.rule.mayBeRefused(who, tool, at, what),
  ],
  [new RegExp(`^${named}$`, 's'), ([, agent, nameless]) => texts.rule.rule(whose(agent, nameless))],
  [
    new RegExp(String.raw`^${named} may match(?:, since (.+?))?(?: \(([^()]*)\))?$`, 's'),
    ([, agent, nameless, why, reason]) => texts.rule.mayMatch(whose(agent, nameless), why, reason),
  ],
  [
    new RegExp(`^${named}: (.+)$`, 's'),
    ([, agent, nameless, reason = '']) => texts.rule.because(reason, whose(agent, nameless)),
  ],
];

const sandboxed = ', in a sandbox';

/** The rule that decided a call, as a sentence; an unknown one stays as it is. */
export function describeRule(rule: string): string {
  if (rule.endsWith(sandboxed)) {
    const inside = describeRule(rule.slice(0, -sandboxed.length));
    return inside.includes('sandbox') ? inside : texts.rule.inSandbox(inside);
  }
  for (const [pattern, say] of known) {
    const found = pattern.exec(rule);
    if (found) return say(found) || rule;
  }
  const parts = rule.split('; '); // each part of a command line may be allowed by its own rule
  const told = parts.length > 1 && parts.every((part) => new RegExp(`^${named}`).test(part));
  return told ? [...new Set(parts.map(describeRule))].join('; ') : rule;
}

/** Whether the ground of a decision is a rule of this name. */
export function isBy(ground: string, rule: string): boolean {
  if (!ground.startsWith(rule)) return false;
  const rest = ground.slice(rule.length);
  return rest === '' || /^(?:: | may match|; |, in a sandbox)/.test(rest);
}
