package gate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// DefaultAskerGrace is how long a request lives whose program waited for the answer, and
// does not any more, when nothing else is said.
const DefaultAskerGrace = 30 * time.Second

// askers are the programs that said that they would wait for an answer, by approval. One
// that dies can't withdraw its question: a person would answer it for nobody.
type askers struct {
	mu  sync.Mutex
	all map[string]*asker
}

// asker is one program that waits.
type asker struct {
	here int       // of its connections
	last time.Time // when something was heard of it
}

// expect notes a program that waits, as it asks, or after a restart.
func (a *askers) expect(approvalID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all[approvalID] == nil {
		a.all[approvalID] = &asker{}
	}
	a.all[approvalID].last = time.Now()
}

// seen notes that the program is there, until left is called.
func (a *askers) seen(approvalID string) (left func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.all[approvalID]
	if one == nil {
		return func() {}
	}
	one.here++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		one.here--
		one.last = time.Now()
	})
}

// gone takes out those of which nothing was heard for long.
func (a *askers) gone(grace time.Duration) (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, one := range a.all {
		if one.here == 0 && time.Since(one.last) >= grace {
			ids = append(ids, id)
			delete(a.all, id)
		}
	}
	return ids
}

// Seen notes that the program which asked looks for the answer, until left is called.
func (a *Asker) Seen(approvalID string) (left func()) { return a.askers.seen(approvalID) }

// Retract is Desk.Cancel for the program that asked.
func (a *Asker) Retract(ctx context.Context, id auth.Identity, via approval.Via, approvalID string) (approval.Approval, error) {
	row, _, err := a.own(ctx, id, approvalID)
	if err != nil {
		return row, err
	}
	return a.cancel(ctx, row.ApprovalID, approval.AskerGone, approval.By{Subject: id.Subject, Via: via})
}

// ExpectAskers gives the programs another grace that waited when an earlier process ended.
func (a *Asker) ExpectAskers(ctx context.Context) error {
	rows, err := a.store.Find(ctx, approval.Query{Status: approval.Pending})
	for _, row := range rows {
		if row.Origin.Waits {
			a.askers.expect(row.ApprovalID)
		}
	}
	return err
}

// endGone settles what programs asked that are gone.
func (c *core) endGone(ctx context.Context) (failed error) {
	for _, id := range c.askers.gone(c.askerGrace) {
		row, err := c.store.Get(ctx, id)
		if err == nil && row.Status == approval.Pending {
			_, err = c.settle(ctx, id, approval.Response{Status: approval.Cancelled, Reason: approval.AskerGone, By: approval.BySystem()})
		}
		if err != nil && !errors.Is(err, approval.ErrDecided) {
			c.askers.expect(id) // looked at again after another grace
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
