import { confirmedWithin } from '../connection/answers';
import { useSecondsLeft, useTicking } from '../ui/clock';
import { useConnection } from '../connection/context';
import type { Answer } from '../store/state';
import { useStore } from '../store/store';
import type { AnswerData, ApprovalRequest } from '../wire/wire';

export interface Answering {
  answer: Answer | undefined;
  online: boolean;
  sending: boolean;
  unconfirmed: boolean; // sent, but not confirmed in time, or the connection is down
  late: boolean;
  blocked: boolean;
  takeBack: () => void;
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
  const now = useTicking(sending);
  const unconfirmed = sending && (!online || now - answer.at >= confirmedWithin);
  const { approvalId, sessionId, argsDigest } = request;
  return {
    answer,
    online,
    sending,
    unconfirmed,
    late,
    blocked: !online || sending || late,
    takeBack: () => connection.takeBack(approvalId),
    send: (rest) => connection.answer({ approvalId, sessionId, argsDigest, ...rest }),
  };
}
