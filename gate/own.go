package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/tool"
)

// proposal is what came of asking a handler.
type proposal struct {
	answer approval.Response
	err    error
}

// own is a program's own handler as a Keeper: it is raced against the promise, since
// the answer may come through a door too.
type own struct {
	*Promises
	handler approval.Handler
	running *sync.WaitGroup
}

// Ask implements Keeper. The handler runs in a goroutine of its own, since it need
// not be quick to return after its ctx has ended.
func (o own) Ask(ctx context.Context, r approval.Request) (approval.Response, error) {
	return o.race(ctx, r.ApprovalID, r.ExpiresAt, func(ctx context.Context) <-chan proposal {
		proposals := make(chan proposal, 1)
		o.running.Go(func() {
			answer, err := approval.Guarded(o.handler).Ask(ctx, r)
			proposals <- proposal{answer, err}
		})
		return proposals
	})
}

// noHandler is the Keeper of a gate without a handler.
type noHandler struct{ *Promises }

func (noHandler) Ask(context.Context, approval.Request) (approval.Response, error) {
	return approval.Response{}, approval.ErrNobody
}

func (noHandler) Attended(string) bool { return false }

// keeper is the gate's handler as a Keeper.
func (g *Gate) keeper() Keeper {
	switch h := g.Handler().(type) {
	case nil:
		return noHandler{g.asker.promises}
	case Keeper:
		return h
	default:
		return own{g.asker.promises, h, &g.asker.handlers}
	}
}

// answer turns a proposal into the answer that is put to the store: checked
// like any other, and a no where it can't be taken. Its reason follows from its
// status; a handler can't claim to be the clock or the policy.
func (a *Asker) answer(ctx context.Context, row *approval.Approval, p proposal) approval.Response {
	answer, err := p.answer, p.err
	if err == nil && answer.ApprovalID != "" && answer.ApprovalID != row.ApprovalID {
		err = fmt.Errorf("it answered another request: %s", answer.ApprovalID)
	}
	if err == nil {
		answer.Reason = ""
		answer.By.Subject, answer.By.Via = cmp.Or(answer.By.Subject, "handler"), cmp.Or(answer.By.Via, approval.ViaHandler)
		answer, err = a.checked(ctx, *row, answer, auth.Identity{Subject: answer.By.Subject})
	}
	if errors.Is(err, approval.ErrNobody) {
		return approval.Unanswerable(row.Type, approval.NoHandler)
	}
	if err != nil {
		return approval.Response{
			Status: approval.Denied, Reason: approval.HandlerFailed, By: approval.BySystem(),
			Message: "the approval handler failed: " + tool.Words(err),
		}
	}
	return answer
}
