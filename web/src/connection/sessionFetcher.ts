import type { Store } from '../store/store';
import { api, Problem } from '../wire/api';

// Where the gateway could not answer it is asked again after so long.
const pause = 5000;

/** Fetches sessions that were spoken of and are not known, one after the other. */
export class SessionFetcher {
  private busy = false;
  private stopListening: (() => void) | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  start(): void {
    this.stopListening = this.store.subscribe(() => void this.fetch());
  }

  stop(): void {
    this.stopListening?.();
    this.stopListening = undefined;
    clearTimeout(this.resting);
    this.resting = undefined;
  }

  private async fetch(): Promise<void> {
    const { wanted, connection } = this.store.get();
    if (this.busy || this.resting !== undefined || connection.phase !== 'online') return;
    const next = Object.entries(wanted).find(([, times]) => times !== 'none');
    if (!next) return;
    const [id, times] = next as [string, number];
    this.busy = true;
    const done = await this.ask(id, times);
    this.busy = false;
    if (!this.stopListening) return;
    if (done) void this.fetch();
    else this.rest();
  }

  private async ask(id: string, times: number): Promise<boolean> {
    try {
      const session = await api.session(id);
      this.store.dispatch({ type: 'wantedSession', id, times, session });
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) return false;
      this.store.dispatch({ type: 'wantedSession', id, times });
    }
    return true;
  }

  private rest(): void {
    this.resting = setTimeout(() => {
      this.resting = undefined;
      void this.fetch();
    }, pause);
  }
}
