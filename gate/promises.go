package gate

import (
	"context"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
)

// Keeper is a Handler that keeps the promises of what it asks for. It returns when
// the request is answered, also through a door, and at its deadline.
type Keeper interface {
	approval.Handler
	// Expect makes the promise of an answer before its request exists, so that no
	// answer can be missed, however fast it comes. The caller must call forget.
	Expect(approvalID string) (forget func())
	// Attended reports whether anybody is there who could answer for the agent.
	Attended(agentID string) bool
}

// Promises are the answers that somebody waits for: one promise and one timer a
// request, however many wait for it. The bus wakes them inline, so that it can't
// evict them; what it carries is only a hint, and the answer is the one that the
// store has. It is a Keeper that asks nobody: the answer comes through a door.
type Promises struct {
	store approval.Store // set by NewManager; without it no answer is believed
	core  *core          // as store; what Settings has it take up
	now   func() time.Time

	mu   sync.Mutex
	byID map[string]*promise
}

// promise is one answer that has not come. Its fields are under Promises.mu.
type promise struct {
	expected int           // by how many
	hints    int           // that there is an answer
	next     chan struct{} // closed at the next hint, and replaced
	late     chan struct{} // closed at the deadline
	ended    bool          // late is closed
	timer    *time.Timer   // nil where the deadline is not known, or there is none
	deadline time.Time     // at which timer ends the promise
}

// NewPromises makes an empty set.
func NewPromises() *Promises { return &Promises{byID: map[string]*promise{}, now: time.Now} }

// Inline is what wakes the promises; the bus has to be made with it.
func (p *Promises) Inline() bus.Inline {
	return approval.Responses.Inline(func(r approval.Response) { p.hint(r.ApprovalID) })
}

// Settings has the manager take up the modes and halts that other processes have set; a bus that carries those has to
// be made with it.
func (p *Promises) Settings() []bus.Inline {
	return []bus.Inline{
		approval.Modes.Inline(func(m approval.ModeSetting) {
			if gate := p.core.gate(m.AgentID); gate != nil {
				gate.take(m)
			}
		}),
		approval.Halts.Inline(func(h approval.Halt) { p.core.halts.take(h) }),
	}
}

// Expect implements Keeper.
func (p *Promises) Expect(approvalID string) (forget func()) {
	made := p.expect(approvalID)
	return func() { p.forget(approvalID, made) }
}

// Attended implements Keeper: somebody may come.
func (p *Promises) Attended(string) bool { return true }

// Ask implements Keeper. It asks nobody.
func (p *Promises) Ask(ctx context.Context, r approval.Request) (approval.Response, error) {
	return p.Await(ctx, r.ApprovalID, r.ExpiresAt)
}

// Await is Ask, of the request with that id and deadline; zero: none.
func (p *Promises) Await(ctx context.Context, approvalID string, by time.Time) (approval.Response, error) {
	return p.race(ctx, approvalID, by, nil)
}

// race waits for the first of three: the answer that the store has, the proposal of a
// program's own handler (nil: there is none), and the end of ctx. The handler's ctx ends
// when race returns.
func (p *Promises) race(ctx context.Context, approvalID string, by time.Time, own func(context.Context) <-chan proposal) (approval.Response, error) {
	made := p.expect(approvalID)
	defer p.forget(approvalID, made)
	p.arm(made, by)
	var proposals <-chan proposal
	for heard := 0; ; {
		hints, next := p.hints(made)
		if hints > heard {
			heard = hints
			if answer, is := p.recorded(ctx, approvalID); is {
				return answer, nil
			}
		}
		if own != nil && proposals == nil { // an instant answer has made asking needless
			asking, stop := context.WithCancel(ctx)
			defer stop()
			proposals = own(asking)
		}
		select {
		case <-next:
		case <-made.late:
			return approval.Response{}, context.DeadlineExceeded
		case proposed := <-proposals:
			return proposed.answer, proposed.err
		case <-ctx.Done():
			return approval.Response{}, context.Cause(ctx)
		}
	}
}

// recorded is the answer that the store has; false where there is none, or it can't be
// read now: the hint comes again, from Manager.Run.
func (p *Promises) recorded(ctx context.Context, approvalID string) (answer approval.Response, is bool) {
	if p.store == nil {
		return approval.Response{}, false
	}
	row, err := p.store.Get(ctx, approvalID)
	if err != nil || row.Status == approval.Pending {
		return approval.Response{}, false
	}
	return row.Response, true
}

func (p *Promises) expect(approvalID string) *promise {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.byID[approvalID]
	if made == nil {
		made = &promise{next: make(chan struct{}), late: make(chan struct{})}
		p.byID[approvalID] = made
	}
	made.expected++
	return made
}

func (p *Promises) forget(approvalID string, made *promise) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if made.expected--; made.expected > 0 {
		return
	}
	delete(p.byID, approvalID)
	if made.timer != nil {
		made.timer.Stop()
	}
}

// arm starts the promise's one timer.
func (p *Promises) arm(made *promise, by time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if made.timer == nil && !by.IsZero() {
		made.deadline = by
		made.timer = time.AfterFunc(by.Sub(p.now()), func() { p.expire(made) })
	}
}

// expire ends a promise at its deadline. The timer only wakes: whether the time has
// come is for the clock.
func (p *Promises) expire(made *promise) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := made.deadline.Sub(p.now()); left > 0 {
		made.timer.Reset(left)
		return
	}
	if !made.ended {
		made.ended = true
		close(made.late)
	}
}

// extend moves a promise's deadline to a later time.
func (p *Promises) extend(approvalID string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if made := p.byID[approvalID]; made != nil && made.timer != nil && until.After(made.deadline) {
		made.deadline = until // the timer finds it when it fires
	}
}

// hint wakes whoever waits for an answer, to look whether it is there.
func (p *Promises) hint(approvalID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if made := p.byID[approvalID]; made != nil {
		made.hints++
		close(made.next)
		made.next = make(chan struct{})
	}
}

// hints counts the hints so far; next is closed at the one after them.
func (p *Promises) hints(made *promise) (n int, next <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return made.hints, made.next
}

// ids lists the approvals that somebody waits for.
func (p *Promises) ids() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := make([]string, 0, len(p.byID))
	for id, made := range p.byID {
		if !made.ended {
			ids = append(ids, id)
		}
	}
	return ids
}
