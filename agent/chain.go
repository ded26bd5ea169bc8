package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// turn is a session at work on what was said before it. What is said meanwhile is for the next turn: the turns of a
// session form a chain, whose first one is active.
type turn struct {
	sessionID string
	done      chan struct{}
	delay     time.Duration           // before it begins, after one that the store failed
	cancel    context.CancelCauseFunc // once it has begun
	next      *turn                   // under Agent.mu
	stopped   *cancelled              // under Agent.mu: it was cancelled before it had begun

	path    string        // of the session's agent, where it works for another
	settled settled       // of the turns before it
	budget  budget        // once the model has spoken
	missing []string      // what the model is told of tools that are not there
	absent  []string      // the prefixes of their names
	spent   session.Usage // of replies that broke off
	more    bool          // once done: something was said after it was stopped
	words   string        // once done: the last thing the agent has said
	err     error         // once done: why it ended early
}

// cancelled is the cause with which a turn was stopped.
type cancelled struct {
	who auth.Identity
	via approval.Via
	seq int64 // the newest event then: later messages are for another turn; 0: not known
}

func (c *cancelled) Error() string {
	if c.via == approval.ViaSystem {
		return "cancelled by a program of " + c.who.Subject
	}
	return "cancelled by " + c.who.Subject
}

// stoppedBy returns the cause for a stop that another process received.
func stoppedBy(s session.Stop) *cancelled {
	// That process has checked the right to stop.
	return &cancelled{who: auth.Identity{Subject: s.By, Roles: []auth.Role{auth.Admin}}, via: approval.Via(s.Via), seq: s.Seq}
}

// cancelledBy returns who stopped the turn that ctx is for; nil if no one did.
func cancelledBy(ctx context.Context) *cancelled {
	var c *cancelled
	if errors.As(context.Cause(ctx), &c) {
		return c
	}
	return nil
}

func newTurn(sessionID string) *turn { return &turn{sessionID: sessionID, done: make(chan struct{})} }

// rouse makes sure that the session's newest message is answered. It returns the turn that answers it at the latest:
// one that begins now, or the one after the turn under way, which may have read everything already or be about to
// end.
func (a *Agent) rouse(sessionID string) (*turn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base == nil {
		return nil, ErrNotStarted
	}
	now := a.active[sessionID]
	if now == nil {
		return a.begin(newTurn(sessionID)), nil
	}
	last := now.last()
	if last == now || last.stopped != nil {
		last.next = newTurn(sessionID)
		last = last.next
	}
	return last, nil
}

// join returns the turn under way, or begins one.
func (a *Agent) join(sessionID string) (*turn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.active[sessionID]; now != nil {
		return now, nil
	}
	if a.base == nil {
		return nil, ErrNotStarted
	}
	return a.begin(newTurn(sessionID)), nil
}

func (t *turn) last() *turn {
	for t.next != nil {
		t = t.next
	}
	return t
}

// begin starts a turn; under Agent.mu.
func (a *Agent) begin(t *turn) *turn {
	ctx, cancel := a.base()
	t.cancel = cancel
	if t.stopped != nil {
		cancel(t.stopped)
	}
	a.active[t.sessionID] = t
	a.work.Go(func() { a.serve(ctx, t) })
	return t
}

// interrupt ends the session's turn and those that wait behind it; what is said from now on begins another. It
// returns the last of them, after which all are closed, or nil if the session is at rest.
func (a *Agent) interrupt(sessionID string, why *cancelled) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.interrupted(sessionID, why)
}

// interrupted is interrupt under Agent.mu.
func (a *Agent) interrupted(sessionID string, why *cancelled) *turn {
	now := a.active[sessionID]
	if now == nil {
		return nil
	}
	now.cancel(why)
	for t := now.next; t != nil; t = t.next {
		t.stopped = why
	}
	return now.last()
}

// interruptTurn ends one turn and leaves the others of its session alone.
func (a *Agent) interruptTurn(t *turn, why *cancelled) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.cancel != nil {
		t.cancel(why)
		return
	}
	t.stopped = why
}

// closeOpen is interrupt, but if no turn is under way, it begins one that closes as cancelled what the session has
// open.
func (a *Agent) closeOpen(sessionID string, why *cancelled) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.interrupted(sessionID, why); t != nil || a.base == nil {
		return t
	}
	t := newTurn(sessionID)
	t.stopped = why
	return a.begin(t)
}

// serve runs a turn, and begins the next one if more has been said, or if the store failed this one. A turn that
// comes too late for Stop ends before it begins.
func (a *Agent) serve(ctx context.Context, t *turn) {
	defer close(t.done)
	defer t.cancel(nil)
	closed := false
	if t.err = pause(ctx, t.delay); !errors.Is(t.err, ErrStopping) {
		closed, t.err = a.answer(ctx, t) // which also closes one that was cancelled
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.active, t.sessionID)
	if closed && t.more && t.next == nil {
		t.next = newTurn(t.sessionID)
	}
	if stopped := cancelledBy(ctx); !closed && (t.next == nil || stopped != nil) { // a stopped turn is closed before the next one begins
		again := newTurn(t.sessionID)
		again.delay, again.stopped, again.next = min(2*t.delay+firstRetry, lastRetry), stopped, t.next
		t.next = again
	}
	if t.next != nil && a.base != nil {
		a.begin(t.next)
		return
	}
	for late := t.next; late != nil; late = late.next {
		late.err = ErrStopping
		close(late.done)
	}
}

// The pauses before a turn that the store has failed is tried again.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// enter makes this process work in the turn's session. If another process works there, it returns
// session.ErrElsewhere: that process hears what was said. If this turn was cancelled, enter also stops the turn
// there, and waits until it has ended.
func (a *Agent) enter(ctx context.Context, t *turn) error {
	stop, err := a.runtime.Sessions.Work(context.WithoutCancel(ctx), t.sessionID) // a cancelled turn has to be closed too
	if stop.By != "" {
		t.cancel(stoppedBy(stop))
	}
	c := cancelledBy(ctx)
	if c == nil || !errors.Is(err, session.ErrElsewhere) {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	log := a.runtime.Sessions
	s, failed := log.Get(ctx, t.sessionID)
	s.Seq = cmp.Or(c.seq, s.Seq)
	if failed == nil && s.TurnOpen { // an earlier Stop may have reached no process
		failed = log.Stop(ctx, t.sessionID, session.Stop{By: c.who.Subject, Via: string(c.via), Seq: s.Seq})
	}
	for over := !s.TurnOpen; errors.Is(err, session.ErrElsewhere); { // the other process may be gone before it has ended the turn
		if failed != nil { // serve tries again
			return failed
		}
		if over {
			return err
		}
		if err := a.rest(lookAgain); err != nil {
			return err
		}
		if over, failed = a.endedSince(ctx, s); !over && failed == nil { // another turn may be open by now
			_, err = log.Work(ctx, t.sessionID)
		}
	}
	return err
}

// endedSince reports whether the turn that was open in s has ended.
func (a *Agent) endedSince(ctx context.Context, s session.Session) (bool, error) {
	events, err := a.runtime.Sessions.Events(ctx, s.ID, s.Seq, 0)
	return slices.ContainsFunc(events, func(e session.Event) bool { return e.Type == session.TypeTurnFinished }), err
}

// rest is pause, cut short when the agent stops.
func (a *Agent) rest(d time.Duration) error {
	a.mu.Lock()
	base := a.base
	a.mu.Unlock()
	if base == nil {
		return ErrStopping
	}
	ctx, done := base()
	defer done(nil)
	return pause(ctx, d)
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
