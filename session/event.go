package session

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/tool"
)

// The topics on which a Log and an agent publish.
var (
	// Events carries every journal event, after it is durable and in journal order.
	Events = bus.NewTopic[Event]("sessionEvent")
	// Deltas carries pieces of a message that is still being written. They are
	// not kept; the message's own event has the whole text.
	Deltas = bus.NewTopic[Delta]("delta")
	// Progresses carries how far calls are that run. It is not kept.
	Progresses = bus.NewTopic[Progress]("progress")
)

// Type names what happened.
type Type string

// The types of journal events. The data of the approval ones is approval.Request
// and approval.Response, that of the grant ones approval.Grant. The below ones tell
// of a sub-agent's request; their data is approval.BelowRequest and BelowResponse.
const (
	TypeCreated           Type = "session.created"
	TypeEnded             Type = "session.ended"
	TypeTurnStarted       Type = "turn.started"
	TypeTurnFinished      Type = "turn.finished"
	TypeUserMessage       Type = "message.user"
	TypeAssistantMessage  Type = "message.assistant"
	TypeToolResult        Type = "tool.result"
	TypeApprovalRequested Type = "approval.requested"
	TypeApprovalResolved  Type = "approval.resolved"
	TypeApprovalVoided    Type = "approval.voided"
	TypeApprovalRevealed  Type = "approval.revealed"
	TypeApprovalExtended  Type = "approval.extended"
	TypeGrantGiven        Type = "grant.given"
	TypeGrantEnded        Type = "grant.ended"
	TypeBelowRequested    Type = "below.requested"
	TypeBelowResolved     Type = "below.resolved"
)

// Headline reports whether events of the type are news for everyone: a
// session's beginnings and ends, what is remembered in it, and a deadline that has moved. The others are
// for who follows the session.
func (t Type) Headline() bool {
	switch t {
	case TypeCreated, TypeEnded, TypeTurnStarted, TypeTurnFinished, TypeGrantGiven, TypeGrantEnded, TypeApprovalExtended:
		return true
	default:
		return false
	}
}

// AfterEnd reports whether events of the type are still taken once the session
// has ended: what was under way at that moment is brought to its close.
func (t Type) AfterEnd() bool {
	switch t {
	case TypeTurnFinished, TypeToolResult, TypeApprovalResolved, TypeApprovalVoided, TypeApprovalRevealed, TypeGrantEnded, TypeBelowResolved:
		return true
	default:
		return false
	}
}

// Event is one entry of a session's journal.
type Event struct {
	SessionID string    `json:"session"` // the conversation
	Seq       int64     `json:"seq"`     // its number in the conversation, from 1
	Type      Type      `json:"type"`
	At        time.Time `json:"at"`   // when it happened
	Data      tool.JSON `json:"data"` // what happened, as its type has it
}

// Decode reads the event's data into v.
func (e Event) Decode(v any) error {
	if err := json.Unmarshal(e.Data, v); err != nil {
		return fmt.Errorf("session: event %d of %s (%s): %w", e.Seq, e.SessionID, e.Type, err)
	}
	return nil
}

// Body is what an event carries; each type of event has its own.
type Body interface{ EventType() Type }

// Created is the first event of every session.
type Created struct {
	Session Session `json:"session"`
}

// EventType implements Body.
func (Created) EventType() Type { return TypeCreated }

// Ended closes a session.
type Ended struct {
	Outcome Outcome `json:"outcome"`
	By      string  `json:"by,omitempty"`   // who ended it
	Calls   Calls   `json:"calls,omitzero"` // how its calls ended; the Log fills it in
}

// IdleEnd is the Ended of sessions that EndIdle ends.
var IdleEnd = Ended{Outcome: Completed, By: "system"}

// EventType implements Body.
func (Ended) EventType() Type { return TypeEnded }

// TurnStarted opens a turn: the agent is at work from here to TurnFinished.
type TurnStarted struct {
	TurnID      string `json:"turnId"`                // the turn's id
	Traceparent string `json:"traceparent,omitempty"` // W3C Trace Context: what the turn is part of
}

// EventType implements Body.
func (TurnStarted) EventType() Type { return TypeTurnStarted }

// TurnFinished closes a turn.
type TurnFinished struct {
	TurnID  string  `json:"turnId"` // the turn's id
	Outcome Outcome `json:"outcome"`
	Message string  `json:"message,omitempty"` // of an error or a cancel: what happened, by whom
	Heard   int64   `json:"heard"`             // the newest message of a person that it was about
	Usage   Usage   `json:"usage,omitzero"`    // of replies that broke off
	Calls   Calls   `json:"calls,omitzero"`    // how its calls ended; the Log fills it in
}

// EventType implements Body.
func (TurnFinished) EventType() Type { return TypeTurnFinished }

// Outcome is how a turn or a session ended.
type Outcome string

// The outcomes; the zero value is "not ended".
const (
	Completed Outcome = "completed"
	Cancelled Outcome = "cancelled"
	Failed    Outcome = "error"
)

// UserMessage is what a person or program said.
type UserMessage struct {
	Text   string   `json:"text"`             // what was said
	By     string   `json:"by,omitempty"`     // who said it
	SentBy []string `json:"sentBy,omitempty"` // of an agent's: the people on whose word it speaks

	Traceparent string `json:"traceparent,omitempty"` // W3C Trace Context: of an agent's, the call that says it
}

// EventType implements Body.
func (UserMessage) EventType() Type { return TypeUserMessage }

// AssistantMessage is one whole reply of the model.
type AssistantMessage struct {
	MessageID string     `json:"messageId"`      // the message's id
	Seen      int64      `json:"seen"`           // the newest event that the model had read
	Text      string     `json:"text,omitempty"` // what the model said
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`                  // what the model tells of its thoughts
	Stop      string     `json:"stop,omitempty" enum:"length,refused"` // why it ended early: length or refused
	Model     string     `json:"model,omitempty"`                      // which one has said it
	Kept      tool.JSON  `json:"kept,omitempty"`                       // what that model's provider wants back; for nobody else
	Usage     Usage      `json:"usage,omitzero"`
}

// EventType implements Body.
func (AssistantMessage) EventType() Type { return TypeAssistantMessage }

// ToolCall is a call that the model asked for, under the id that we minted.
type ToolCall struct {
	ID         string    `json:"toolCallId"`           // the call's id
	ProviderID string    `json:"providerId,omitempty"` // what the model called it
	Name       string    `json:"toolName"`             // the tool's name
	Args       tool.JSON `json:"args"`                 // the arguments
}

// ToolResult is the one result of a call.
type ToolResult struct {
	CallID     string      `json:"toolCallId"`           // the call that it is of
	ApprovalID string      `json:"approvalId,omitempty"` // empty where no gated tool was found to ask for
	ToolName   string      `json:"toolName"`             // the tool that ran
	Result     tool.Result `json:"result"`
}

// EventType implements Body.
func (ToolResult) EventType() Type { return TypeToolResult }

// Delta is a piece of an assistant message that is being written.
type Delta struct {
	SessionID string `json:"session"`   // the conversation
	MessageID string `json:"messageId"` // the message that is being written
	Offset    int    `json:"offset"`    // where Text begins, in UTF-16 code units, as JavaScript counts
	Text      string `json:"text"`      // the next piece

	Elsewhere bool `json:"-"` // another node of the cluster writes it
}

// Progress is how far a call is, in units of the tool's own.
type Progress struct {
	SessionID string  `json:"session"`           // the conversation
	CallID    string  `json:"toolCallId"`        // the call that runs
	Done      float64 `json:"done"`              // how far it is
	Total     float64 `json:"total,omitzero"`    // left out: not known
	Message   string  `json:"message,omitempty"` // what it is at, in words

	Elsewhere bool `json:"-"` // the call runs at another node of the cluster
}

// UTF16Len is a text's length in UTF-16 code units, in which deltas count.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
