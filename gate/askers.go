package gate

import (
	"context"
	"errors"
	"slices"
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
// can't withdraw its request, and a person would answer it for nobody. Of several nodes, a program may
// wait at another one than the one that it has asked.
type askers struct {
	nodes bool // there may be others

	mu  sync.Mutex
	all map[string]*asker
}

// asker is a program waiting for one answer.
type asker struct {
	here int       // how many of its connections wait
	last time.Time // since when it is silent
	seen time.Time // when it was last here; zero: never
}

// asked starts tracking a program that has just asked.
func (a *askers) asked(approvalID string) {
	a.expect(approvalID)
	a.mu.Lock()
	defer a.mu.Unlock()
	if one := a.all[approvalID]; one != nil {
		one.seen = one.last
	}
}

// expect gives a program another grace, of which nothing is known.
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
	switch {
	case one == nil && !a.nodes:
		return func() {}
	case one == nil:
		one = &asker{}
		a.all[approvalID] = one
	}
	one.here++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		one.here--
		one.last = time.Now()
		one.seen = one.last
	})
}

// waiting are the approvals whose programs are connected here, or were within the grace.
func (a *askers) waiting(grace time.Duration) (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, one := range a.all {
		if one.here > 0 || time.Since(one.seen) < grace {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
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

// Waiting is what Options.Elsewhere says of this node to the others.
func (a *Asker) Waiting() []string { return a.askers.waiting(a.askerGrace) }

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
	until := time.Now().Add(wait).UTC().Truncate(time.Microsecond)
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

// ExpectAskers gives programs that waited before a restart of the gateway another grace.
func (a *Asker) ExpectAskers(ctx context.Context) error {
	rows, err := a.store.Find(ctx, approval.Query{Status: approval.Pending})
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
	ids := c.askers.gone(c.askerGrace)
	if len(ids) == 0 {
		return nil
	}
	var elsewhere []string
	if c.elsewhere != nil {
		if elsewhere, failed = c.elsewhere(ctx); failed != nil {
			elsewhere = ids // who can't be seen may be there
		}
	}
	for _, id := range ids {
		if slices.Contains(elsewhere, id) {
			c.askers.expect(id)
			continue
		}
		row, err := c.store.Get(ctx, id)
		if err == nil && row.Status == approval.Pending && row.Origin.Waits {
			_, err = c.settle(ctx, id, approval.Response{Status: approval.Cancelled, Reason: approval.AskerGone, By: approval.BySystem()})
		}
		if err != nil && !errors.Is(err, approval.ErrDecided) {
			c.askers.expect(id) // try again after another grace
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
