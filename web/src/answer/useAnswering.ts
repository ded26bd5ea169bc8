import { useSecondsLeft } from '../ui/clock';
import { useConnection } from '../connection/context';
import type { Answer } from '../store/state';
import { useStore } from '../store/store';
import type { AnswerData, ApprovalRequest } from '../wire/wire';

export interface Answering {
  answer: Answer | undefined;
  online: boolean;
  sending: boolean;
  late: boolean;
  blocked: boolean;
  send: (rest: Omit<AnswerData, 'approvalId' | 'sessionId' | 'argsDigest'>) => void;
}

/** How the answer to a request stands, and the way to give it: for what was on the screen. */
export function useAnswering(request: ApprovalRequest): Answering {
  const connection = useConnection();
  const online = useStore((s) => s.connection.phase === 'online');
  const answer = useStore((s) => s.answers[request.approvalId]);
  const offset = useStore((s) => s.clockOffset);
  const late = useSecondsLeft(request.expiresAt, offset) === 0;
  const sending = answer?.phase === 'sending';
  const { approvalId, sessionId, argsDigest } = request;
  return {
    answer,
    online,
    sending,
    late,
    blocked: !online || sending || late,
    send: (rest) => connection.answer({ approvalId, sessionId, argsDigest, ...rest }),
  };
}
