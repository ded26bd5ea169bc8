import { clipped } from '../words/clipped';
import { isQuestion } from '../request/asker';
import { describeDecision, type Tone } from '../request/decision';
import { coveredBy } from '../request/granted';
import { sentenceOf } from '../request/sentence';
import { belowWords, pathOf } from './below';
import { texts } from './texts';
import { formatTime } from '../ui/clock';
import { durationBetween, timeToAnswer } from '../request/duration';
import type { ApprovalRequest, BelowRequest, ApprovalResponse, SessionEvent, ToolResult } from '../wire/wire';

/** One thing that happened, and where the conversation tells of it. */
export interface TimelineEntry {
  key: string;
  at: string;
  kind: 'said' | 'asked' | 'answered' | 'result' | 'other';
  tone?: Tone;
  text: string;
  item?: string; // key of the item in the conversation
}

/** What happened when: the journal, a line for each thing that people want to know. */
export function timelineEntries(events: readonly SessionEvent[], agentId: string): TimelineEntry[] {
  const teller = new Teller(agentId);
  return events.flatMap((event) => {
    const told = teller.tell(event);
    return told ? [{ ...told, key: `m${event.seq}`, at: event.at }] : [];
  });
}

type Told = Omit<TimelineEntry, 'key' | 'at'>;

class Teller {
  private readonly requests = new Map<string, ApprovalRequest>();
  private readonly below = new Map<string, BelowRequest>();
  private readonly began = new Map<string, string>(); // by call: when it could run
  private readonly stopped = new Set<string>(); // calls that were not approved

  constructor(private readonly agentId: string) {}

  tell(event: SessionEvent): Told | undefined {
    const t = texts.timeline;
    const item = `e${event.seq}`;
    switch (event.type) {
      case 'session.created':
        return { kind: 'other', text: t.created(event.data.session.createdBy) };
      case 'session.ended':
        return { kind: 'other', text: t.ended(event.data.outcome, event.data.by), item };
      case 'turn.started':
        return { kind: 'other', text: t.turnStarted };
      case 'turn.finished':
        return {
          kind: 'other',
          text: t.turnFinished(event.data.outcome),
          ...(event.data.outcome === 'completed' ? {} : { item }),
        };
      case 'message.user': {
        const who = event.data.by || texts.session.you;
        return { kind: 'said', text: t.said(who, shortened(event.data.text)), item };
      }
      case 'message.assistant':
        return this.spoke(event.data, event.at, item);
      case 'approval.requested':
        return this.asked(event.data);
      case 'approval.resolved':
      case 'approval.voided':
        return this.answered(event.data, event.at);
      case 'below.requested':
        this.below.set(event.data.approvalId, event.data);
        return { kind: 'asked', text: pathOf(event.data) + belowWords({ request: event.data }), item };
      case 'below.resolved': {
        const request = this.below.get(event.data.approvalId);
        if (!request) return undefined;
        return {
          kind: 'answered',
          text: pathOf(request) + belowWords({ request, response: event.data }),
          item,
        };
      }
      case 'approval.extended':
        return { kind: 'other', text: t.extended(formatTime(event.data.expiresAt)) };
      case 'tool.result':
        return this.result(event.data, event.at);
      case 'grant.given':
        return { kind: 'other', text: t.remembers(coveredBy(event.data)) };
      case 'grant.ended':
        return { kind: 'other', text: t.forgets(coveredBy(event.data)) };
    }
  }

  private spoke(
    { text, toolCalls = [] }: Extract<SessionEvent, { type: 'message.assistant' }>['data'],
    at: string,
    item: string,
  ): Told | undefined {
    for (const call of toolCalls) this.began.set(call.toolCallId, at);
    const t = texts.timeline;
    if (text) return { kind: 'said', text: t.said(this.agentId, shortened(text)), item };
    const tools = toolCalls.map((c) => c.toolName).join(', ');
    const first = toolCalls[0]?.toolCallId;
    return tools
      ? { kind: 'said', text: t.said(this.agentId, t.calls(tools)), ...(first && { item: first }) }
      : undefined;
  }

  private asked(request: ApprovalRequest): Told | undefined {
    this.requests.set(request.approvalId, request);
    const t = texts.timeline;
    const text = isQuestion(request)
      ? t.question(shortened(request.message ?? ''))
      : t.asked(inLine(request));
    return { kind: 'asked', text, item: callOf(request) };
  }

  private answered(response: ApprovalResponse, at: string): Told {
    const request = this.requests.get(response.approvalId);
    const { tone, title } = describeDecision(response, request);
    if (request?.toolCallId && request.type === 'tool_confirmation') {
      if (response.status === 'approved') this.began.set(request.toolCallId, response.at ?? at);
      else this.stopped.add(request.toolCallId);
    }
    return {
      kind: 'answered',
      tone,
      text: texts.timeline.answered(title, timeToAnswer(request, response)),
      ...(request && { item: callOf(request) }),
    };
  }

  private result({ toolCallId, toolName, result }: ToolResult, at: string): Told {
    const t = texts.timeline;
    const time = durationBetween(this.began.get(toolCallId), at);
    if (this.stopped.has(toolCallId)) return { kind: 'result', text: t.notRun(toolName), item: toolCallId };
    if (result.unreported) return { kind: 'result', text: t.unreported(toolName), item: toolCallId };
    return result.isError
      ? { kind: 'result', tone: 'no', text: t.failed(toolName, time), item: toolCallId }
      : { kind: 'result', text: t.result(toolName, time), item: toolCallId };
  }
}

/** What a call would do, on one line. */
function inLine(request: ApprovalRequest): string {
  const { code, text } = sentenceOf(request);
  return code ?? text;
}

function callOf(request: ApprovalRequest): string {
  return request.toolCallId || request.approvalId;
}

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return clipped(line, 90);
}
