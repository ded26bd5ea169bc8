package wsapprover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ClientTools hands the calls of tools that run in clients to tabs, one each,
// and takes their results.
//
// A call goes to one tab. Until that tab says that it has begun, another one
// takes its place when it goes away; afterwards nobody can know what it did, and
// the call ends with an error, as it does when the gateway stops. Only the tab
// that has the call can answer it. Where gateways work together (Across), it is
// a tab of any of them.
type ClientTools struct {
	nodes   session.ClientCalls // the cluster; nil: a single gateway
	also    func(*session.Clients)
	changed chan struct{} // has room for one: who is connected has changed
	showing chan struct{} // has room for the one that shows it
	shown   session.Clients

	mu    sync.Mutex
	tabs  []*tab // those that run client tools, oldest first
	calls map[string]*clientCall
}

// NewClientTools makes a set without tabs; a Hub brings them.
func NewClientTools() *ClientTools {
	return &ClientTools{changed: make(chan struct{}, 1), showing: make(chan struct{}, 1), calls: map[string]*clientCall{}}
}

// Tool makes a tool whose calls run in clients. A schema that can't be used is
// an error.
func (c *ClientTools) Tool(t door.ClientTool) (tool.Tool, error) {
	t.Spec.Location, t.Spec.Resume = tool.Client, tool.ResumeNever
	if t.Timeout <= 0 {
		t.Timeout = door.DefaultClientTimeout
	}
	output, err := strictjson.CompileSchema(t.Output)
	if err != nil {
		return nil, fmt.Errorf("wsapprover: output schema of %s: %w", t.Spec.Name, err)
	}
	return &clientTool{clients: c, ClientTool: t, output: output}, nil
}

// clientTool is a ClientTool as the gate takes it.
type clientTool struct {
	door.ClientTool
	clients *ClientTools
	output  strictjson.Schema
}

// clientCall is one call on its way.
type clientCall struct {
	tool    *clientTool
	frame   toolCall
	guest   bool  // it is of another node
	tab     *tab  // who has it
	node    int64 // that has it instead of a tab of ours; 0: none
	lost    bool  // nobody has it
	started bool
	tried   []*tab // who had it, and which nodes
	passed  []int64
	moved   chan struct{}    // has room for one: it is lost
	done    chan tool.Result // has room for one
}

func newClientCall(t *clientTool, frame toolCall) *clientCall {
	return &clientCall{tool: t, frame: frame, lost: true, moved: make(chan struct{}, 1), done: make(chan tool.Result, 1)}
}

// Spec implements tool.Tool.
func (t *clientTool) Spec() tool.Spec { return t.ClientTool.Spec }

// Run implements tool.Tool.
func (t *clientTool) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	c := newClientCall(t, toolCall{
		ToolCallID: call.ID, SessionID: call.SessionID, AgentID: call.AgentID, ToolName: t.ClientTool.Spec.Name,
		Args: call.Args, ExpiresAt: time.Now().Add(t.Timeout).UTC(),
	})
	t.clients.add(c)
	defer t.clients.end(context.WithoutCancel(ctx), c)
	if why := t.clients.place(ctx, c); why != "" {
		return tool.Failed(why), nil
	}
	timer := time.NewTimer(t.Timeout)
	defer timer.Stop()
	for {
		select {
		case r := <-c.done:
			return r, nil
		case <-c.moved:
			if why := t.clients.place(ctx, c); why != "" {
				return tool.Failed(why), nil
			}
		case <-timer.C:
			return tool.Failed(fmt.Sprintf("The client did not answer within %s; what it did is not known.", t.Timeout)), nil
		case <-ctx.Done():
			return tool.Failed("It was stopped: " + tool.Words(context.Cause(ctx)) + ". What the client did by then is not known."), nil
		}
	}
}

func (c *ClientTools) add(call *clientCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[call.frame.ToolCallID] = call
}

// begin gives a call to a tab; the result says why it can't be given to any.
func (c *ClientTools) begin(call *clientCall) (why string) {
	c.add(call)
	if why = c.assign(call); why != "" {
		c.end(context.Background(), call)
	}
	return why
}

// assign gives a call to the next tab that can take it.
func (c *ClientTools) assign(call *clientCall) (why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.give(call)
}

func (c *ClientTools) give(call *clientCall) (why string) {
	if call.started {
		return "The client went away while it was at work; what it did is not known."
	}
	best, able := c.best(call)
	if best == nil {
		return noClient(call, able)
	}
	call.tab, call.lost, call.tried = best, false, append(call.tried, best)
	best.send(eventToolCall, "", call.frame)
	return ""
}

// best is the next tab for a call: one that follows its session before others. able reports whether
// there are tabs that run tools at all.
func (c *ClientTools) best(call *clientCall) (best *tab, able bool) {
	for _, t := range c.tabs {
		able = true
		if slices.Contains(call.tried, t) || !t.runs(call.frame.ToolName) || !t.who.Covers(call.frame.AgentID) {
			continue
		}
		if best == nil || t.watches(call.frame.SessionID) && !best.watches(call.frame.SessionID) {
			best = t
		}
	}
	return best, able
}

// noClient says why a call can't be given to anybody.
func noClient(call *clientCall, able bool) string {
	if able {
		return fmt.Sprintf("No client that is connected can run %s.", call.frame.ToolName)
	}
	return "No client that runs tools is connected."
}

// endWithin bounds how long a call that is over waits for other nodes to be told.
const endWithin = 5 * time.Second

// end forgets a call, and takes it back from its client if it has not answered. If another node is not told,
// the call ends there at its deadline.
func (c *ClientTools) end(ctx context.Context, call *clientCall) {
	c.mu.Lock()
	if c.calls[call.frame.ToolCallID] == call {
		delete(c.calls, call.frame.ToolCallID)
		if call.tab != nil {
			call.tab.send(eventToolCancel, "", toolCancel{ToolCallID: call.frame.ToolCallID})
		}
	}
	away := call.node != 0
	c.mu.Unlock()
	if away {
		ctx, stop := context.WithTimeout(ctx, endWithin)
		defer stop()
		_ = c.nodes.End(ctx, call.frame.ToolCallID)
	}
}

// addTab adds a tab that runs client tools, where its identity is trusted with
// agents.
func (c *ClientTools) addTab(t *tab) {
	if !t.who.May(auth.Talk) && !t.who.May(auth.Answer) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.tabs, t) {
		c.tabs = append(c.tabs, t)
	}
	signal(c.changed)
}

// removeTab takes a tab away. What it had and had not begun goes to another one.
func (c *ClientTools) removeTab(t *tab) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tabs = slices.DeleteFunc(c.tabs, func(other *tab) bool { return other == t })
	signal(c.changed)
	for _, call := range c.calls {
		if call.tab == t {
			call.tab, call.lost = nil, true
			signal(call.moved)
		}
	}
}

// of is a call that a tab has.
func (c *ClientTools) of(t *tab, callID string) (*clientCall, error) {
	call := c.calls[callID]
	if call == nil || call.tab != t {
		return nil, fmt.Errorf("%w: %q", errUnknownCall, callID)
	}
	return call, nil
}

// started notes that a tab has begun with a call: from now on it is its own.
func (c *ClientTools) started(ctx context.Context, t *tab, callID string) error {
	call, err := c.callOf(t, callID)
	if err != nil {
		return err
	}
	c.mu.Lock()
	call.started = true // also where that can't be written down
	c.mu.Unlock()
	if call.guest {
		return notGone(c.nodes.Start(ctx, callID), callID)
	}
	return nil
}

// notGone has words for a call that nobody waits for any more.
func notGone(err error, callID string) error {
	if errors.Is(err, session.ErrCallGone) {
		return fmt.Errorf("%w: %q", errUnknownCall, callID)
	}
	return err
}

// finished takes a tab's result. One that does not fit the tool's output schema
// is refused, and the call goes on waiting.
func (c *ClientTools) finished(ctx context.Context, t *tab, r toolResult) error {
	call, err := c.callOf(t, r.ToolCallID)
	if err != nil {
		return err
	}
	result, err := call.tool.result(r) // not under the lock: it may be large
	if err != nil {
		return err
	}
	if call.guest {
		if err := notGone(c.nodes.Finish(ctx, r.ToolCallID, result), r.ToolCallID); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.of(t, r.ToolCallID); err != nil {
		return err
	}
	delete(c.calls, r.ToolCallID)
	call.done <- result
	return nil
}

func (c *ClientTools) callOf(t *tab, callID string) (*clientCall, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of(t, callID)
}

func (t *clientTool) result(r toolResult) (tool.Result, error) {
	switch {
	case r.Error != "" && len(r.Result) > 0:
		return tool.Result{}, fmt.Errorf("%w: give result or error, not both", errInvalid)
	case r.Error != "":
		return tool.Failed("The client could not do it: " + r.Error), nil
	case len(r.Result) == 0:
		return tool.Result{}, fmt.Errorf("%w: result: missing; give result or error", errInvalid)
	}
	if err := t.output.Check(r.Result); err != nil {
		return tool.Result{}, fmt.Errorf("%w: result: does not fit the tool's output schema: %w", errInvalid, err)
	}
	text := string(r.Result)
	if strictjson.Kind(r.Result) == '"' {
		if err := json.Unmarshal(r.Result, &text); err != nil {
			return tool.Result{}, fmt.Errorf("%w: result: %w", errInvalid, err)
		}
	}
	return tool.Result{Text: text, Structured: r.Result}, nil
}

// runs reports whether the tab has said that it runs a tool; one that has named
// none runs any.
func (t *tab) runs(name string) bool {
	t.hub.mu.Lock()
	defer t.hub.mu.Unlock()
	return len(t.clientTools) == 0 || slices.Contains(t.clientTools, name)
}

// watches reports whether the tab follows a session.
func (t *tab) watches(sessionID string) bool {
	t.hub.mu.Lock()
	defer t.hub.mu.Unlock()
	return t.follows[sessionID] != nil
}
