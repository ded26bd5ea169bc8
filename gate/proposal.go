package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// consult runs h in a goroutine of its own, since a handler need not be quick
// to return after its ctx has ended; the manager waits for it in Wait.
func (m *Manager) consult(ctx context.Context, h approval.Handler, r *approval.Request) <-chan proposal {
	out := make(chan proposal, 1)
	m.handlers.Go(func() {
		answer, err := approval.Guarded(h).Ask(ctx, *r)
		out <- proposal{answer, err}
	})
	return out
}

// answer turns a proposal into the answer that is put to the store: checked
// like any other, and a no where it can't be taken. Its reason follows from its
// status; a handler can't claim to be the clock or the policy.
func (m *Manager) answer(ctx context.Context, row approval.Approval, p proposal) approval.Response {
	answer, err := p.response, p.err
	if err == nil && answer.ApprovalID != "" && answer.ApprovalID != row.ApprovalID {
		err = fmt.Errorf("it answered another request: %s", answer.ApprovalID)
	}
	if err == nil {
		answer.Reason = ""
		answer.By.Subject, answer.By.Via = cmp.Or(answer.By.Subject, "handler"), cmp.Or(answer.By.Via, "handler")
		answer, err = m.checked(ctx, row, answer, auth.Identity{Subject: answer.By.Subject})
	}
	if errors.Is(err, approval.ErrNobody) {
		return approval.Response{Status: approval.Denied, Reason: approval.NoHandler, By: approval.BySystem(), Message: err.Error()}
	}
	if err != nil {
		return approval.Response{
			Status: approval.Denied, Reason: approval.HandlerFailed, By: approval.BySystem(),
			Message: "the approval handler failed: " + err.Error(),
		}
	}
	return answer
}

// proposal is what came of asking a handler.
type proposal struct {
	response approval.Response
	err      error
}
