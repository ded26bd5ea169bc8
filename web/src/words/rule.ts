import { capitalised } from './plural';

/** Of one agent, of all, or, with null, of whom is not known. */
type Whose = string | null | undefined;

const from = (agent: Whose) =>
  agent ? `a rule of ${agent}` : agent === null ? 'a rule' : 'a rule for every agent';

/** Why a call was allowed, asked about or denied. */
export const rule = {
  modes: {
    manual: 'Manual mode: a person decides every call',
    'auto-approve': 'Auto-approve mode: calls run unless a rule denies or asks about them',
    'auto-deny': 'Auto-deny mode: calls that need approval are denied',
  } as Record<string, string>,
  alwaysAsks: 'This tool always needs approval',
  neverAsks: 'This tool never needs approval',
  pattern: 'The arguments match a pattern that needs no approval',
  alwaysDenied: (tool: string) => `Calls of ${tool} are always denied`,
  alwaysAllowed: (tool: string) => `Calls of ${tool} are always allowed`,
  standing: (who: string, until: string, what: string) => `Approved by ${who} until ${until}: ${what}`,
  session: (who: string, what: string) => `Approved by ${who} for this session: ${what}`,
  unknownMode: (mode: string) => `The mode ${mode} is not known, so calls are denied`,
  failed: (why: string) => `The rules could not be checked, so the call is denied: ${why}`,
  refused: (who: string, tool: string, at: string, what: string) =>
    `${capitalised(who)} denied a call of ${tool} on ${at}, and this would ${what}`,
  mayBeRefused: (who: string, tool: string, at: string, what: string) =>
    `${capitalised(who)} denied a call of ${tool} on ${at}, and it can’t be read whether this would ${what}`,
  inSandbox: (why: string) => `${why} (in a sandbox)`,
  leaves: 'The call asks to run outside the sandbox',
  own: (path: string) => `${path} belongs to the gateway and is protected`,
  controls: (path: string) => `${path} controls what agents can do and is protected`,
  mayTouch: (path: string) => `The call may touch ${path}, which belongs to the gateway and is protected`,
  forPeople: (program: string) => `Only people can run commands of ${program}`,
  rule: (agent?: Whose) => `${capitalised(from(agent))} applies to this call`,
  because: (reason: string, agent?: Whose) => `${reason} (${from(agent)})`,
  mayMatch: (agent?: Whose, why?: string, reason?: string) =>
    `${capitalised(from(agent))} may apply to this call${why ? `, because ${why}` : ''}${reason ? ` (${reason})` : ''}`,
};
