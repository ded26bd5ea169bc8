package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/approval"
)

// await waits for a pending row's answer, whoever gives it first: a door, the
// gate's handler, or the clock. What it returns is what the store holds.
func (m *Manager) await(ctx context.Context, gate *Gate, row *approval.Approval, waiter *Waiter) (*approval.Approval, error) {
	handler := gate.Handler()
	if handler == nil { // taken away since the row was made
		return m.settleUnattended(ctx, row)
	}
	asking, release := context.WithCancel(ctx)
	defer release()
	var deadline <-chan time.Time
	if !row.ExpiresAt.IsZero() {
		var stop context.CancelFunc
		asking, stop = context.WithDeadline(asking, row.ExpiresAt)
		defer stop()
		timer := time.NewTimer(time.Until(row.ExpiresAt))
		defer timer.Stop()
		deadline = timer.C
	}
	var proposals <-chan proposal
	select {
	case <-waiter.Done(): // an instant answer has made asking needless
	default:
		proposals = m.consult(asking, handler, &row.Request)
	}
	for {
		select {
		case <-waiter.Done():
			return m.outcome(ctx, row.ApprovalID)
		case p := <-proposals:
			proposals = nil
			if p.err != nil && (asking.Err() != nil || row.Expired(time.Now())) {
				continue // it was told to stop; the clock or ctx has the word
			}
			return m.settleProposal(ctx, row, &p)
		case now := <-deadline:
			// The timer only wakes; whether the time has come is for the clock.
			if left := row.ExpiresAt.Sub(now); left > 0 && !row.Expired(time.Now()) {
				deadline = time.After(left)
				continue
			}
			return m.settleTimeout(ctx, row)
		case <-ctx.Done():
			return row, context.Cause(ctx)
		}
	}
}

// What follows is apart from await, so that await's frame stays small.

func (m *Manager) settleProposal(ctx context.Context, row *approval.Approval, p *proposal) (*approval.Approval, error) {
	return m.settled(ctx, row.ApprovalID, m.answer(ctx, *row, *p))
}

func (m *Manager) settleTimeout(ctx context.Context, row *approval.Approval) (*approval.Approval, error) {
	return m.settled(ctx, row.ApprovalID, approval.TimedOut())
}

func (m *Manager) settleUnattended(ctx context.Context, row *approval.Approval) (*approval.Approval, error) {
	return m.settled(ctx, row.ApprovalID, approval.Response{Status: approval.Denied, Reason: approval.NoHandler, By: approval.BySystem()})
}

// settled puts an answer to the store and returns the row as it then stands,
// also where another answer was first.
func (m *Manager) settled(ctx context.Context, approvalID string, r approval.Response) (*approval.Approval, error) {
	a, err := m.settle(ctx, approvalID, r)
	if err == nil || errors.Is(err, approval.ErrDecided) {
		return &a, nil
	}
	return nil, err
}

// settle is the one call of Store.Settle, with the grant that an approval of
// wider scope brings.
func (m *Manager) settle(ctx context.Context, approvalID string, r approval.Response) (approval.Approval, error) {
	r.ApprovalID = approvalID
	var grant *approval.Grant
	if r.Status == approval.Approved && r.Scope.OrOnce() != approval.Once {
		row, err := m.store.Get(ctx, approvalID)
		if err != nil {
			return approval.Approval{}, err
		}
		if grant, err = m.grantFor(row, r); err != nil {
			return approval.Approval{}, err
		}
		r.GrantID = grant.ID
	}
	row, err := m.store.Settle(ctx, r, grant)
	if err == nil && grant != nil && row.Response.GrantID == grant.ID {
		// The answer stands, whatever becomes of this; what it leaves waiting can
		// still be answered.
		if err := m.release(context.WithoutCancel(ctx), row.SessionID); err != nil {
			m.failed("release", err)
		}
	}
	return row, err
}

func (m *Manager) outcome(ctx context.Context, approvalID string) (*approval.Approval, error) {
	a, err := m.store.Get(ctx, approvalID)
	if err != nil {
		return nil, fmt.Errorf("gate: outcome of %s: %w", approvalID, err)
	}
	return &a, nil
}
