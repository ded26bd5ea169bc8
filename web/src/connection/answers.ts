import { api } from '../wire/api';
import type { Answer } from '../store/state';
import type { Store } from '../store/store';
import { texts } from './texts';
import type { AnswerData, ApprovalResponse } from '../wire/wire';

/** So long an answer that is on its way is what the person still wants. */
export const wantedFor = 60_000;

/** After so long without a word from the gateway an answer is not confirmed. */
export const confirmedWithin = 5000;

interface Line {
  send: (data: AnswerData) => void;
  heard: () => number; // how many frames
  renew: () => void;
}

/** The answers that a person has given in this tab, until the gateway has confirmed or refused them. */
export class Answers {
  // An answer that was taken back may have arrived all the same.
  private readonly takenBack = new Set<string>();
  private readonly watches = new Set<ReturnType<typeof setTimeout>>();

  constructor(
    private readonly store: Store,
    private readonly line: Line,
  ) {}

  give(data: AnswerData): void {
    const { approvalId } = data;
    if (this.store.get().answers[approvalId]?.phase === 'sending') return;
    this.takenBack.delete(approvalId);
    const at = Date.now();
    this.store.dispatch({ type: 'answering', data, at });
    this.line.send(data);
    const before = this.line.heard();
    const watch = setTimeout(() => {
      this.watches.delete(watch);
      const waits = this.store.get().answers[approvalId];
      if (waits?.phase === 'sending' && waits.at === at && this.line.heard() === before) this.line.renew();
    }, confirmedWithin);
    this.watches.add(watch);
  }

  /** It is not sent again; where it has arrived, the call is withdrawn before it starts, if there is time. */
  takeBack(approvalId: string): void {
    if (this.store.get().answers[approvalId]?.phase !== 'sending') return;
    this.takenBack.add(approvalId);
    this.store.dispatch({
      type: 'answerRefused',
      approvalId,
      code: 'taken_back',
      message: texts.answer.takenBack,
    });
  }

  /** The whole snapshot is in. The same answer again is harmless, and tells what became of it. */
  resume(): void {
    const { answers, pending } = this.store.get();
    for (const answer of Object.values(answers)) {
      if (answer.phase === 'sending') this.again(answer);
    }
    for (const approvalId of this.takenBack) {
      if (!pending[approvalId]) void this.withdraw(approvalId);
    }
  }

  /** An answer that stands, whoever gave it. */
  settled({ approvalId, status, by }: ApprovalResponse): void {
    if (!this.takenBack.has(approvalId)) return;
    if (status === 'approved' && by?.subject === this.store.get().identity?.subject)
      void this.withdraw(approvalId);
    else this.takenBack.delete(approvalId);
  }

  stop(): void {
    for (const watch of this.watches) clearTimeout(watch);
    this.watches.clear();
  }

  // Where it would only now decide something, after so long, the person is to look again.
  private again({ data, at }: Answer): void {
    const { approvalId } = data;
    const age = Date.now() - at; // below nothing when the clock was set
    if (this.store.get().pending[approvalId] && (age > wantedFor || age < 0)) {
      const message = texts.card.stale;
      this.store.dispatch({ type: 'answerRefused', approvalId, code: 'stale', message });
    } else {
      this.line.send(data);
    }
  }

  private async withdraw(approvalId: string): Promise<void> {
    this.takenBack.delete(approvalId);
    const t = texts.answer;
    try {
      await api.cancelApproval(approvalId);
      this.store.dispatch({ type: 'note', text: t.withdrawn });
    } catch {
      this.store.dispatch({ type: 'trouble', text: t.tooLate });
    }
  }
}
