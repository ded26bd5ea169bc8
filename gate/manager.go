package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// DefaultTimeout is how long a request waits when nothing else is said.
const DefaultTimeout = 2 * time.Minute

// DefaultRunWithin is how long an approval stays good for a call that has not
// been started.
const DefaultRunWithin = 10 * time.Minute

// NoTimeout lets requests wait without limit.
const NoTimeout time.Duration = -1

// ErrNoAgent is returned for a request of an agent that has no gate.
var ErrNoAgent = errors.New("gate: no gate for that agent")

// Options tune a Manager; the zero value works.
type Options struct {
	RunWithin  time.Duration // zero: DefaultRunWithin
	AskerGrace time.Duration // zero: DefaultAskerGrace
	// Held is asked immediately before a tool starts: an error says that another process may run
	// what is here, and then nothing starts. nil: there is no other one.
	Held func() error
	// Elsewhere is what Asker.Waiting is of the other nodes that live: the approvals whose programs wait
	// there. nil: there is one node.
	Elsewhere func(ctx context.Context) ([]string, error)
	// Failed reports errors of background work that no caller waits for; what names
	// the work in one word. nil disables it.
	Failed func(what string, err error)
}

// Manager is the approvals of one process, for all of its agents: an Asker for
// those who ask, a Desk for those who answer, and Settings for those who configure.
type Manager struct {
	*Asker
	*Desk
	*Settings
	core *core
}

// Asker puts requests, and says what became of them.
type Asker struct{ *core }

// Desk takes the answers of people.
type Desk struct{ *core }

// Settings are what calls are judged by: modes, terms and grants, as they change.
type Settings struct{ *core }

// core is what the three share.
type core struct {
	store     approval.Store
	promises  *Promises
	judge     approval.Judge
	runWithin time.Duration

	askers     askers
	askerGrace time.Duration
	elsewhere  func(ctx context.Context) ([]string, error)

	held    func() error
	failed  func(what string, err error)
	changed atomic.Uint64 // grows whenever earlier judgements may no longer hold

	mu      sync.Mutex
	gates   map[string]*Gate
	running map[string]struct{}    // approvals whose calls this process is running
	kept    map[string]tool.Result // of calls that have run, by approval: the store could not take them

	handlers sync.WaitGroup // of programs
	halts    *halts
}

// NewManager makes a manager over a store whose bus wakes the promises.
func NewManager(store approval.Store, promises *Promises, judge approval.Judge, o Options) *Manager {
	if o.RunWithin == 0 {
		o.RunWithin = DefaultRunWithin
	}
	if o.AskerGrace == 0 {
		o.AskerGrace = DefaultAskerGrace
	}
	if o.Held == nil {
		o.Held = func() error { return nil }
	}
	if o.Failed == nil {
		o.Failed = func(string, error) {}
	}
	promises.store = store
	c := &core{
		store: store, promises: promises, judge: judge, runWithin: o.RunWithin, held: o.Held, failed: o.Failed,
		askers: askers{nodes: o.Elsewhere != nil, all: map[string]*asker{}}, askerGrace: o.AskerGrace, elsewhere: o.Elsewhere,
		gates: map[string]*Gate{}, running: map[string]struct{}{}, kept: map[string]tool.Result{}, halts: newHalts(),
	}
	return &Manager{Asker: &Asker{c}, Desk: &Desk{c}, Settings: &Settings{c}, core: c}
}

// Agent makes the gate of an agent; asking for the same agent again replaces
// its gate.
func (m *Manager) Agent(agentID string, o AgentOptions) *Gate {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Mode == "" {
		o.Mode = approval.Manual
	}
	g := &Gate{
		asker: m.Asker, agentID: agentID, denyUnattended: o.DenyUnattended, maxPending: o.MaxPending, timeout: o.Timeout, observe: o.ObserveUntil, handler: o.Handler, own: map[string]*Gated{}, offers: map[string]*offers{},
		sets: map[string]SetTerms{}, known: map[string][]*Gated{},
		mode: approval.ModeSetting{AgentID: agentID, Mode: o.Mode, Configured: o.Mode},
	}
	maps.Copy(g.sets, o.Sets)
	m.core.mu.Lock()
	defer m.core.mu.Unlock()
	m.core.gates[agentID] = g
	return g
}

// Run settles requests whose time has come and nobody waits for, and wakes
// promises that the bus did not reach, once a second until ctx ends.
func (m *Manager) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// A store that fails now is asked again in a second; until then
			// nothing is approved by it.
			if err := m.core.sweep(ctx); err != nil && ctx.Err() == nil {
				m.core.failed("sweep", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Wait returns once no handler is running any more.
func (m *Manager) Wait() { m.core.handlers.Wait() }

// sweep is one second's work of Run.
func (c *core) sweep(ctx context.Context) error {
	overdue, err := c.store.Find(ctx, approval.Query{Status: approval.Pending, ExpiredBy: time.Now()})
	if err != nil {
		return err
	}
	for _, a := range overdue {
		if _, err := c.settle(ctx, a.ApprovalID, approval.TimedOut()); err != nil && !errors.Is(err, approval.ErrDecided) {
			return err
		}
	}
	if err := errors.Join(c.endOverdue(ctx), c.endGone(ctx)); err != nil {
		return err
	}
	waiting := c.promises.ids()
	if len(waiting) == 0 {
		return nil
	}
	settled, err := c.store.Find(ctx, approval.Query{IDs: waiting, Settled: true})
	if err != nil {
		return err
	}
	for _, a := range settled {
		c.promises.hint(a.ApprovalID)
	}
	return nil
}

// endOverdue ends the grants whose time or uses are over, so that everyone is
// told; they cleared nothing any more before.
func (c *core) endOverdue(ctx context.Context) error {
	live, err := c.store.ListGrants(ctx, approval.GrantQuery{Live: true, Limited: true})
	if err != nil {
		return err
	}
	for _, g := range live {
		if reason := g.Overdue(time.Now()); reason != "" {
			if _, err := c.store.EndGrant(ctx, g.ID, reason, approval.BySystem()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *core) gate(agentID string) *Gate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gates[agentID]
}

func (c *core) gated(agentID, sessionID, toolName string) *Gated {
	g := c.gate(agentID)
	if g == nil {
		return nil
	}
	return g.Tool(sessionID, toolName)
}

// verdict asks the judge; one that fails or panics denies.
func (c *core) verdict(ctx context.Context, about approval.Case) (v approval.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = approval.Verdict{Effect: approval.Deny, Rule: "the policy failed: " + tool.Words(fmt.Errorf("%v", p))}
		}
	}()
	v, err := c.judge.Judge(ctx, about)
	if err != nil {
		return approval.Verdict{Effect: approval.Deny, Rule: "the policy failed: " + tool.Words(err)}
	}
	return v
}
