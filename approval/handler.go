package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/auth"
)

// ErrNobody is returned by a Handler that could ask nobody. Like any other error it
// denies; the reason is no_handler, since no person said no.
var ErrNobody = errors.New("approval: nobody could be asked")

// Handler asks whoever can decide, and waits. What it returns is a proposal:
// it goes through the same path as any answer, and loses to one that was
// faster. ctx ends at the request's deadline, and when the request has been
// answered elsewhere; the handler has to return then. An error, a panic or an
// answer that is none denies.
type Handler interface {
	Ask(ctx context.Context, r Request) (Response, error)
}

// HandlerFunc makes a plain function a Handler.
type HandlerFunc func(ctx context.Context, r Request) (Response, error)

// Ask calls f.
func (f HandlerFunc) Ask(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// proposal is what came of asking a handler.
type proposal struct {
	response Response
	err      error
}

// consult runs h in a goroutine of its own, since a handler need not be quick
// to return after its ctx has ended; the manager waits for it in Wait.
func (m *Manager) consult(ctx context.Context, h Handler, r *Request) <-chan proposal {
	out := make(chan proposal, 1)
	m.handlers.Go(func() { askGuarded(ctx, h, r, out) })
	return out
}

func askGuarded(ctx context.Context, h Handler, r *Request, out chan<- proposal) {
	var p proposal
	defer func() {
		if fault := recover(); fault != nil {
			p.err = fmt.Errorf("handler panicked: %v", fault)
		}
		out <- p
	}()
	p.response, p.err = h.Ask(ctx, *r)
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
		return Response{Status: Denied, Reason: NoHandler, By: bySystem(), Message: err.Error()}
	}
	if err != nil {
		return Response{
			Status: Denied, Reason: HandlerFailed, By: bySystem(),
			Message: "the approval handler failed: " + err.Error(),
		}
	}
	return answer
}
