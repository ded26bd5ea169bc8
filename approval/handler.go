package approval

import (
	"context"
	"fmt"
)

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
func (m *Manager) consult(ctx context.Context, h Handler, r Request) <-chan proposal {
	out := make(chan proposal, 1)
	m.handlers.Go(func() {
		response, err := askGuarded(ctx, h, r)
		out <- proposal{response, err}
	})
	return out
}

func askGuarded(ctx context.Context, h Handler, r Request) (response Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handler panicked: %v", p)
		}
	}()
	return h.Ask(ctx, r)
}

// answer turns a proposal into the answer that is put to the store.
func (p proposal) answer(r Request) Response {
	failed := func(text string) Response {
		return Response{Status: Denied, Reason: HandlerFailed, Message: text, By: bySystem()}
	}
	switch {
	case p.err != nil:
		return failed("the approval handler failed: " + p.err.Error())
	case p.response.ApprovalID != "" && p.response.ApprovalID != r.ApprovalID:
		return failed("the approval handler answered another request: " + p.response.ApprovalID)
	}
	answer := p.response
	if answer.By.Subject == "" {
		answer.By.Subject = "handler"
	}
	if answer.By.Via == "" {
		answer.By.Via = "handler"
	}
	switch answer.Status {
	case Approved:
		if answer.Scope != "" && answer.Scope != Once && !offered(r, answer.Scope) {
			return failed(fmt.Sprintf("the approval handler gave scope %q, which was not offered", answer.Scope))
		}
	case Denied:
		if answer.Reason == "" {
			answer.Reason = UserDenied
		}
	case Cancelled:
		if answer.Reason == "" {
			answer.Reason = UserCancelled
		}
	case Pending:
		fallthrough
	default:
		return failed(fmt.Sprintf("the approval handler gave no answer: status %q", answer.Status))
	}
	return answer
}
