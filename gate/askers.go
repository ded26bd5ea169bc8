package gate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/tool"
)

// DefaultAskerGrace is how long a request outlives the program that was waiting for its
// answer.
const DefaultAskerGrace = 30 * time.Second

// askers tracks the programs that wait for an answer, by approval. A program that dies
// can't withdraw its request, and a person would answer it for nobody.
type askers struct {
	mu  sync.Mutex
	all map[string]*asker
}

// asker is a program waiting for one answer.
type asker struct {
	here int       // how many of its connections wait
	last time.Time // when it was last heard from
}

// expect starts tracking a program, when it asks or after a restart.
func (a *askers) expect(approvalID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all[approvalID] == nil {
		a.all[approvalID] = &asker{}
	}
	a.all[approvalID].last = time.Now()
}

// seen notes that the program is connected until left is called.
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

// gone removes and returns the approvals whose programs have been silent for the grace.
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

// Seen notes that the program that asked is waiting for the answer until left is called.
func (a *Asker) Seen(approvalID string) (left func()) { return a.askers.seen(approvalID) }

// Adopt takes note of a program that has come to this process, and may have asked at another one.
func (a *Asker) Adopt(ctx context.Context, row approval.Approval) error {
	if !row.Origin.Waits || row.Status != approval.Pending {
		return nil
	}
	if err := a.store.Adopt(ctx, row.ApprovalID); err != nil {
		return err
	}
	a.askers.expect(row.ApprovalID)
	return nil
}

// Retract is Desk.Cancel for the program that asked.
func (a *Asker) Retract(ctx context.Context, id auth.Identity, via approval.Via, approvalID string) (approval.Approval, error) {
	row, _, err := a.own(ctx, id, approvalID)
	if err != nil {
		return row, err
	}
	return a.cancel(ctx, row.ApprovalID, approval.Response{
		Status: approval.Cancelled, Reason: approval.AskerGone, By: approval.By{Subject: id.Subject, Via: via},
	})
}

// Extend moves the deadline of the program's own pending request to wait from now, but not
// beyond the policy's limit.
func (a *Asker) Extend(ctx context.Context, id auth.Identity, approvalID string, wait time.Duration) (approval.Approval, error) {
	row, gate, err := a.own(ctx, id, approvalID)
	if err != nil {
		return row, err
	}
	until := a.now().Add(wait).UTC().Truncate(time.Microsecond)
	if limit := gate.Timeout(); limit != NoTimeout && until.After(row.RequestedAt.Add(limit)) {
		until = row.RequestedAt.Add(limit)
	}
	extended, err := a.store.Extend(ctx, row.ApprovalID, until)
	switch {
	case err == nil:
		a.promises.extend(row.ApprovalID, until)
	case errors.Is(err, approval.ErrExpired):
		late, failed := a.settleRow(ctx, row.ApprovalID, approval.TimedOut())
		if failed != nil {
			return row, failed
		}
		return *late, err
	}
	return extended, err
}

// ExpectAskers gives programs that waited at a process which is gone another grace.
func (a *Asker) ExpectAskers(ctx context.Context) error {
	rows, err := a.store.Find(ctx, approval.Query{Status: approval.Pending, Left: true})
	for _, row := range rows {
		if row.Origin.Waits {
			a.askers.expect(row.ApprovalID)
		}
	}
	return err
}

// EndUnreported finishes the calls of programs that were cleared before a time and have
// no result.
func (a *Asker) EndUnreported(ctx context.Context, before time.Time) error {
	rows, err := a.store.Find(ctx, approval.Query{Running: true, AskedUntil: before})
	for _, row := range rows {
		if row.Origin.Kind != approval.OriginProgram || !row.Response.At.Before(before) {
			continue
		}
		if failed := a.store.Finish(ctx, row.ApprovalID, tool.Unreported()); !errors.Is(failed, approval.ErrHasResult) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// endGone cancels the requests of programs that are gone.
func (c *core) endGone(ctx context.Context) (failed error) {
	for _, id := range c.askers.gone(c.askerGrace) {
		row, err := c.store.Get(ctx, id)
		if err == nil && row.Status == approval.Pending {
			_, err = c.settle(ctx, id, approval.Response{Status: approval.Cancelled, Reason: approval.AskerGone, By: approval.BySystem()})
		}
		if err != nil && !errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrElsewhere) {
			c.askers.expect(id) // try again after another grace
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
