package approval

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/tool"
)

// carryOut does what a settled row says: runs the call, or words the refusal;
// either way the result is journaled with the row's last transition.
func (t *Gated) carryOut(ctx context.Context, row Approval, call tool.Call) (tool.Result, error) {
	m := t.gate.manager
	if row.Status != Approved {
		return m.conclude(ctx, row, tool.Failed(row.Explain()))
	}
	if m.isRunning(row.ApprovalID) {
		return tool.Result{}, ErrClaimed
	}
	claimed, err := m.claim(ctx, t, row)
	switch {
	case errors.Is(err, ErrVoid):
		return m.conclude(ctx, claimed, tool.Failed(claimed.Explain()))
	case errors.Is(err, ErrClaimed) && claimed.Run == RunClaimed:
		return m.conclude(ctx, claimed, tool.Failed(outcomeUnknown))
	case err != nil:
		return tool.Result{}, err
	}
	defer m.stopped(row.ApprovalID)
	if call.Args, err = claimed.RunArgs(); err != nil {
		return tool.Result{}, err
	}
	return m.conclude(ctx, claimed, t.runGuarded(ctx, call))
}

// claim takes the right to run, unless the policy as it is now denies.
func (m *Manager) claim(ctx context.Context, t *Gated, row Approval) (Approval, error) {
	about := row.Request
	args, err := row.RunArgs()
	if err != nil {
		return row, err
	}
	about.Args = args
	if about.ArgsDigest, err = digestOf(about, args); err != nil {
		return row, err
	}
	if v := m.verdict(ctx, t.about(about)); v.Effect != Allow && v.Effect != AskPerson {
		voided, err := m.settle(ctx, row.ApprovalID, Response{
			Status: Cancelled, Reason: PolicyDenied, By: By{Subject: "policy", Via: "policy"},
		})
		if err != nil && !errors.Is(err, ErrDecided) {
			return row, err
		}
		voided.Response.Reason, voided.Response.Message = PolicyDenied, v.Rule
		return voided, ErrVoid
	}
	m.mu.Lock()
	m.running[row.ApprovalID] = struct{}{}
	m.mu.Unlock()
	claimed, err := m.store.Claim(ctx, row.ApprovalID, m.runWithin)
	if err != nil {
		m.stopped(row.ApprovalID)
		if claimed.ApprovalID == "" {
			claimed = row
		}
		return claimed, err
	}
	return claimed, nil
}

// conclude journals the one result of a call. It is written even when ctx has
// ended: what ran has run.
func (m *Manager) conclude(ctx context.Context, row Approval, result tool.Result) (tool.Result, error) {
	if err := m.store.Finish(context.WithoutCancel(ctx), row.ApprovalID, result); err != nil {
		return tool.Result{}, fmt.Errorf("approval: result of %s: %w", row.ToolCallID, err)
	}
	return result, nil
}

// runGuarded runs the tool itself; an error or a panic is a failed result.
func (t *Gated) runGuarded(ctx context.Context, call tool.Call) (result tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			result = tool.Failed(fmt.Sprintf("The tool %s broke while it ran: %v", call.Tool, p))
		}
	}()
	result, err := t.inner.Run(ctx, call)
	if err != nil {
		return tool.Failed(fmt.Sprintf("The tool %s failed: %v", call.Tool, err))
	}
	return result
}

func (m *Manager) isRunning(approvalID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.running[approvalID]
	return ok
}

func (m *Manager) stopped(approvalID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, approvalID)
}
