package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lineclear/lineclear/tool"
)

var (
	// ErrCallBegun refuses to take back a call that a client has started.
	ErrCallBegun = errors.New("session: a client has begun with the call")
	// ErrCallGone is returned to a node that does not have the call, or no longer.
	ErrCallGone = errors.New("session: nobody waits for the call here")
)

// ClientCall is a call of a client tool that the node which runs its session has handed to another node, for a client
// connected there.
type ClientCall struct {
	ID        string    `json:"id"`
	SessionID string    `json:"sessionId"`
	AgentID   string    `json:"agentId"`
	ToolName  string    `json:"toolName"`
	Args      tool.JSON `json:"args"`
	Output    tool.JSON `json:"output,omitempty"` // JSON Schema of its result; empty: anything
	ExpiresAt time.Time `json:"expiresAt"`        // its deadline: after that, its result is not waited for

	Node   int64           `json:"-"` // the node that it was handed to
	State  ClientCallState `json:"-"`
	Result tool.Result     `json:"-"` // once it is finished
	Gone   bool            `json:"-"` // that node is gone
}

// ClientCallState is how far a call is at the node that it was handed to.
type ClientCallState string

// The states. No client has started a call that is returned.
const (
	CallHanded   ClientCallState = "handed"
	CallStarted  ClientCallState = "started" // a client has started it
	CallReturned ClientCallState = "returned"
	CallFinished ClientCallState = "finished"
)

// Begun reports whether a client may have started the call.
func (s ClientCallState) Begun() bool { return s == CallStarted || s == CallFinished }

// ClientCalls is how a node of a cluster exchanges calls of client tools with the others. It refuses with
// ErrCallBegun or ErrCallGone.
type ClientCalls interface {
	// Show tells the other nodes who is connected here; Others returns what those that are live have shown.
	Show(ctx context.Context, here Clients) error
	Others(ctx context.Context) ([]Clients, error)

	// Hand gives a call to another node. TakeBack ends a call that no client has started, and End any call.
	Hand(ctx context.Context, call ClientCall) error
	TakeBack(ctx context.Context, callID string) error
	End(ctx context.Context, callID string) error

	// Start, Return and Finish are for the node that was given a call: its client has started it, no client can take
	// it, or this is its result.
	Start(ctx context.Context, callID string) error
	Return(ctx context.Context, callID string) error
	Finish(ctx context.Context, callID string, result tool.Result) error

	// Open lists the calls that this node has handed out, and those that it was given. Changed receives a value after
	// they have changed.
	Open(ctx context.Context) (away, here []ClientCall, err error)
	Changed() <-chan struct{}
}

// Clients is who is connected to a node.
type Clients struct {
	Node int64 `json:"-"`

	Tools   []ClientTools `json:"tools,omitempty"`   // the clients that run tools
	Answers [][]string    `json:"answers,omitempty"` // for each client that may answer, its agents; none: all
}

// ClientTools is what one client runs.
type ClientTools struct {
	Names    []string `json:"names,omitempty"`    // of its tools; none: any
	Agents   []string `json:"agents,omitempty"`   // whose calls it takes; none: all
	Sessions []string `json:"sessions,omitempty"` // that it follows
}

// Runs reports whether the client takes calls of an agent's tool.
func (c ClientTools) Runs(agentID, name string) bool {
	return anyOr(c.Agents, agentID) && anyOr(c.Names, name)
}

// Follows reports whether the client follows a session.
func (c ClientTools) Follows(sessionID string) bool { return slices.Contains(c.Sessions, sessionID) }

// Attended reports whether a client is connected that may answer an agent's requests.
func (c Clients) Attended(agentID string) bool {
	return slices.ContainsFunc(c.Answers, func(agents []string) bool { return anyOr(agents, agentID) })
}

func anyOr(list []string, one string) bool { return len(list) == 0 || slices.Contains(list, one) }
