package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// halts are those that are on. The store refuses what they forbid; here agents wait
// for their end.
type halts struct {
	mu      sync.Mutex
	on      map[string]approval.Halt // by agent; empty: all agents
	changed chan struct{}            // closed when one is lifted, and replaced
}

func newHalts() *halts {
	return &halts{on: map[string]approval.Halt{}, changed: make(chan struct{})}
}

func (h *halts) take(halt approval.Halt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if halt.On {
		h.on[halt.AgentID] = halt
		return
	}
	delete(h.on, halt.AgentID)
	close(h.changed)
	h.changed = make(chan struct{})
}

// of is the halt that stops an agent, if one does, and what is closed when one is lifted.
func (h *halts) of(agentID string) (halt approval.Halt, halted bool, lifted <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, halt := range []approval.Halt{h.on[""], h.on[agentID]} {
		if halt.On {
			return halt, true, h.changed
		}
	}
	return approval.Halt{}, false, h.changed
}

// Halts lists the halts that are on.
func (d *Desk) Halts() []approval.Halt {
	d.halts.mu.Lock()
	defer d.halts.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.halts.on), func(a, b approval.Halt) int { return a.At.Compare(b.At) })
}

// Halt stops an agent, or, with no agentID, all of them: what waits is denied, what is
// approved and has not been started is voided, no call is started and no turn begins,
// also after a restart, until somebody lifts it. Calls that run go on. A second halt
// of the same agent returns the first.
func (d *Desk) Halt(ctx context.Context, id auth.Identity, via approval.Via, agentID string) (approval.Halt, error) {
	if err := d.mayHalt(id, auth.Halt, agentID); err != nil {
		return approval.Halt{}, err
	}
	set, err := d.store.SetHalt(ctx, approval.Halt{AgentID: agentID, On: true, By: by(id, via)})
	if err != nil {
		return set, fmt.Errorf("gate: halt: %w", err)
	}
	d.halts.take(set)
	return set, d.enforce(context.WithoutCancel(ctx), set)
}

// Lift ends a halt: turns begin and go on again. What it denied stays denied. A halt of
// all agents and that of one are lifted apart. It takes an admin's own credential, which
// the local key is not.
func (s *Settings) Lift(ctx context.Context, id auth.Identity, via approval.Via, agentID string) (approval.Halt, error) {
	if err := s.mayHalt(id, auth.Manage, agentID); err != nil {
		return approval.Halt{}, err
	}
	if id.Local() {
		return approval.Halt{}, fmt.Errorf("%w: a halt is lifted by an admin's own login: gateway login, or the dashboard", auth.ErrForbidden)
	}
	set, err := s.store.SetHalt(ctx, approval.Halt{AgentID: agentID, By: by(id, via)})
	if err != nil {
		return set, fmt.Errorf("gate: halt: %w", err)
	}
	s.halts.take(set)
	return set, nil
}

func (c *core) mayHalt(id auth.Identity, right auth.Right, agentID string) error {
	switch {
	case !id.May(right):
		return auth.ErrForbidden
	case agentID == "" && len(id.Agents) > 0:
		return fmt.Errorf("%w, not for all: name one", auth.ErrOutOfScope)
	case agentID == "":
		return nil
	case !id.Covers(agentID) || c.gate(agentID) == nil:
		return fmt.Errorf("%w: %q", ErrNoAgent, agentID)
	}
	return nil
}

// RestoreHalts takes up the halts from before a restart, and brings to its end what one
// had begun.
func (s *Settings) RestoreHalts(ctx context.Context) error {
	all, err := s.store.ListHalts(ctx)
	if err != nil {
		return fmt.Errorf("gate: halts: %w", err)
	}
	for _, h := range all {
		s.halts.take(h)
		if err := s.enforce(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// enforce denies what waits and voids what has not been started. The store lets no
// more of it come.
func (c *core) enforce(ctx context.Context, h approval.Halt) error {
	rows, err := c.store.Find(ctx, approval.Query{AgentID: h.AgentID, Open: true})
	if err != nil {
		return fmt.Errorf("gate: halt: %w", err)
	}
	for _, row := range rows {
		answer, is := h.Answer(row)
		if !is {
			continue
		}
		if _, failed := c.settle(ctx, row.ApprovalID, answer); failed != nil && !errors.Is(failed, approval.ErrDecided) {
			err = errors.Join(err, fmt.Errorf("gate: halt: %w", failed))
		}
	}
	return err
}

// AwaitLift returns once the agent is not halted; ctx's cause, when ctx ends first.
func (a *Asker) AwaitLift(ctx context.Context, agentID string) error {
	for {
		_, halted, lifted := a.halts.of(agentID)
		if !halted {
			return nil
		}
		select {
		case <-lifted:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// haltedRow is an approved row after the halt that kept it from being started.
func (a *Asker) haltedRow(ctx context.Context, row *approval.Approval) (*approval.Approval, error) {
	halt, halted, _ := a.halts.of(row.AgentID)
	if !halted { // it was set a moment ago
		halt.By = approval.BySystem()
	}
	answer, _ := halt.Answer(*row)
	return a.settleRow(ctx, row.ApprovalID, answer)
}
