import { isQuestion } from '../request/asker';
import { durationBetween } from '../request/duration';
import type { Below } from './below';
import type {
  ApprovalRequest,
  ApprovalResponse,
  AssistantMessage,
  BelowRequest,
  Grant,
  Outcome,
  SessionEvent,
  ToolCall,
  ToolResult,
} from '../wire/wire';

/** One time that a call was asked for: the first, or after the world had changed. */
export interface Round {
  approvalId: string;
  request?: ApprovalRequest;
  response?: ApprovalResponse;
  voided?: ApprovalResponse;
}

export interface CallItem {
  kind: 'call';
  key: string;
  call: ToolCall;
  at: string;
  rounds: Round[];
  result?: ToolResult;
  resultAt?: string;
}

export type Item =
  | { kind: 'user'; key: string; text: string; by?: string; at: string }
  | { kind: 'assistant'; key: string; text: string; reasoning?: string; stop?: string; at: string }
  | CallItem
  | { kind: 'turn'; key: string; outcome: Outcome; message?: string; at: string }
  | { kind: 'forgotten'; key: string; grant: Grant; at: string }
  | ({ kind: 'below'; key: string; at: string } & Below)
  | { kind: 'ended'; key: string; outcome: Outcome; by?: string; at: string };

/**
 * The journal as people read it: what was said, and each call with how often it
 * was asked for, what was decided and what it gave. Requests of programs that
 * have no conversation here stand as calls of their own.
 */
export function buildTranscript(
  events: readonly SessionEvent[],
  pending: readonly ApprovalRequest[],
): Item[] {
  const builder = new Builder();
  for (const event of events) builder.add(event);
  // A card may be here before its entry in the journal is.
  for (const request of pending) builder.request(request);
  return builder.items;
}

/**
 * The same of a journal that grows: only what is new is read, and an item that
 * has not changed stays the same object, so that nothing is redrawn for it.
 */
export class Transcript {
  private builder = new Builder();
  private read: readonly SessionEvent[] = [];

  of(events: readonly SessionEvent[], pending: readonly ApprovalRequest[]): Item[] {
    const known = this.read.length;
    if (events.length < known || events[known - 1] !== this.read.at(-1)) {
      this.builder = new Builder();
      this.read = [];
    }
    for (const event of events.slice(this.read.length)) this.builder.add(event);
    this.read = events;
    // What is not in the journal yet will be in a moment, and may stand elsewhere then.
    if (pending.some((request) => !this.builder.knows(request))) return buildTranscript(events, pending);
    return this.builder.settled();
  }
}

class Builder {
  readonly items: Item[] = [];
  private readonly calls = new Map<string, CallItem>();
  private readonly rounds = new Map<string, Round>();
  private readonly below = new Map<string, BelowRequest>();
  // For whoever keeps items: copies of them, and which calls have changed since.
  private readonly copies: Item[] = [];
  private readonly homes = new Map<string, CallItem>(); // by approval
  private readonly places = new Map<CallItem, number>();
  private readonly changed = new Set<CallItem>();

  knows({ approvalId }: ApprovalRequest): boolean {
    return this.homes.has(approvalId);
  }

  settled(): Item[] {
    for (const item of this.items.slice(this.copies.length)) this.copies.push(copyOf(item));
    for (const call of this.changed) this.copies[this.places.get(call)!] = copyOf(call);
    this.changed.clear();
    return [...this.copies];
  }

  add(event: SessionEvent): void {
    const { at } = event;
    const key = `e${event.seq}`;
    switch (event.type) {
      case 'message.user':
        this.items.push({ kind: 'user', key, at, text: event.data.text, by: event.data.by });
        break;
      case 'message.assistant':
        this.speech(event.data, key, at);
        break;
      case 'approval.requested':
        this.request(event.data);
        break;
      case 'approval.resolved':
        this.touched(event.data.approvalId).response = event.data;
        break;
      case 'approval.extended': {
        const round = this.touched(event.data.approvalId);
        if (round.request) round.request = { ...round.request, ...event.data };
        break;
      }
      case 'approval.voided':
        this.touched(event.data.approvalId).voided = event.data;
        break;
      case 'below.requested':
        this.below.set(event.data.approvalId, event.data);
        this.items.push({ kind: 'below', key, at, request: event.data });
        break;
      case 'below.resolved': {
        const request = this.below.get(event.data.approvalId);
        if (request) this.items.push({ kind: 'below', key, at, request, response: event.data });
        break;
      }
      case 'tool.result':
        this.result(event.data, at);
        break;
      case 'turn.finished':
        if (event.data.outcome !== 'completed') this.items.push({ kind: 'turn', key, at, ...event.data });
        break;
      case 'session.ended':
        this.items.push({ kind: 'ended', key, at, outcome: event.data.outcome, by: event.data.by });
        break;
      case 'grant.ended':
        // That everything ends with its session goes without saying.
        if (event.data.ended?.reason !== 'session_ended') {
          this.items.push({ kind: 'forgotten', key, at, grant: event.data });
        }
        break;
      case 'grant.given': // stands on the answer that gave it
      case 'session.created':
      case 'turn.started':
        break;
    }
  }

  // Why a reply has ended early is told also where it has no words.
  private speech({ text = '', reasoning, stop, toolCalls = [] }: AssistantMessage, key: string, at: string) {
    if (text || reasoning || stop) {
      this.items.push({ kind: 'assistant', key, at, text, reasoning, stop });
    }
    for (const call of toolCalls) this.call(call, at);
  }

  request(request: ApprovalRequest): void {
    const round = this.round(request.approvalId);
    if (round.request) return;
    round.request = request;
    const call = this.call(
      {
        toolCallId: this.callOf(request),
        toolName: request.toolName ?? '',
        args: request.args,
      },
      request.requestedAt,
    );
    call.rounds.push(round);
    this.changed.add(call);
    this.homes.set(request.approvalId, call);
  }

  private result(result: ToolResult, at: string): void {
    const { toolCallId, toolName } = result;
    const call = this.call({ toolCallId, toolName, args: undefined }, at);
    call.result = result;
    call.resultAt = at;
    this.changed.add(call);
  }

  /** A question that a call puts to a person, such as ask_user's, stands with that call. */
  private callOf(request: ApprovalRequest): string {
    const id = request.toolCallId || request.approvalId;
    const asking = id.slice(0, id.lastIndexOf('/'));
    return isQuestion(request) && this.calls.has(asking) ? asking : id;
  }

  private call(call: ToolCall, at: string): CallItem {
    const known = this.calls.get(call.toolCallId);
    if (known) return known;
    const item: CallItem = { kind: 'call', key: call.toolCallId, call, at, rounds: [] };
    this.calls.set(call.toolCallId, item);
    this.places.set(item, this.items.length);
    this.items.push(item);
    return item;
  }

  private touched(approvalId: string): Round {
    const call = this.homes.get(approvalId);
    if (call) this.changed.add(call);
    return this.round(approvalId);
  }

  private round(approvalId: string): Round {
    const round = this.rounds.get(approvalId) ?? { approvalId };
    this.rounds.set(approvalId, round);
    return round;
  }
}

function copyOf(item: Item): Item {
  return item.kind === 'call' ? { ...item, rounds: item.rounds.map((round) => ({ ...round })) } : item;
}

/** How long a call ran: from its answer, or from the call where nobody had to answer, to its result. */
export function callDuration(item: CallItem): string {
  const answers = item.rounds.flatMap((r) =>
    r.response && r.request?.type !== 'elicitation' ? (r.response.at ?? []) : [],
  );
  return durationBetween(answers.at(-1) ?? item.at, item.resultAt);
}
