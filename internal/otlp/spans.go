package otlp

import (
	"context"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/session"
)

// span is one to be sent. The names are those of OpenTelemetry's conventions for generative AI where there are any.
type span struct {
	trace.Span
	parent     [8]byte
	name       string
	kind       int
	start, end time.Time
	attributes []attribute
	failed     bool
}

// turn is an open turn of an agent.
type turn struct {
	started session.TurnStarted
	agent   string
	at      time.Time // when it began
	last    time.Time // when the model could speak next: at the beginning, or after a result
}

func (t *turn) span() trace.Span {
	return trace.Of(t.started.Traceparent, trace.Turn, t.started.TurnID)
}

// take makes spans of an event, and none if it can't read what they need.
func (x *Exporter) take(ctx context.Context, e session.Event) {
	switch e.Type {
	case session.TypeTurnStarted:
		x.begin(ctx, e)
	case session.TypeAssistantMessage:
		x.replied(ctx, e)
	case session.TypeToolResult:
		x.result(ctx, e)
	case session.TypeApprovalResolved:
		x.answered(ctx, e)
	case session.TypeTurnFinished:
		x.finished(ctx, e)
	default:
	}
}

func (x *Exporter) begin(ctx context.Context, e session.Event) {
	t := &turn{at: e.At, last: e.At}
	s, err := x.journal.Head(ctx, e.SessionID)
	if err != nil || e.Decode(&t.started) != nil {
		return
	}
	t.agent = s.AgentID
	x.turns[e.SessionID] = t
}

// turnOf returns the turn of an event. It reads the journal if the turn began before the process did.
func (x *Exporter) turnOf(ctx context.Context, e session.Event) *turn {
	if t := x.turns[e.SessionID]; t != nil {
		return t
	}
	events, err := x.journal.Events(ctx, e.SessionID, 0, 0)
	if err != nil {
		return nil
	}
	for _, earlier := range events {
		if earlier.Seq >= e.Seq {
			break
		}
		switch earlier.Type {
		case session.TypeTurnStarted:
			x.begin(ctx, earlier)
		case session.TypeTurnFinished:
			delete(x.turns, e.SessionID)
		case session.TypeToolResult:
			x.spoken(earlier)
		default:
		}
	}
	return x.turns[e.SessionID]
}

// spoken notes when the model could speak next.
func (x *Exporter) spoken(e session.Event) {
	if t := x.turns[e.SessionID]; t != nil {
		t.last = e.At
	}
}

func (x *Exporter) replied(ctx context.Context, e session.Event) {
	var m session.AssistantMessage
	t := x.turnOf(ctx, e)
	if t == nil || e.Decode(&m) != nil {
		return
	}
	turn := t.span()
	x.add(span{
		Span: trace.Of(turn.String(), trace.Chat, m.MessageID), parent: turn.ID, name: named("chat", m.Model), kind: clientKind, start: t.last, end: e.At,
		attributes: given(
			text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", m.Model), text("gen_ai.agent.name", t.agent),
			text("gen_ai.conversation.id", e.SessionID), number("gen_ai.usage.input_tokens", m.Usage.Input), number("gen_ai.usage.output_tokens", m.Usage.Output),
		),
	})
}

func (x *Exporter) finished(ctx context.Context, e session.Event) {
	var f session.TurnFinished
	t := x.turnOf(ctx, e)
	delete(x.turns, e.SessionID)
	if t == nil || e.Decode(&f) != nil {
		return
	}
	failed := ""
	if f.Outcome == session.Failed {
		failed = "error"
	}
	s := span{
		Span: t.span(), name: named("invoke_agent", t.agent), kind: internalKind, start: t.at, end: e.At, failed: failed != "",
		attributes: given(
			text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", t.agent), text("gen_ai.conversation.id", e.SessionID),
			text("lineclear.turn.id", f.TurnID), text("lineclear.outcome", string(f.Outcome)), text("error.type", failed),
		),
	}
	if parent, ok := trace.Parse(t.started.Traceparent); ok {
		s.parent = parent.ID
	}
	x.add(s)
}

// answered is the span of a request's waiting.
func (x *Exporter) answered(ctx context.Context, e session.Event) {
	a, ok := x.row(ctx, e)
	if !ok || a.Response.At.IsZero() {
		return
	}
	s := span{
		Span: trace.Of(a.Traceparent, trace.Waiting, a.ApprovalID), name: named("approval", a.ToolName), kind: internalKind, start: a.RequestedAt, end: a.Response.At,
		attributes: append(ofRow(a), given(
			text("lineclear.approval.status", string(a.Response.Status)), text("lineclear.approval.reason", string(a.Response.Reason)),
			text("lineclear.approval.via", string(a.Response.By.Via)))...),
	}
	if parent, ok := trace.Parse(a.Traceparent); ok {
		s.parent = parent.ID
	}
	x.add(s)
}

// result is the span of a call that ran.
func (x *Exporter) result(ctx context.Context, e session.Event) {
	x.spoken(e)
	var r struct {
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	a, ok := x.row(ctx, e)
	if !ok || a.ClaimedAt.IsZero() || e.Decode(&r) != nil {
		return
	}
	failed := ""
	if r.Result.IsError {
		failed = "tool_error"
	}
	waiting := trace.Of(a.Traceparent, trace.Waiting, a.ApprovalID)
	s := span{
		Span: trace.Of(a.Traceparent, trace.Running, a.ApprovalID), parent: waiting.ID, name: named("execute_tool", a.ToolName), kind: internalKind,
		start: a.ClaimedAt, end: e.At, failed: failed != "",
		attributes: append(ofRow(a), given(text("gen_ai.operation.name", "execute_tool"), text("error.type", failed))...),
	}
	if parent, ok := trace.Parse(a.Traceparent); ok {
		s.parent = parent.ID // beside the waiting
	}
	x.add(s)
}

// row reads the request that an event is about.
func (x *Exporter) row(ctx context.Context, e session.Event) (a approval.Approval, ok bool) {
	var about struct {
		ApprovalID string `json:"approvalId"`
	}
	if e.Decode(&about) != nil || about.ApprovalID == "" {
		return a, false
	}
	a, err := x.rows.Get(ctx, about.ApprovalID)
	return a, err == nil
}

func ofRow(a approval.Approval) []attribute {
	return given(
		text("gen_ai.agent.name", a.AgentID), text("gen_ai.conversation.id", a.SessionID), text("gen_ai.tool.name", a.ToolName), text("gen_ai.tool.call.id", a.ToolCallID),
		text("lineclear.approval.id", a.ApprovalID), text("lineclear.approval.type", string(a.Type)), text("lineclear.risk", string(a.Risk.Level)),
	)
}

// named is a span's name: what is done, and by or with what.
func named(operation, with string) string {
	return strings.TrimSuffix(operation+" "+with, " ")
}
