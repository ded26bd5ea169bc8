package agent

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// Toolset is a group of tools that may change while the agent runs, such as
// those of a server.
type Toolset struct {
	Name  string // for people and the model
	Terms approval.Terms
	// Tools returns the tools as a session has them now. It may take as long as
	// it takes to start what they are of.
	Tools func(ctx context.Context, sessionID string) ([]tool.Tool, error)
}

// refresh takes over what the toolsets have now. Of one that can't be had the
// tools stay as they were, and the model is told; a turn goes on without it.
func (a *Agent) refresh(ctx context.Context, t *turn) error {
	t.missing = nil
	found := make([][]tool.Tool, len(a.config.Toolsets))
	errs := make([]error, len(a.config.Toolsets))
	var asked sync.WaitGroup
	for i, set := range a.config.Toolsets { // side by side: each may have to start something
		asked.Go(func() { found[i], errs[i] = set.Tools(ctx, t.sessionID) })
	}
	asked.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	changed := false
	for i, set := range a.config.Toolsets {
		if err := errs[i]; err != nil {
			t.missing = append(t.missing, fmt.Sprintf("The tools of %s can't be used at the moment: %s.", set.Name, plain(err.Error())))
			continue
		}
		other, err := a.tools.replace(set.Name, found[i], func(t tool.Tool) (*approval.Gated, error) { return a.gate.Guard(t, set.Terms) })
		if err != nil {
			return fmt.Errorf("agent: tools of %s: %w", set.Name, err)
		}
		changed = changed || other
	}
	if !changed {
		return nil
	}
	// What was remembered of a tool is over when its arguments mean something else.
	return a.runtime.Approvals.EndOutdated(ctx, func(string) bool { return false })
}

// replace puts other tools in a set's place, and reports whether any is new. One
// that is as it was keeps its gate; a name that is taken elsewhere stays there.
func (e *Executor) replace(set string, tools []tool.Tool, guard func(tool.Tool) (*approval.Gated, error)) (changed bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := map[string]*approval.Gated{}
	for _, g := range e.sets[set] {
		before[g.Spec().Name] = g
	}
	taken := map[string]bool{}
	for other, gated := range e.all() {
		if other != set {
			taken[gated.Spec().Name] = true
		}
	}
	now := make([]*approval.Gated, 0, len(tools))
	for _, t := range tools {
		spec := t.Spec()
		if taken[spec.Name] {
			continue
		}
		taken[spec.Name] = true
		gated := before[spec.Name]
		if gated == nil || !reflect.DeepEqual(gated.Spec(), spec) {
			if gated, err = guard(t); err != nil {
				return changed, err
			}
			changed = true
		}
		now = append(now, gated)
	}
	if e.sets == nil {
		e.sets = map[string][]*approval.Gated{}
	}
	if _, known := e.sets[set]; !known {
		e.order = append(e.order, set)
	}
	e.sets[set] = now
	return changed, nil
}
