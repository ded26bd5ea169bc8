import { api } from '../wire/api';
import type { Answer } from '../store/state';
import type { Store } from '../store/store';
import { texts } from './texts';
import type { AnswerData, ApprovalResponse } from '../wire/wire';

/** How long an answer in flight still counts as wanted, in ms. */
export const wantedFor = 60_000;

/** How long the gateway has to confirm an answer, in ms; after that it is shown as unconfirmed. */
export const confirmedWithin = 5000;

interface Line {
  send: (data: AnswerData) => void;
  heard: () => number; // number of frames received
  renew: () => void;
}

/** Tracks the answers given in this tab until the gateway confirms or refuses them. */
export class Answers {
  // They may have arrived anyway.
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

  /** Stops sending it again. If it has arrived, the call is withdrawn, if there is time before it starts. */
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

  /** Called when the whole snapshot is in. Sending an answer again is harmless, and tells what became of it. */
  resume(): void {
    const { answers, pending } = this.store.get();
    for (const answer of Object.values(answers)) {
      if (answer.phase === 'sending') this.again(answer);
    }
    for (const approvalId of this.takenBack) {
      if (!pending[approvalId]) void this.withdraw(approvalId);
    }
  }

  /** Called when a request is settled, by whoever. */
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

  // If the request is still pending after so long, the person has to look again.
  private again({ data, at }: Answer): void {
    const { approvalId } = data;
    const age = Date.now() - at; // negative if the clock was set back
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
