const from = (agent?: string) => (agent ? `a rule of ${agent}` : 'a rule for every agent');
const From = (agent?: string) => (agent ? `A rule of ${agent}` : 'A rule for every agent');

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
  leaves: 'The call asks to run outside the sandbox',
  own: (path: string) => `${path} belongs to the gateway and is protected`,
  controls: (path: string) => `${path} controls what agents can do and is protected`,
  mayTouch: (path: string) => `The call may touch ${path}, which belongs to the gateway and is protected`,
  forPeople: (program: string) => `Only people can run commands of ${program}`,
  rule: (agent?: string) => `${From(agent)} applies to this call`,
  because: (reason: string, agent?: string) => `${reason} (${from(agent)})`,
  mayMatch: (agent?: string, why?: string, reason?: string) =>
    `${From(agent)} may apply to this call${why ? `, because ${why}` : ''}${reason ? ` (${reason})` : ''}`,
};
