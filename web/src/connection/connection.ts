import ReconnectingWebSocket from 'partysocket/ws';
import { api, Problem } from '../wire/api';
import { Answers } from './answers';
import { ClientTools, clientToolNames, type Outcome } from './clientTools';
import { parseJSON } from '../wire/json';
import { ConnectionStats } from './connectionStats';
import { FrameBatcher } from './frameBatcher';
import { SessionFetcher } from './sessionFetcher';
import { wakers } from './wakers';
import { lastSeq } from '../store/state';
import type { Store } from '../store/store';
import { texts } from './texts';
import {
  PROTOCOL,
  type Ack,
  type AnswerData,
  type Capability,
  type ClientFrame,
  type Failure,
  type ServerFrame,
} from '../wire/wire';

// What a frame of ours was for, to know what its ack or error means.
type Sent =
  | { kind: 'answer'; approvalId: string }
  | { kind: 'message'; session: string; key: string }
  | { kind: 'words'; session: string; text: string; seen: number; done: (told: Told) => void }
  | { kind: 'subscribe'; session: string }
  | { kind: 'cancel' }
  | { kind: 'ping'; at: number; done: (took: number) => void }
  | { kind: 'tool'; said: Extract<ClientFrame, { event: 'toolStart' | 'toolResult' }> }
  | { kind: 'other' };

/** What became of words that may be an answer: where they were not taken, they stay where they were typed. */
export interface Told {
  taken: boolean;
  note?: string;
}

// The gateway's pings are not visible to a page, so it makes sure itself that
// the line is not dead: it says something, and expects any frame in return.
const quietFor = 20_000;
const patience = 10_000;

// After so long without a word the tab has slept: even in a hidden one, whose
// timers come once a minute, something would have been heard.
const stale = 150_000;

// Who scrolls past a request does not look at it.
const lookFor = 300;

/** The one WebSocket of a tab: connects, resumes, and carries what the person does. */
export class Connection {
  private socket: ReconnectingWebSocket | undefined;
  private readonly sent = new Map<string, Sent>();
  private readonly followed = new Set<string>(); // sessions, on this socket
  private readonly frames: FrameBatcher;
  private readonly sessions: SessionFetcher;
  private nextId = 1;
  private attempts = 0;
  private beat: ReturnType<typeof setTimeout> | undefined;
  private stopListening: (() => void) | undefined;

  private looking = ''; // the request that this tab shows
  private looked = ''; // as the gateway knows it
  private telling: ReturnType<typeof setTimeout> | undefined;

  /** What this tab knows of its line. */
  readonly stats = new ConnectionStats();

  private readonly tools: ClientTools;
  private readonly answers: Answers;

  constructor(private readonly store: Store) {
    this.frames = new FrameBatcher(store);
    this.sessions = new SessionFetcher(store);
    this.tools = new ClientTools(store, (said) => void this.send(said, { kind: 'tool', said }));
    this.answers = new Answers(store, {
      send: (data) =>
        void this.send({ event: 'approvalResponse', data }, { kind: 'answer', approvalId: data.approvalId }),
      heard: () => this.stats.received,
      renew: this.networkGone,
    });
  }

  start(): void {
    if (this.socket) return;
    const url = `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/ws`;
    const socket = new ReconnectingWebSocket(url, () => this.protocols(), {
      minReconnectionDelay: 400,
      maxReconnectionDelay: 8000,
      reconnectionDelayGrowFactor: 1.6,
      minUptime: 2000,
      connectionTimeout: 8000,
      maxEnqueuedMessages: 0, // what to send after a reconnect is decided here, when the snapshot is in
    });
    socket.addEventListener('open', () => this.opened());
    socket.addEventListener('message', (e: MessageEvent) => this.received(String(e.data)));
    socket.addEventListener('close', (e) => {
      this.stats.closed(e.code, e.reason);
      this.lost();
    });
    window.addEventListener('offline', this.networkGone);
    window.addEventListener('online', this.networkBack);
    for (const [on, name] of wakers()) on.addEventListener(name, this.woken);
    this.socket = socket;
    this.sessions.start();
    this.stopListening = this.store.subscribe(() => this.follow());
  }

  stop(): void {
    clearTimeout(this.beat);
    clearTimeout(this.telling);
    this.answers.stop();
    this.frames.stop();
    this.sessions.stop();
    this.stopListening?.();
    window.removeEventListener('offline', this.networkGone);
    window.removeEventListener('online', this.networkBack);
    for (const [on, name] of wakers()) on.removeEventListener(name, this.woken);
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
  }

  answer(data: AnswerData): void {
    this.answers.give(data);
  }

  /** Takes back an unconfirmed answer. */
  takeBack(approvalId: string): void {
    this.answers.takeBack(approvalId);
  }

  /** Says something to the agent. Nothing in it answers a request. */
  say(session: string, text: string, key = `m${Date.now()}-${this.nextId}`): void {
    const entry = this.store.get().sessions[session];
    const seen = entry ? lastSeq(entry) : 0;
    this.store.dispatch({ type: 'saying', session, message: { key, text, seen, phase: 'sending' } });
    const data = { sessionId: session, text, seen, talk: true };
    if (!this.send({ event: 'message', data }, { kind: 'message', session, key })) {
      this.store.dispatch({ type: 'sayFailed', session, key, error: texts.composer.offline });
    }
  }

  /** Says something where a request waits: the gateway takes it as an answer, where it is one, to what was seen by then. */
  tell(session: string, text: string, seen: number): Promise<Told> {
    return new Promise((done) => {
      const sent = this.send(
        { event: 'message', data: { sessionId: session, text, seen } },
        { kind: 'words', session, text, seen, done },
      );
      if (!sent) done({ taken: false, note: texts.composer.offline });
    });
  }

  /** Gives up a message that was not sent. */
  discard(session: string, key: string): void {
    this.store.dispatch({ type: 'said', session, key });
  }

  /** Stops the session's turn and withdraws all that it asks. */
  cancel(session: string): void {
    this.send({ event: 'cancel', data: { sessionId: session } }, { kind: 'cancel' });
  }

  /** What a person did about something that an agent asked of this tab. */
  finishTool(toolCallId: string, outcome: Outcome): void {
    this.tools.finish(toolCallId, outcome);
  }

  /** Tells the others that this tab shows a request, or does not any more. */
  look(approvalId: string, looks: boolean): void {
    if (looks) this.looking = approvalId;
    else if (this.looking === approvalId) this.looking = '';
    this.telling ??= setTimeout(() => {
      this.telling = undefined;
      if (this.looking !== this.looked) this.tellLooking();
    }, lookFor);
  }

  /** Asks the gateway for a sign of life; in ms, how long it took. */
  ping(): Promise<number> {
    return new Promise((done, failed) => {
      const data = { approvalId: this.looking };
      const sent = this.send({ event: 'viewing', data }, { kind: 'ping', at: performance.now(), done });
      if (!sent) failed(new Error(texts.composer.offline));
    });
  }

  private tellLooking(): void {
    const data = { approvalId: this.looking };
    if (this.send({ event: 'viewing', data }, { kind: 'other' })) this.looked = this.looking;
  }

  private async protocols(): Promise<string[]> {
    if (this.attempts++ > 0) this.phase('offline');
    try {
      return [PROTOCOL, `ticket.${await api.ticket()}`];
    } catch (error) {
      if (error instanceof Problem && error.status === 401) {
        this.stop();
        this.store.dispatch({ type: 'loggedOut', end: api.loginEnd() });
      }
      throw error;
    }
  }

  private phase(phase: 'connecting' | 'online' | 'offline'): void {
    // A tab that never was online is connecting until the second try.
    this.store.dispatch({ type: 'connection', connection: { phase, attempts: this.attempts } });
  }

  private opened(): void {
    this.stats.opened();
    this.forget();
    this.followed.clear();
    const capabilities: Capability[] = ['approvals', 'elicitation', 'clientTools'];
    const data = { client: 'dashboard', capabilities, tools: clientToolNames };
    this.send({ event: 'hello', data }, { kind: 'other' });
    this.listen();
  }

  private lost(): void {
    clearTimeout(this.beat);
    this.forget();
    this.frames.flush();
    if (this.socket) this.phase('offline');
  }

  /** What was on its way may have arrived; of words nobody can tell whether they were an answer. */
  private forget(): void {
    for (const [id, sent] of this.sent) {
      if (sent.kind !== 'words') continue;
      const { session, text, seen, done } = sent;
      const message = { key: `m${Date.now()}-${id}`, text, seen, phase: 'sending' as const };
      this.store.dispatch({ type: 'saying', session, message });
      done({ taken: true });
    }
    this.sent.clear();
  }

  private readonly networkGone = (): void => {
    this.lost();
    this.socket?.reconnect();
  };

  private readonly networkBack = (): void => {
    if (this.store.get().connection.phase !== 'online') this.socket?.reconnect();
  };

  // A tab that has slept may hold a line that is long dead, and a clock that
  // was set since: it starts over from a snapshot and the gateway's time.
  private readonly woken = (): void => {
    if (!this.socket || document.visibilityState !== 'visible') return;
    if (this.store.get().connection.phase !== 'online') return;
    if (this.hasSlept()) this.networkGone();
  };

  private hasSlept(): boolean {
    return this.stats.silentFor() > stale || this.stats.clockWasMoved();
  }

  private received(raw: string): void {
    let frame: ServerFrame;
    this.stats.heard();
    try {
      frame = parseJSON(raw) as ServerFrame;
    } catch {
      this.socket?.reconnect(); // a broken frame may have been a card: start again from a snapshot
      return;
    }
    this.listen();
    if (
      frame.event === 'sessionEvent' &&
      this.store.get().sessions[frame.data.session]?.follow === 'asking'
    ) {
      this.frames.replayed(frame.data);
      return;
    }
    this.frames.take(frame);
    if (frame.event === 'welcome') this.stats.welcomed(frame.data.protocol, frame.data.version);
    if (frame.event === 'snapshot' && !frame.data.more) this.resume();
    if (frame.event === 'ack') this.acknowledged(frame.id ?? '', frame.data ?? {});
    if (frame.event === 'approvalResponse') this.answers.settled(frame.data);
    if (frame.event === 'toolCall') this.tools.received(frame.data);
    if (frame.event === 'toolCancel') this.tools.cancelled(frame.data.toolCallId);
    if (frame.event === 'error') this.refused(frame.id ?? '', frame.data);
  }

  /** The whole snapshot is in: from here on the tab is up to date. */
  private resume(): void {
    this.attempts = 0;
    this.phase('online');
    this.looked = '';
    if (this.looking) this.tellLooking();
    this.answers.resume();
  }

  /** Follows the session on the screen from the last event that is known, and no more those long gone from it. */
  private follow(): void {
    const { viewing, sessions, connection } = this.store.get();
    for (const id of this.followed) {
      if (sessions[id] && sessions[id].follow !== 'left') continue;
      this.followed.delete(id);
      this.send({ event: 'unsubscribe', data: { session: id } }, { kind: 'other' });
    }
    const entry = viewing === undefined ? undefined : sessions[viewing];
    if (!viewing || !entry || connection.phase !== 'online') return;
    if (entry.follow !== 'none' && entry.follow !== 'left') return;
    this.followed.add(viewing);
    this.store.dispatch({ type: 'follow', session: viewing, follow: 'asking' });
    this.send(
      { event: 'subscribe', data: { session: viewing, after: lastSeq(entry) } },
      { kind: 'subscribe', session: viewing },
    );
  }

  private acknowledged(id: string, ack: Ack): void {
    const sent = this.take(id);
    if (sent?.kind === 'answer' && ack.response) {
      this.store.dispatch({ type: 'answerTaken', response: ack.response });
    }
    if (sent?.kind === 'ping') sent.done(performance.now() - sent.at);
    if (sent?.kind === 'message') {
      const { session, key } = sent;
      this.store.dispatch({ type: 'said', session, key, ...(ack.seq !== undefined && { seq: ack.seq }) });
    }
    if (sent?.kind === 'words') {
      const taken = ack.seq !== undefined || (ack.answered ?? []).length > 0;
      sent.done({ taken, ...(ack.note && { note: ack.note }) });
    }
    if (sent?.kind === 'subscribe') {
      this.store.dispatch({ type: 'follow', session: sent.session, follow: 'live' });
    }
  }

  private refused(id: string, failure: Failure): void {
    const sent = this.take(id);
    const message = texts.errors[failure.code] ?? failure.message;
    this.stats.failed(`${failure.code}: ${failure.message}`);
    switch (sent?.kind) {
      case 'answer':
        if (failure.response) {
          this.store.dispatch({
            type: 'answerLate',
            approvalId: sent.approvalId,
            response: failure.response,
          });
        } else {
          const { approvalId } = sent;
          const detail = failure.code === 'invalid' ? failure.message : message;
          this.store.dispatch({ type: 'answerRefused', approvalId, code: failure.code, message: detail });
        }
        return;
      case 'message':
        this.store.dispatch({ type: 'sayFailed', session: sent.session, key: sent.key, error: message });
        return;
      case 'words':
        sent.done({ taken: false, note: failure.code === 'invalid' ? failure.message : message });
        return;
      case 'subscribe':
        this.store.dispatch({ type: 'follow', session: sent.session, follow: 'unknown' });
        return;
      case 'tool':
        this.tools.refused(sent.said, failure);
        return;
      default:
        this.store.dispatch({ type: 'trouble', text: message });
    }
  }

  private take(id: string): Sent | undefined {
    const sent = this.sent.get(id);
    this.sent.delete(id);
    return sent;
  }

  private send(frame: ClientFrame, sent: Sent): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    const id = `c${this.nextId++}`;
    this.sent.set(id, sent);
    this.socket.send(JSON.stringify({ ...frame, id }));
    this.stats.sent++;
    return true;
  }

  private listen(): void {
    clearTimeout(this.beat);
    this.beat = setTimeout(() => {
      if (this.hasSlept()) {
        this.networkGone();
        return;
      }
      this.tellLooking();
      this.beat = setTimeout(() => this.socket?.reconnect(), patience);
    }, quietFor);
  }
}
