import { addressOf } from '../wire/address';
import type { ClientCall, Showing } from '../store/state';
import type { Store } from '../store/store';
import { texts } from './texts';
import type { ClientFrame, ClientToolCall, Failure } from '../wire/wire';

/** The tools that agents can use in this page. */
export const clientToolNames = ['ui.showNotification', 'ui.openLink', 'ui.copyText'];

/** What came of a call, as the gateway is told. */
export type Outcome = { result: unknown } | { error: string };

type Reply = Extract<ClientFrame, { event: 'toolStart' | 'toolResult' }>;

const remembered = 200;

/**
 * The calls of tools that run in this tab. A call is shown once and done once:
 * one that comes again is answered with what came of it.
 */
export class ClientTools {
  private readonly done = new Map<string, Outcome>();

  constructor(
    private readonly store: Store,
    private readonly send: (frame: Reply) => void,
  ) {}

  received(call: ClientToolCall): void {
    const { toolCallId } = call;
    const before = this.done.get(toolCallId);
    if (before) {
      this.report(toolCallId, before);
      return;
    }
    if (!this.shown(toolCallId)) {
      const showing = presentationOf(call);
      if ('error' in showing) {
        this.settle(toolCallId, showing);
        return;
      }
      this.store.dispatch({ type: 'clientShown', shown: { call, showing } });
    }
    this.send({ event: 'toolStart', data: { toolCallId } });
    // A notice is done when it is shown; it stays to be read.
    if (this.shown(toolCallId)?.showing.kind === 'notification') {
      this.settle(toolCallId, { result: { shown: true } });
    }
  }

  /** What a person did about a call that is on the screen. */
  finish(toolCallId: string, outcome: Outcome): void {
    if (!this.shown(toolCallId)) return;
    this.store.dispatch({ type: 'clientHidden', toolCallId });
    if (!this.done.has(toolCallId)) this.settle(toolCallId, outcome);
  }

  /** Nobody waits for it any more. */
  cancelled(toolCallId: string): void {
    this.store.dispatch({ type: 'clientHidden', toolCallId });
  }

  /** The gateway would not take what this tab said of a call. */
  refused(said: Reply, failure: Failure): void {
    const { toolCallId } = said.data;
    if (failure.code === 'unknown_call') {
      if (!this.done.has(toolCallId)) this.cancelled(toolCallId);
      return;
    }
    // The call waits on; that its result does not fit is told in its place, once.
    if (said.event === 'toolResult' && 'result' in said.data) {
      this.settle(toolCallId, { error: failure.message });
    }
  }

  private settle(toolCallId: string, outcome: Outcome): void {
    this.done.set(toolCallId, outcome);
    const oldest = this.done.keys().next();
    if (this.done.size > remembered && !oldest.done) this.done.delete(oldest.value);
    this.report(toolCallId, outcome);
  }

  private report(toolCallId: string, outcome: Outcome): void {
    this.send({ event: 'toolResult', data: { toolCallId, ...outcome } });
  }

  private shown(toolCallId: string): ClientCall | undefined {
    return this.store.get().clientCalls.find((c) => c.call.toolCallId === toolCallId);
  }
}

/** How a call is shown, or why it can't be. */
export function presentationOf(call: ClientToolCall): Showing | { error: string } {
  const t = texts.clientTools;
  switch (call.toolName) {
    case 'ui.showNotification':
    case 'ui.copyText': {
      const text = member(call.args, 'text');
      if (!text) return { error: t.needsText('text') };
      return { kind: call.toolName === 'ui.copyText' ? 'copy' : 'notification', text };
    }
    case 'ui.openLink': {
      const written = member(call.args, 'url');
      if (!written) return { error: t.needsText('url') };
      const address = addressOf(written);
      return address ? { kind: 'link', ...address } : { error: t.notAddress };
    }
    default:
      return { error: t.unknown(call.toolName) };
  }
}

function member(args: unknown, name: string): string | undefined {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return undefined;
  const value = (args as Record<string, unknown>)[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
