package door

import (
	"context"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// CancelWaiting withdraws the requests that wait, without stopping a turn; see
// gate.Desk.
func (d *Door) CancelWaiting(ctx context.Context, who auth.Identity, w approval.Which) ([]Approval, error) {
	rows, err := d.b.Approvals.CancelWaiting(ctx, who, d.via, w)
	views := make([]Approval, len(rows))
	for i, row := range rows {
		views[i] = d.approval(row)
	}
	return views, err
}

// Halt stops an agent, or, with no agentID, all of them; see gate.Desk.
func (d *Door) Halt(ctx context.Context, who auth.Identity, agentID string) (approval.Halt, error) {
	return d.b.Approvals.Halt(ctx, who, d.via, agentID)
}

// Lift ends a halt; see gate.Settings.
func (d *Door) Lift(ctx context.Context, who auth.Identity, agentID string) (approval.Halt, error) {
	return d.b.Approvals.Lift(ctx, who, d.via, agentID)
}

// Halts lists the halts that are on and concern an agent that the identity is for.
func (d *Door) Halts(who auth.Identity) []approval.Halt {
	return slices.DeleteFunc(d.b.Approvals.Halts(), func(h approval.Halt) bool {
		return h.AgentID != "" && !who.Covers(h.AgentID)
	})
}
