package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/auth"
)

// consult runs h in a goroutine of its own, since a handler need not be quick
// to return after its ctx has ended; the manager waits for it in Wait.
func (m *Manager) consult(ctx context.Context, h Handler, r *Request) <-chan proposal {
	out := make(chan proposal, 1)
	m.handlers.Go(func() {
		answer, err := Guarded(h).Ask(ctx, *r)
		out <- proposal{answer, err}
	})
	return out
}

// answer turns a proposal into the answer that is put to the store: checked
// like any other, and a no where it can't be taken. Its reason follows from its
// status; a handler can't claim to be the clock or the policy.
func (m *Manager) answer(ctx context.Context, row Approval, p proposal) Response {
	answer, err := p.response, p.err
	if err == nil && answer.ApprovalID != "" && answer.ApprovalID != row.ApprovalID {
		err = fmt.Errorf("it answered another request: %s", answer.ApprovalID)
	}
	if err == nil {
		answer.Reason = ""
		answer.By.Subject, answer.By.Via = cmp.Or(answer.By.Subject, "handler"), cmp.Or(answer.By.Via, "handler")
		answer, err = m.checked(ctx, row, answer, auth.Identity{Subject: answer.By.Subject})
	}
	if errors.Is(err, ErrNobody) {
		return Response{Status: Denied, Reason: NoHandler, By: BySystem(), Message: err.Error()}
	}
	if err != nil {
		return Response{
			Status: Denied, Reason: HandlerFailed, By: BySystem(),
			Message: "the approval handler failed: " + err.Error(),
		}
	}
	return answer
}

// proposal is what came of asking a handler.
type proposal struct {
	response Response
	err      error
}
