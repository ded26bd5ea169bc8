package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
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
	RunWithin time.Duration // zero: DefaultRunWithin
	// Failed reports errors of background work that no caller waits for; what names
	// the work in one word. nil disables it.
	Failed func(what string, err error)
}

// Manager asks, and takes the answers. One serves all agents of a process.
type Manager struct {
	store     approval.Store
	waiters   *Waiters
	judge     approval.Judge
	runWithin time.Duration
	failed    func(what string, err error)
	changed   atomic.Uint64 // grows when what was judged may be judged otherwise

	mu      sync.Mutex
	gates   map[string]*Gate
	running map[string]struct{} // approvals whose calls this process is running

	handlers sync.WaitGroup
}

// NewManager makes a manager over a store whose bus wakes the waiters.
func NewManager(store approval.Store, waiters *Waiters, judge approval.Judge, o Options) *Manager {
	if o.RunWithin == 0 {
		o.RunWithin = DefaultRunWithin
	}
	if o.Failed == nil {
		o.Failed = func(string, error) {}
	}
	return &Manager{
		store: store, waiters: waiters, judge: judge, runWithin: o.RunWithin, failed: o.Failed,
		gates: map[string]*Gate{}, running: map[string]struct{}{},
	}
}

// Run settles requests whose time has come and nobody waits for, and looks
// after waiters that the bus did not reach, once a second until ctx ends.
func (m *Manager) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// A store that fails now is asked again in a second; until then
			// nothing is approved by it.
			if err := m.sweep(ctx); err != nil && ctx.Err() == nil {
				m.failed("sweep", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Wait returns once no handler is running any more.
func (m *Manager) Wait() { m.handlers.Wait() }

func (m *Manager) sweep(ctx context.Context) error {
	overdue, err := m.store.Find(ctx, approval.Query{Status: approval.Pending, ExpiredBy: time.Now()})
	if err != nil {
		return err
	}
	for _, a := range overdue {
		if _, err := m.settle(ctx, a.ApprovalID, approval.TimedOut()); err != nil && !errors.Is(err, approval.ErrDecided) {
			return err
		}
	}
	if err := m.endOverdue(ctx); err != nil {
		return err
	}
	waiting := m.waiters.ids()
	if len(waiting) == 0 {
		return nil
	}
	settled, err := m.store.Find(ctx, approval.Query{IDs: waiting, Settled: true})
	if err != nil {
		return err
	}
	for _, a := range settled {
		m.waiters.resolve(a.Response)
	}
	return nil
}

// Ask puts a request and returns its row once it is settled. It is idempotent
// on session, call and round: a call that was asked before is not asked again,
// it waits on with the deadline it had, or returns the answer it got; so that
// resuming after a crash is asking again.
//
// It returns ctx's cause, and leaves the request pending, when ctx ends first.
func (m *Manager) Ask(ctx context.Context, r approval.Request, terms approval.Terms) (approval.Approval, error) {
	row, err := m.ask(ctx, &r, &terms)
	if err != nil {
		return approval.Approval{}, err
	}
	return *row, nil
}

// ask is Ask. On this way rows and requests go by pointer, never changed: a
// goroutine that waits for a person keeps its stack for as long, and values
// copied from frame to frame would make that stack four times as large.
func (m *Manager) ask(ctx context.Context, r *approval.Request, terms *approval.Terms) (*approval.Approval, error) {
	gate := m.gate(r.AgentID)
	if gate == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoAgent, r.AgentID)
	}
	for {
		row, err := m.judged(ctx, gate, *r, *terms)
		if err != nil {
			return nil, err
		}
		stored, err := m.open(ctx, gate, &row)
		if errors.Is(err, approval.ErrGrantEnded) && ctx.Err() == nil {
			continue // it ended just now: the rules have to find something else
		}
		return stored, err
	}
}

// open creates the row and waits for its answer.
func (m *Manager) open(ctx context.Context, gate *Gate, row *approval.Approval) (*approval.Approval, error) {
	stored, waiter, err := m.announce(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("gate: ask: %w", err)
	}
	defer waiter.Close()
	if stored.Status != approval.Pending {
		return stored, nil
	}
	return m.await(ctx, gate, stored, waiter)
}

// announce creates the row. The waiter stands before anybody is told of it.
func (m *Manager) announce(ctx context.Context, row *approval.Approval) (*approval.Approval, *Waiter, error) {
	waiter := m.waiters.Register(row.ApprovalID)
	stored, err := m.store.Create(ctx, *row)
	if err == nil && stored.ApprovalID != row.ApprovalID {
		// The call was asked before. Its answer may have come just now, so
		// look again once the waiter stands.
		waiter.Close()
		waiter = m.waiters.Register(stored.ApprovalID)
		stored, err = m.store.Get(ctx, stored.ApprovalID)
	}
	if err != nil {
		waiter.Close()
		return nil, nil, err
	}
	return &stored, waiter, nil
}

// judged completes the request and has it judged: the row that it returns is
// pending or already settled.
func (m *Manager) judged(ctx context.Context, gate *Gate, r approval.Request, terms approval.Terms) (approval.Approval, error) {
	r, err := completed(r, gate, terms)
	if err != nil {
		return approval.Approval{}, err
	}
	if r.Type != approval.ToolConfirmation {
		return m.unlessUnanswerable(gate, approval.New(r))
	}
	v := m.verdict(ctx, gate.about(r, terms))
	r.Policy, r.Risk, r.Covers, r.Commands = approval.Ruling{Rule: v.Rule, Trace: v.Trace}, v.Risk, v.Covers, v.Commands
	r.Approvers = v.Approvers
	if v.Scopes != nil {
		r.Scopes = v.Scopes
	}
	if slices.Equal(r.Scopes, []approval.Scope{approval.Once}) {
		r.Covers = nil
	}
	row := approval.New(r)
	if v.Effect == approval.AskPerson {
		return m.unlessUnanswerable(gate, row)
	}
	return row.Settle(v.Answer(), r.RequestedAt)
}

// verdict asks the judge; one that fails or panics denies.
func (m *Manager) verdict(ctx context.Context, c approval.Case) (v approval.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = approval.Verdict{Effect: approval.Deny, Rule: fmt.Sprintf("the policy failed: %v", p)}
		}
	}()
	v, err := m.judge.Judge(ctx, c)
	if err != nil {
		return approval.Verdict{Effect: approval.Deny, Rule: "the policy failed: " + err.Error()}
	}
	return v
}

// unlessUnanswerable settles a row that nobody could answer. Whether it is one too many
// is for the store to see, in the change that makes it.
func (m *Manager) unlessUnanswerable(gate *Gate, row approval.Approval) (approval.Approval, error) {
	if gate.Handler() == nil || gate.attended != nil && !gate.attended() {
		return row.Settle(approval.Unanswerable(row.Type, approval.NoHandler), row.RequestedAt)
	}
	row.MaxPending = gate.maxPending
	return row, nil
}

// completed fills in what the asker leaves open.
func completed(r approval.Request, gate *Gate, terms approval.Terms) (approval.Request, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return r, fmt.Errorf("gate: id: %w", err)
	}
	r.ApprovalID = id.String()
	if r.Type == "" {
		r.Type = approval.ToolConfirmation
	}
	if r.Type == approval.ToolConfirmation {
		r.Args = strictjson.OrEmptyObject(r.Args)
		if t := gate.Tool(r.SessionID, r.ToolName); t != nil {
			r.ToolDigest = cmp.Or(r.ToolDigest, t.digest)
		}
	}
	// What the store keeps has microseconds; a deadline must not differ
	// between before and after a restart.
	r.RequestedAt = time.Now().UTC().Truncate(time.Microsecond)
	r.ExpiresAt = time.Time{}
	if d := gate.wait(); d != NoTimeout {
		r.ExpiresAt = r.RequestedAt.Add(d)
	}
	if r.Scopes = terms.Scopes; len(r.Scopes) == 0 {
		r.Scopes = []approval.Scope{approval.Once, approval.Session}
	}
	if r.Type != approval.ToolConfirmation { // a question is answered once
		r.Scopes = []approval.Scope{approval.Once}
	}
	if r.Message == "" {
		r.Message = terms.MessageFor(r.Args)
	}
	r.ArgsDigest, err = approval.Digest(r)
	return r, err
}

// Pending lists the requests that wait for an answer, oldest first; of one
// session, or of all when sessionID is empty.
func (m *Manager) Pending(ctx context.Context, sessionID string) ([]approval.Request, error) {
	rows, err := m.store.Find(ctx, approval.Query{SessionID: sessionID, Status: approval.Pending})
	if err != nil {
		return nil, err
	}
	pending := make([]approval.Request, 0, len(rows))
	for _, a := range rows {
		pending = append(pending, a.Request)
	}
	return pending, nil
}

// Knows reports whether there are rules under that agent's name.
func (m *Manager) Knows(agentID string) bool { return m.gate(agentID) != nil }

func (m *Manager) gate(agentID string) *Gate {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gates[agentID]
}
