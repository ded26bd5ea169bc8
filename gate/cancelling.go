package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// CancelWaiting withdraws the requests that wait, and those that are approved and have
// not been started. Turns go on, with results that say so. It takes the right to answer
// each of them: with none of them withdrawn, ErrOutOfScope says that one is for others.
// The rows are returned as they then stand, as far as they were withdrawn by this.
func (d *Desk) CancelWaiting(ctx context.Context, id auth.Identity, via approval.Via, w approval.Which) ([]approval.Approval, error) {
	if !id.May(auth.Answer) {
		return nil, auth.ErrForbidden
	}
	if err := w.Check(); err != nil {
		return nil, err
	}
	q := approval.Query{SessionID: w.SessionID, Below: true, AgentID: w.AgentID, Open: true}
	if w.All {
		q.Agents = id.Agents
	}
	if w.AgentID != "" && (!id.Covers(w.AgentID) || d.gate(w.AgentID) == nil) {
		return nil, fmt.Errorf("%w: %q", ErrNoAgent, w.AgentID)
	}
	return d.withdraw(ctx, q, id.Covers, approval.Response{
		Status: approval.Cancelled, Reason: approval.UserCancelled, By: by(id, via),
	})
}

// withdraw gives all rows of a query an answer that takes them back.
func (c *core) withdraw(
	ctx context.Context, q approval.Query, covered func(agentID string) bool, r approval.Response,
) ([]approval.Approval, error) {
	rows, err := c.store.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, a := range rows {
		if !covered(a.AgentID) {
			return nil, auth.ErrOutOfScope
		}
	}
	var withdrawn []approval.Approval
	for _, a := range rows {
		switch row, err := c.settle(ctx, a.ApprovalID, r); {
		case err == nil && row.Last().Reason == r.Reason:
			withdrawn = append(withdrawn, row)
		case err != nil && !errors.Is(err, approval.ErrDecided):
			return withdrawn, err
		}
	}
	return withdrawn, nil
}
