package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// ErrNoTool is returned for a call of a tool that the agent does not have.
var ErrNoTool = errors.New("agent: no such tool")

// Executor is an agent's tools: it knows them by name and runs them. It holds
// only gated tools, so it can't run anything unasked.
type Executor struct {
	mu    sync.Mutex
	tools []*approval.Gated            // those that stay
	order []string                     // of the toolsets
	sets  map[string][]*approval.Gated // by the toolset's name
}

// Register adds a tool; a name that is taken is an error.
func (e *Executor) Register(t *approval.Gated) error {
	if e.find(t.Spec().Name) != nil {
		return fmt.Errorf("agent: two tools are named %q", t.Spec().Name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tools = append(e.tools, t)
	return nil
}

// Specs lists the tools in the order of their registration, those of toolsets
// last.
func (e *Executor) Specs() []tool.Spec {
	e.mu.Lock()
	defer e.mu.Unlock()
	specs := []tool.Spec{}
	for _, t := range e.all() {
		specs = append(specs, t.Spec())
	}
	return specs
}

// all goes through the tools, each with its toolset's name, which is empty for
// those that stay; under the mutex.
func (e *Executor) all() iter.Seq2[string, *approval.Gated] {
	return func(yield func(string, *approval.Gated) bool) {
		for _, t := range e.tools {
			if !yield("", t) {
				return
			}
		}
		for _, set := range e.order {
			for _, t := range e.sets[set] {
				if !yield(set, t) {
					return
				}
			}
		}
	}
}

// Run runs a call through its tool's gate. ErrNoTool names the tools there are.
func (e *Executor) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	t := e.find(call.Tool)
	if t == nil {
		return tool.Result{}, e.noTool(call.Tool)
	}
	return t.Run(ctx, call)
}

// Refuse gives a call its result without asking anyone: a no, with the reason.
// ErrNoTool is as Run's.
func (e *Executor) Refuse(ctx context.Context, call tool.Call, why string) (tool.Result, error) {
	t := e.find(call.Tool)
	if t == nil {
		return tool.Result{}, e.noTool(call.Tool)
	}
	return t.Refuse(ctx, call, why)
}

func (e *Executor) noTool(name string) error {
	return fmt.Errorf("%w: %q; there are: %s", ErrNoTool, name, strings.Join(e.names(), ", "))
}

func (e *Executor) find(name string) *approval.Gated {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.all() {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

func (e *Executor) names() []string {
	var names []string
	for _, s := range e.Specs() {
		names = append(names, s.Name)
	}
	return names
}
