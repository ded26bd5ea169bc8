package wsapprover

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Protocol is the WebSocket subprotocol, and the only one that is answered.
const Protocol = "lineclear.v1"

// TicketPrefix stands before the ticket in the list of subprotocols that a
// client offers: new WebSocket(url, ["lineclear.v1", "ticket." + ticket]).
const TicketPrefix = "ticket."

// frame is one message in either direction.
type frame struct {
	Event string    `json:"event"`
	Data  tool.JSON `json:"data,omitempty"`
	ID    string    `json:"id,omitempty"`
}

// The events that a client sends.
const (
	eventHello            = "hello"
	eventSubscribe        = "subscribe"
	eventUnsubscribe      = "unsubscribe"
	eventApprovalResponse = "approvalResponse"
	eventMessage          = "message"
	eventToolStart        = "toolStart"
	eventToolResult       = "toolResult"
	eventCancel           = "cancel"
	eventCancelWaiting    = "cancelWaiting"
	eventHalt             = "halt"
	eventViewing          = "viewing"
)

// The events that only the server sends; approvalRequest, approvalResponse,
// sessionEvent and delta carry the names of their topics.
const (
	eventWelcome    = "welcome"
	eventSnapshot   = "snapshot"
	eventPresence   = "presence"
	eventToolCall   = "toolCall"
	eventToolCancel = "toolCancel"
	eventAck        = "ack"
	eventError      = "error"
)

// hello tells who the client is and what it can do.
type hello struct {
	Client       string   `json:"client,omitempty"`                                      // the client's name
	Capabilities []string `json:"capabilities" enum:"approvals,elicitation,clientTools"` // what the client takes
	Tools        []string `json:"tools,omitempty"`                                       // the client tools that it runs; with clientTools; none: any
}

// subscribe asks for a session's events after the one numbered After, and for
// what follows.
type subscribe struct {
	Session string `json:"session"`        // the conversation to follow
	After   int64  `json:"after,omitzero"` // the number of the newest event that is there already; 0: everything
}

// unsubscribe ends what subscribe began; a session that is not followed stays so.
type unsubscribe struct {
	Session string `json:"session"` // the conversation that is followed no more
}

// message is something said to a session's agent.
type message struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`          // what is said
	Seen      int64  `json:"seen,omitzero"` // the number of the newest event on the screen
	Talk      bool   `json:"talk,omitzero"` // only for the agent: it answers no request
}

// cancel withdraws one approval, or stops a session's turn.
type cancel struct {
	ApprovalID string `json:"approvalId,omitempty"` // the request to withdraw
	SessionID  string `json:"sessionId,omitempty"`  // the conversation whose turn is stopped
}

// halt stops an agent, or all of them.
type halt struct {
	AgentID string `json:"agentId,omitempty"`
	All     bool   `json:"all,omitempty"` // all agents
}

// viewing tells which approval is on the screen; empty for none.
type viewing struct {
	ApprovalID string `json:"approvalId"`
}

// toolCall is a call that the client is to run.
type toolCall struct {
	ToolCallID string    `json:"toolCallId"`
	SessionID  string    `json:"sessionId"`
	AgentID    string    `json:"agentId"`
	ToolName   string    `json:"toolName"`
	Args       tool.JSON `json:"args"`      // the arguments
	ExpiresAt  time.Time `json:"expiresAt"` // when nobody waits for the result any more
}

// toolCancel takes a call back that the client has not answered.
type toolCancel struct {
	ToolCallID string `json:"toolCallId"`
}

// toolStart says that the client has begun with a call.
type toolStart struct {
	ToolCallID string `json:"toolCallId"`
}

// toolResult is the result of a client tool.
type toolResult struct {
	ToolCallID string    `json:"toolCallId"`
	Result     tool.JSON `json:"result,omitzero"` // what came of it
	Error      string    `json:"error,omitempty"` // why it failed
}

// welcome is the server's first frame.
type welcome struct {
	ServerTime time.Time     `json:"serverTime"` // the gateway's clock, for deadlines
	Identity   auth.Identity `json:"identity"`
	Protocol   string        `json:"protocol"`          // the subprotocol
	Version    string        `json:"version,omitempty"` // of the gateway
}

// presence tells who has an approval on the screen.
type presence struct {
	ApprovalID string   `json:"approvalId"`
	Viewers    []string `json:"viewers"` // who has it on the screen
}

// ack confirms a client's frame. For an approvalResponse it carries the answer
// that stands.
type ack struct {
	Response *door.Response `json:"response,omitempty"`
	Seq      int64          `json:"seq,omitzero"`       // of a message: its number in the journal
	Answered []string       `json:"answered,omitempty"` // of words that answer: the requests that they answered
	Note     string         `json:"note,omitempty"`     // of words that answer: what came of them
}

// failure refuses a client's frame. Response is the answer that stands, where
// there is one already.
type failure struct {
	Code     string         `json:"code"`    // for programs
	Message  string         `json:"message"` // what went wrong, and what would do, for people
	Response *door.Response `json:"response,omitempty"`
}

// decodeFrame reads a client's frame; data is left for the event's own type.
func decodeFrame(raw []byte) (frame, error) {
	var f frame
	if err := strictjson.Decode(raw, &f); err != nil {
		return f, err
	}
	if f.Event == "" {
		return f, fmt.Errorf("event: missing; a frame is {\"event\": …, \"data\": …, \"id\": …}")
	}
	return f, nil
}

// decodeData reads a frame's data into v.
func (f frame) decodeData(v any) error {
	if len(f.Data) == 0 {
		return fmt.Errorf("data: missing; %s needs an object", f.Event)
	}
	if err := strictjson.Decode(f.Data, v); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return nil
}

// encodeFrame writes one of the server's frames. Data that is JSON already is taken as it is.
func encodeFrame(event, id string, data any) ([]byte, error) {
	raw, ok := data.(jsontext.Value)
	if !ok {
		var err error
		if raw, err = json.Marshal(data, json.Deterministic(true)); err != nil {
			return nil, fmt.Errorf("wsapprover: frame %s: %w", event, err)
		}
	}
	out := append(append([]byte(`{"event":"`), event...), '"')
	if s := string(raw); s != "{}" && s != "null" { // an ack may be empty
		out = append(append(out, `,"data":`...), raw...)
	}
	if id != "" {
		quoted, err := jsontext.AppendQuote(append(out, `,"id":`...), id)
		if err != nil {
			return nil, fmt.Errorf("wsapprover: frame %s: id: %w", event, err)
		}
		out = quoted
	}
	return append(out, '}'), nil
}

// textFrame is a message as it goes over the line: RFC 6455, section 5.2, unmasked and in one piece.
func textFrame(message []byte) []byte {
	const text, last = 0x1, 0x80
	frame := make([]byte, 0, 10+len(message))
	switch n := len(message); {
	case n < 126:
		frame = append(frame, last|text, byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, last|text, 126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, last|text, 127), uint64(n))
	}
	return append(frame, message...)
}
