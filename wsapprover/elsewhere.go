package wsapprover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Across lets calls go to the tabs of other nodes too, while the Hub runs. also adds to what the other nodes are
// shown; it may be nil. Call it before the first tab and the first call.
func (c *ClientTools) Across(nodes session.ClientCalls, also func(*session.Clients)) {
	c.nodes, c.also = nodes, also
}

// Elsewhere returns who is connected to the other nodes.
func (c *ClientTools) Elsewhere(ctx context.Context) ([]session.Clients, error) {
	if c.nodes == nil {
		return nil, nil
	}
	return c.nodes.Others(ctx)
}

// lookEvery is how often a node checks the calls that it has handed out or was given, since another node may have
// died, and whether the others have been shown who is here.
const lookEvery = time.Second

// run passes calls between this node and the others until ctx ends.
func (c *ClientTools) run(ctx context.Context) error {
	if c.nodes == nil {
		return nil
	}
	var hosting sync.WaitGroup
	defer hosting.Wait()
	guests := map[string]context.CancelFunc{}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.changed:
			_ = c.show(ctx) // the next tick tries again
		case <-tick.C:
			_ = c.show(ctx)
			if len(guests) > 0 || c.anyAway() {
				c.look(ctx, guests, &hosting)
			}
		case <-c.nodes.Changed():
			c.look(ctx, guests, &hosting)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *ClientTools) anyAway() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.calls {
		if call.node != 0 {
			return true
		}
	}
	return false
}

// look reads the calls that this node has handed out or was given. It takes in what became of the former, and begins
// and ends the latter. If it can't read them, the next call does.
func (c *ClientTools) look(ctx context.Context, guests map[string]context.CancelFunc, hosting *sync.WaitGroup) {
	away, here, err := c.nodes.Open(ctx)
	if err != nil {
		return
	}
	for _, row := range away {
		c.heard(row)
	}
	given := map[string]bool{}
	for _, row := range here {
		given[row.ID] = true
		if guests[row.ID] == nil && row.State == session.CallHanded {
			hosted, stop := context.WithCancel(ctx)
			guests[row.ID] = stop
			hosting.Go(func() { c.host(hosted, row) })
		}
	}
	for id, stop := range guests {
		if !given[id] {
			stop()
			delete(guests, id)
		}
	}
}

// heard notes what became of a call at another node.
func (c *ClientTools) heard(row session.ClientCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.calls[row.ID]
	switch {
	case call == nil || call.node != row.Node: // it has moved on since
	case row.State == session.CallFinished:
		delete(c.calls, row.ID)
		call.done <- row.Result
	case row.Gone || row.State == session.CallReturned:
		call.lost, call.started = true, row.State == session.CallStarted
		signal(call.moved)
	}
}

// place gives a call without a client to the next client that can take it: tabs that follow its session come first,
// and this node's before other nodes'.
func (c *ClientTools) place(ctx context.Context, call *clientCall) (why string) {
	c.mu.Lock()
	if !call.lost {
		c.mu.Unlock()
		return ""
	}
	call.lost = call.started // a started call no longer moves
	here, able := c.best(call)
	follows := here != nil && here.watches(call.frame.SessionID)
	if call.started || call.node == 0 && (c.nodes == nil || follows) {
		defer c.mu.Unlock()
		return c.give(call)
	}
	before := call.node
	c.mu.Unlock()
	if before != 0 {
		if why, back := c.takeBack(ctx, call); !back {
			return why
		}
	}
	if follows {
		return c.assign(call)
	}
	there, some, followed, err := c.elsewhere(ctx, call)
	if there == 0 || here != nil && !followed {
		if c.assign(call) == "" {
			return ""
		}
	}
	switch {
	case there != 0:
		return c.hand(ctx, call, there)
	case err != nil:
		return fmt.Sprintf("No client of this gateway can run %s, and those of the others can't be seen now: %s", call.frame.ToolName, tool.Words(err))
	}
	return noClient(call, able || some)
}

// takeBack takes a call back from another node. If a client there has started it after all, back is false, and its
// outcome is still to come.
func (c *ClientTools) takeBack(ctx context.Context, call *clientCall) (why string, back bool) {
	switch err := c.nodes.TakeBack(ctx, call.frame.ToolCallID); {
	case errors.Is(err, session.ErrCallBegun):
		return "", false
	case err != nil:
		return "It could not be taken back from a client of another gateway: " + tool.Words(err) + ". What the client did by then is not known.", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	call.node = 0
	return "", true
}

// elsewhere returns the node whose clients can best take a call, 0 if there is none, and whether its session is
// followed there. some reports whether clients of other nodes run tools at all.
func (c *ClientTools) elsewhere(ctx context.Context, call *clientCall) (node int64, some, follows bool, err error) {
	others, err := c.nodes.Others(ctx)
	for _, other := range others {
		for _, client := range other.Tools {
			some = true
			if slices.Contains(call.passed, other.Node) || !client.Runs(call.frame.AgentID, call.frame.ToolName) {
				continue
			}
			if f := client.Follows(call.frame.SessionID); node == 0 || f && !follows {
				node, follows = other.Node, f
			}
		}
	}
	return node, some, follows, err
}

func (c *ClientTools) hand(ctx context.Context, call *clientCall, node int64) (why string) {
	c.mu.Lock()
	call.lost, call.node, call.passed = false, node, append(call.passed, node)
	c.mu.Unlock()
	err := c.nodes.Hand(ctx, session.ClientCall{
		ID: call.frame.ToolCallID, SessionID: call.frame.SessionID, AgentID: call.frame.AgentID, ToolName: call.frame.ToolName,
		Args: call.frame.Args, Output: call.tool.Output, ExpiresAt: call.frame.ExpiresAt, Node: node,
	})
	if err != nil {
		return "It could not be handed to a client of another gateway: " + tool.Words(err) + ". What the client did by then is not known."
	}
	return ""
}

// host gives a call of another node to tabs of this one, until it is over there.
func (c *ClientTools) host(ctx context.Context, row session.ClientCall) {
	id := row.ID
	output, err := strictjson.CompileSchema(row.Output)
	call := newClientCall(&clientTool{clients: c, ClientTool: door.ClientTool{Spec: tool.Spec{Name: row.ToolName}, Output: row.Output}, output: output}, toolCall{
		ToolCallID: id, SessionID: row.SessionID, AgentID: row.AgentID, ToolName: row.ToolName, Args: row.Args, ExpiresAt: row.ExpiresAt,
	})
	call.guest = true
	if err != nil || c.begin(call) != "" {
		insist(ctx, func() error { return c.nodes.Return(ctx, id) })
		return
	}
	defer c.end(context.WithoutCancel(ctx), call)
	for {
		select {
		case <-call.moved:
			if why := c.assign(call); why != "" {
				insist(ctx, func() error { return c.giveUp(ctx, call, why) })
				return
			}
		case <-call.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// giveUp tells the node that waits for a call that no tab has it any more.
func (c *ClientTools) giveUp(ctx context.Context, call *clientCall, why string) error {
	c.mu.Lock()
	begun := call.started
	c.mu.Unlock()
	if begun {
		return c.nodes.Finish(ctx, call.frame.ToolCallID, tool.Failed(why))
	}
	return c.nodes.Return(ctx, call.frame.ToolCallID)
}

// insist repeats do until it succeeds, the call is gone, or ctx ends.
func insist(ctx context.Context, do func() error) {
	for err := do(); err != nil && !errors.Is(err, session.ErrCallGone); err = do() {
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

// Show tells the other nodes who is here before it returns. If it can't, run tries again.
func (c *ClientTools) Show(ctx context.Context) {
	if c.show(ctx) != nil {
		signal(c.changed)
	}
}

// show tells the other nodes who is here, if that has changed.
func (c *ClientTools) show(ctx context.Context) error {
	if c.nodes == nil {
		return nil
	}
	select {
	case c.showing <- struct{}{}:
		defer func() { <-c.showing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	here := c.here()
	if reflect.DeepEqual(here, c.shown) {
		return nil
	}
	err := c.nodes.Show(ctx, here)
	if err == nil {
		c.shown = here
	}
	return err
}

// here returns who is connected to this node, in an order that does not vary.
func (c *ClientTools) here() (here session.Clients) {
	if c.also != nil {
		c.also(&here)
	}
	slices.SortFunc(here.Answers, slices.Compare)
	here.Answers = slices.CompactFunc(here.Answers, slices.Equal)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tabs {
		t.hub.mu.Lock()
		here.Tools = append(here.Tools, session.ClientTools{
			Names: slices.Clone(t.clientTools), Agents: t.who.Agents, Sessions: slices.Sorted(maps.Keys(t.follows)),
		})
		t.hub.mu.Unlock()
	}
	return here
}
