package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// ErrNoTool is returned for a call of a tool that the agent does not have.
var ErrNoTool = errors.New("agent: no such tool")

// Executor is an agent's tools: it knows them by name and runs them. It holds
// only gated tools, so it can't run anything unasked.
type Executor struct {
	gate *gate.Gate // which has what sessions are offered beside

	mu  sync.Mutex
	own []*gate.Gated // in the order of their registration
}

// Register adds a tool; a name that is taken is an error.
func (e *Executor) Register(t *gate.Gated) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.ContainsFunc(e.own, func(other *gate.Gated) bool { return other.Spec().Name == t.Spec().Name }) {
		return fmt.Errorf("agent: two tools are named %q", t.Spec().Name)
	}
	e.own = append(e.own, t)
	return nil
}

// Specs lists the tools in the order of their registration, those that the
// session is offered beside last; an empty sessionID leaves these out.
func (e *Executor) Specs(sessionID string) []tool.Spec {
	specs := []tool.Spec{}
	for _, t := range e.all(sessionID) {
		specs = append(specs, t.Spec())
	}
	return specs
}

func (e *Executor) all(sessionID string) []*gate.Gated {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gate == nil {
		return slices.Clone(e.own)
	}
	return slices.Concat(e.own, e.gate.SessionTools(sessionID))
}

// Run runs a call through its tool's gate. ErrNoTool names the tools there are.
func (e *Executor) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	t := e.find(call.SessionID, call.Tool)
	if t == nil {
		return tool.Result{}, e.noTool(call)
	}
	return t.Run(ctx, call)
}

// Refuse gives a call its result without asking anyone: a no, with the reason.
// ErrNoTool is as Run's.
func (e *Executor) Refuse(ctx context.Context, call tool.Call, why string) (tool.Result, error) {
	t := e.find(call.SessionID, call.Tool)
	if t == nil {
		return tool.Result{}, e.noTool(call)
	}
	return t.Refuse(ctx, call, why)
}

func (e *Executor) noTool(call tool.Call) error {
	var names []string
	for _, s := range e.Specs(call.SessionID) {
		names = append(names, s.Name)
	}
	return fmt.Errorf("%w: %q; there are: %s", ErrNoTool, call.Tool, strings.Join(names, ", "))
}

func (e *Executor) find(sessionID, name string) *gate.Gated {
	for _, t := range e.all(sessionID) {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}
