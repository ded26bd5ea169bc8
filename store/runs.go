package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Claim implements approval.Store.
func (t *Approvals) Claim(
	ctx context.Context, id string, within time.Duration, still func() bool,
) (approval.Approval, error) {
	return t.transition(ctx, "claim", id, func(c *change, before approval.Approval) (approval.Approval, error) {
		if err := c.requireOpen(before.SessionID, session.TypeApprovalRequested); err != nil {
			return before, err
		}
		after, err := before.Claim(within, c.now)
		if errors.Is(err, approval.ErrClaimed) && before.Run == approval.RunClaimed {
			err = cmp.Or(c.notElsewhere(before.ApprovalID), err)
		}
		if err == nil {
			err = c.notHalted(before.AgentID)
		}
		if err == nil {
			err = c.mayClaim(before.AgentID)
		}
		if err == nil && !still() {
			err = approval.ErrOutdated
		}
		if err != nil {
			return before, err
		}
		return after, c.audit(audit.CallClaimed, requester(before.Request), audit.Call{About: about(before.Request)})
	})
}

// Finish implements approval.Store.
func (t *Approvals) Finish(ctx context.Context, id string, result tool.Result) error {
	_, err := t.transition(ctx, "finish", id, func(c *change, before approval.Approval) (approval.Approval, error) {
		after, err := before.Finish()
		if err != nil {
			return before, err
		}
		told, err := c.journal(after.SessionID, session.TypeToolResult, session.ToolResult{
			CallID: after.ToolCallID, ApprovalID: id, ToolName: after.ToolName, Result: result,
		})
		if err != nil {
			return before, err
		}
		after.ResultSeq = told.Seq
		ran := audit.Call{About: about(before.Request), IsError: result.IsError, Unreported: result.Unreported}
		by := requester(before.Request)
		if result.Unreported {
			by = approval.BySystem()
		}
		return after, c.audit(audit.CallFinished, by, ran)
	})
	return err
}
