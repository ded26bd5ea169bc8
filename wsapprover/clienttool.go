package wsapprover

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ClientTools hands the calls of tools that run in clients to tabs, one each,
// and takes their results.
//
// A call goes to one tab. Until that tab says that it has begun, another one
// takes its place when it goes away; afterwards nobody can know what it did, and
// the call ends with an error, as it does when the gateway stops. Only the tab
// that has the call can answer it.
type ClientTools struct {
	mu    sync.Mutex
	tabs  []*tab // those that run client tools, oldest first
	calls map[string]*clientCall
}

// NewClientTools makes a set without tabs; a Hub brings them.
func NewClientTools() *ClientTools { return &ClientTools{calls: map[string]*clientCall{}} }

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
	tab     *tab // who has it
	started bool
	tried   []*tab           // who had it before
	moved   chan struct{}    // has room for one: the tab that had it has gone
	done    chan tool.Result // has room for one
}

// Spec implements tool.Tool.
func (t *clientTool) Spec() tool.Spec { return t.ClientTool.Spec }

// Run implements tool.Tool.
func (t *clientTool) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	c := &clientCall{
		tool: t, moved: make(chan struct{}, 1), done: make(chan tool.Result, 1),
		frame: toolCall{
			ToolCallID: call.ID, SessionID: call.SessionID, AgentID: call.AgentID, ToolName: t.ClientTool.Spec.Name,
			Args: call.Args, ExpiresAt: time.Now().Add(t.Timeout).UTC(),
		},
	}
	if why := t.clients.begin(c); why != "" {
		return tool.Failed(why), nil
	}
	defer t.clients.end(c)
	timer := time.NewTimer(t.Timeout)
	defer timer.Stop()
	for {
		select {
		case r := <-c.done:
			return r, nil
		case <-c.moved:
			if why := t.clients.assign(c); why != "" {
				return tool.Failed(why), nil
			}
		case <-timer.C:
			return tool.Failed(fmt.Sprintf("The client did not answer within %s; what it did is not known.", t.Timeout)), nil
		case <-ctx.Done():
			return tool.Failed("It was stopped: " + tool.Words(context.Cause(ctx)) + ". What the client did by then is not known."), nil
		}
	}
}

// begin gives a call to a tab; the result says why it can't be given to any.
func (c *ClientTools) begin(call *clientCall) (why string) {
	c.mu.Lock()
	c.calls[call.frame.ToolCallID] = call
	c.mu.Unlock()
	if why = c.assign(call); why != "" {
		c.end(call)
	}
	return why
}

// assign gives a call to the next tab that can take it: one that follows its
// session before others.
func (c *ClientTools) assign(call *clientCall) (why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call.started {
		return "The client went away while it was at work; what it did is not known."
	}
	var best *tab
	able := false
	for _, t := range c.tabs {
		able = true
		if slices.Contains(call.tried, t) || !t.runs(call.frame.ToolName) || !t.who.Covers(call.frame.AgentID) {
			continue
		}
		if best == nil || t.watches(call.frame.SessionID) && !best.watches(call.frame.SessionID) {
			best = t
		}
	}
	switch {
	case best == nil && able:
		return fmt.Sprintf("No client that is connected can run %s.", call.frame.ToolName)
	case best == nil:
		return "No client that runs tools is connected."
	}
	call.tab, call.tried = best, append(call.tried, best)
	best.send(eventToolCall, "", call.frame)
	return ""
}

// end forgets a call, and tells the tab that has it, if there was no answer.
func (c *ClientTools) end(call *clientCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[call.frame.ToolCallID] != call {
		return
	}
	delete(c.calls, call.frame.ToolCallID)
	if call.tab != nil {
		call.tab.send(eventToolCancel, "", toolCancel{ToolCallID: call.frame.ToolCallID})
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
}

// removeTab takes a tab away. What it had and had not begun goes to another one.
func (c *ClientTools) removeTab(t *tab) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tabs = slices.DeleteFunc(c.tabs, func(other *tab) bool { return other == t })
	for _, call := range c.calls {
		if call.tab == t {
			call.tab = nil
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
func (c *ClientTools) started(t *tab, callID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	call, err := c.of(t, callID)
	if err == nil {
		call.started = true
	}
	return err
}

// finished takes a tab's result. One that does not fit the tool's output schema
// is refused, and the call goes on waiting.
func (c *ClientTools) finished(t *tab, r toolResult) error {
	call, err := c.callOf(t, r.ToolCallID)
	if err != nil {
		return err
	}
	result, err := call.tool.result(r) // not under the lock: it may be large
	if err != nil {
		return err
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
// none runs whatever it is given.
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
