package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lineclear/lineclear/tool"
)

var (
	// ErrCallBegun refuses to take a call back that a client has begun with.
	ErrCallBegun = errors.New("session: a client has begun with the call")
	// ErrCallGone is for a node that does not have a call, or no longer.
	ErrCallGone = errors.New("session: nobody waits for the call here")
)

// ClientCall is a call of a client tool that the node which runs its session has handed to another one,
// for a client that is connected there.
type ClientCall struct {
	ID        string    `json:"id"`
	SessionID string    `json:"sessionId"`
	AgentID   string    `json:"agentId"`
	ToolName  string    `json:"toolName"`
	Args      tool.JSON `json:"args"`
	Output    tool.JSON `json:"output,omitempty"` // JSON Schema of its result; empty: anything
	ExpiresAt time.Time `json:"expiresAt"`        // when nobody waits for it any more

	Node   int64           `json:"-"` // that it was handed to
	State  ClientCallState `json:"-"`
	Result tool.Result     `json:"-"` // once it is finished
	Gone   bool            `json:"-"` // the node does not live any more
}

// ClientCallState is how far the node is to which a call was handed.
type ClientCallState string

// The states. A call that is returned was not begun with.
const (
	CallHanded   ClientCallState = "handed"
	CallStarted  ClientCallState = "started" // a client has begun
	CallReturned ClientCallState = "returned"
	CallFinished ClientCallState = "finished"
)

// Begun reports whether a client may have begun with the call.
func (s ClientCallState) Begun() bool { return s == CallStarted || s == CallFinished }

// ClientCalls is how the nodes of a cluster hand calls of client tools to each other, as one of them has it. What it
// refuses is ErrCallBegun or ErrCallGone.
type ClientCalls interface {
	// Show tells the others who is connected here; Others is what those that live have shown.
	Show(ctx context.Context, here Clients) error
	Others(ctx context.Context) ([]Clients, error)

	// Hand gives a call to another node. TakeBack ends one that no client has begun with, and End any.
	Hand(ctx context.Context, call ClientCall) error
	TakeBack(ctx context.Context, callID string) error
	End(ctx context.Context, callID string) error

	// Start, Return and Finish are for the node that was given a call: a client of it has begun with it,
	// none can take it, or this came of it.
	Start(ctx context.Context, callID string) error
	Return(ctx context.Context, callID string) error
	Finish(ctx context.Context, callID string, result tool.Result) error

	// Open lists the calls that this node has handed out, and those that it was given. Changed has a
	// value once they have changed.
	Open(ctx context.Context) (away, here []ClientCall, err error)
	Changed() <-chan struct{}
}

// Clients is who is connected to a node.
type Clients struct {
	Node int64 `json:"-"`

	Tools   []ClientTools `json:"tools,omitempty"`   // those that run tools
	Answers [][]string    `json:"answers,omitempty"` // the agents of each that may answer; none: all
}

// ClientTools is what one client runs.
type ClientTools struct {
	Names    []string `json:"names,omitempty"`    // of its tools; none: whatever it is given
	Agents   []string `json:"agents,omitempty"`   // whose calls it takes; none: all
	Sessions []string `json:"sessions,omitempty"` // that it follows
}

// Runs reports whether the client takes calls of an agent's tool.
func (c ClientTools) Runs(agentID, name string) bool {
	return anyOr(c.Agents, agentID) && anyOr(c.Names, name)
}

// Follows reports whether the client follows a session.
func (c ClientTools) Follows(sessionID string) bool { return slices.Contains(c.Sessions, sessionID) }

// Attended reports whether somebody is there who may answer an agent's requests.
func (c Clients) Attended(agentID string) bool {
	return slices.ContainsFunc(c.Answers, func(agents []string) bool { return anyOr(agents, agentID) })
}

func anyOr(list []string, one string) bool { return len(list) == 0 || slices.Contains(list, one) }
