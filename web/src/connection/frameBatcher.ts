import type { Action } from '../store/reducer';
import type { Store } from '../store/store';
import type { ServerFrame, SessionEvent } from '../wire/wire';

// Nobody sees more than one picture in so long.
const drawEvery = 33;

const urgent: ServerFrame['event'][] = ['welcome', 'snapshot', 'ack', 'error', 'toolCall', 'toolCancel'];

/**
 * Hands frames of the gateway to the store, in order. They may come faster than
 * anybody reads, and than a page can draw, which the gateway would cut off: those
 * that come close together are drawn together.
 */
export class FrameBatcher {
  // A journal that is being replayed is shown at once, not entry by entry.
  private replay: SessionEvent[] = [];
  private waiting: Action[] = [];
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  replayed(event: SessionEvent): void {
    this.replay.push(event);
  }

  /** What the tab waits for itself is taken in at once, after all that came before. */
  take(frame: ServerFrame): void {
    const action: Action = { type: 'frame', frame, now: Date.now() };
    if (this.resting !== undefined && !urgent.includes(frame.event)) this.waiting.push(action);
    else this.draw(action);
  }

  /** Takes in all that has come. */
  flush(): void {
    this.store.dispatch(...this.held());
  }

  stop(): void {
    clearTimeout(this.resting);
    this.resting = undefined;
    this.flush();
  }

  private draw(...actions: Action[]): void {
    this.resting ??= setTimeout(() => {
      this.resting = undefined;
      if (this.waiting.length > 0) this.draw();
    }, drawEvery);
    this.store.dispatch(...this.held(), ...actions);
  }

  private held(): Action[] {
    const journal: Action[] = this.replay.length > 0 ? [{ type: 'journal', events: this.replay }] : [];
    const actions = [...journal, ...this.waiting];
    this.replay = [];
    this.waiting = [];
    return actions;
  }
}
