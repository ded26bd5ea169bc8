import type { ApprovalRequest } from '../wire/wire';

/** The answers that are offered, each with the word on its button. */
export interface AnswerWords {
  once?: string;
  session?: string;
  deny?: string;
  cancel?: string;
}

/** The words of the tool's own where it has some, otherwise the usual ones. */
export function answerWords(
  request: ApprovalRequest,
  usual: Required<Omit<AnswerWords, 'cancel'>>,
): AnswerWords {
  const remembers = request.scopes?.includes('session');
  if (!request.options?.length)
    return { once: usual.once, session: remembers ? usual.session : undefined, deny: usual.deny };
  const word = (status: string, scope?: string) =>
    request.options?.find((o) => o.status === status && (!scope || o.scope === scope))?.word;
  const session = remembers ? word('approved', 'session') : undefined;
  return {
    once: word('approved', 'once'),
    session: session && `${session}…`, // it opens the choice of what is remembered
    deny: word('denied'),
    cancel: word('cancelled'),
  };
}
