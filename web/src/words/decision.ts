const doors: Partial<Record<string, string>> = {
  ws: 'the dashboard',
  websocket: 'the dashboard',
  cli: 'the command line',
  rest: 'the API',
};

export const decision = {
  someone: 'someone',
  approved: (who: string) => `Approved by ${who}`,
  approvedForSession: (who: string) => `Approved by ${who} for this session`,
  approvedEverywhere: (who: string) => `Approved by ${who} in every session`,
  cleared: (who: string, what?: string) =>
    what ? `Allowed by ${who}’s standing approval: ${what}` : `Allowed by ${who}’s standing approval`,
  changed: (title: string) => `${title} with changed arguments`,
  allowedByPolicy: (rule?: string) => (rule ? `Allowed without asking: ${rule}` : 'Allowed without asking'),
  observed: (rule?: string) =>
    rule
      ? `Ran without asking, because the agent is only observed (${rule})`
      : 'Ran without asking, because the agent is only observed',
  answered: (who: string) => `Answered by ${who}`,
  declined: (who: string) => `Declined by ${who}`,
  dismissed: (who: string) => `Dismissed by ${who} without an answer`,
  unanswered: 'Not answered: there was nobody to ask',
  questionFailed: 'Not answered: the question could not be asked',
  nobodyAnsweredNote: 'Nobody answered.',
  answer: 'Answer',
  question: 'Question',
  noData: 'No answer',
  denied: (who: string) => `Denied by ${who}`,
  deniedByPolicy: (rule?: string) => (rule ? `Denied by policy: ${rule}` : 'Denied by policy'),
  nobody: (waited?: string) => (waited ? `Timed out after ${waited}` : 'Timed out'),
  nobodyNote: 'Nobody answered; it was not run.',
  invalid: 'Not run: the arguments don’t match what the tool takes. Nobody was asked.',
  tooMany: 'Denied: this agent had too many requests waiting',
  halted: (who: string) => `Not run: halted by ${who}`,
  noHandler: 'Not run: there was nobody to ask',
  handlerFailed: 'Not run: the approval request failed',
  withdrawn: (who: string) => `Withdrawn by ${who}`,
  askerGone: 'Withdrawn: nobody is waiting for the answer any more',
  systemCancelled: 'Withdrawn: whoever asked has disconnected',
  superseded: 'Replaced by a newer request for this call',
  voided: 'Withdrawn before it ran',
  via: (door: string) => `via ${doors[door] ?? door}`,
};
