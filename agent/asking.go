package agent

import (
	"context"
	"errors"

	"github.com/lineclear/lineclear/approval"
)

// What a program that embeds an agent does with its requests.

// SetApprovalHandler says who is asked from now on.
func (a *Agent) SetApprovalHandler(h approval.Handler) { a.gate.SetHandler(h) }

// ClearApprovalHandler takes the handler away: what would be asked is denied
// with reason no_handler from now on.
func (a *Agent) ClearApprovalHandler() { a.gate.SetHandler(nil) }

// SetMode sets the agent's mode while it works; it holds until it is set again.
func (a *Agent) SetMode(ctx context.Context, mode approval.Mode) error {
	seen := a.gate.Setting().Version
	for {
		set, err := a.runtime.Approvals.SetMode(ctx, program(), "program", a.config.ID, mode, seen)
		if !errors.Is(err, approval.ErrModeChanged) {
			return err
		}
		seen = set.Version // a program sets what it wants, whoever was at it just now
	}
}

// CancelApprovals withdraws all that waits for an answer; turns go on.
func (a *Agent) CancelApprovals(ctx context.Context) error {
	_, err := a.runtime.Approvals.CancelWaiting(ctx, program(), "program", approval.Which{AgentID: a.config.ID})
	return err
}

// Halt denies what the agent asks and starts nothing more of it, until Lift.
func (a *Agent) Halt(ctx context.Context) error {
	_, err := a.runtime.Approvals.Halt(ctx, program(), "program", a.config.ID)
	return err
}

// Lift ends a halt of the agent.
func (a *Agent) Lift(ctx context.Context) error {
	_, err := a.runtime.Approvals.Lift(ctx, program(), "program", a.config.ID)
	return err
}

// CancelApproval withdraws one request.
func (a *Agent) CancelApproval(ctx context.Context, approvalID string) error {
	_, err := a.runtime.Approvals.Cancel(ctx, program(), "program", approvalID)
	return err
}

// PendingApprovals lists what waits for an answer, oldest first.
func (a *Agent) PendingApprovals(ctx context.Context) ([]approval.Request, error) {
	all, err := a.runtime.Approvals.Pending(ctx, "")
	if err != nil {
		return nil, err
	}
	own := all[:0]
	for _, r := range all {
		if r.AgentID == a.config.ID {
			own = append(own, r)
		}
	}
	return own, nil
}
