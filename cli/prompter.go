package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/terminal"
)

// errElsewhere ends a question that somebody else has answered.
var errElsewhere = errors.New("answered elsewhere")

// prompter puts requests to the person at the terminal, one at a time and in order, and
// hands the answers in. A nil asker asks nobody.
type prompter struct {
	gateway *client.Client
	prompt  *terminal.Prompt
	screen  *screen

	mu    sync.Mutex
	queue []*question
	wake  chan struct{}
}

// question is a request that somebody is to be asked about.
type question struct {
	request approval.Request
	over    error                   // why nobody need be asked any more
	cancel  context.CancelCauseFunc // of the asking, while that is under way
}

func newAsker(gateway *client.Client, p *terminal.Prompt, s *screen) *prompter {
	return &prompter{gateway: gateway, prompt: p, screen: s, wake: make(chan struct{}, 1)}
}

// add puts a request at the end of the queue.
func (a *prompter) add(r approval.Request) {
	if a == nil {
		return
	}
	a.mu.Lock()
	a.queue = append(a.queue, &question{request: r})
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// drop takes a request away that has its answer.
func (a *prompter) drop(r approval.Response) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queue {
		if q.request.ApprovalID != r.ApprovalID {
			continue
		}
		q.over = errElsewhere
		if r.Reason == approval.Timeout {
			q.over = context.DeadlineExceeded
		}
		if q.cancel != nil {
			q.cancel(q.over)
		}
	}
}

// run asks until ctx ends. A question that is open then has not been answered
// elsewhere, and does not say so.
func (a *prompter) run(ctx context.Context) error {
	if a == nil {
		return nil
	}
	defer context.AfterFunc(ctx, func() { _ = a.prompt.Close() })()
	for {
		if q, asking := a.next(ctx); q != nil {
			err := a.put(asking, ctx, q)
			q.cancel(nil)
			a.mu.Lock()
			a.queue = a.queue[1:]
			a.mu.Unlock()
			switch {
			case errors.Is(err, approval.ErrNobody):
				a.screen.urgent("Nobody is asked here any more; what waits can be answered elsewhere.\n")
				return nil
			case err != nil && ctx.Err() == nil:
				return err
			}
			continue
		}
		select {
		case <-a.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// next is the first of the queue that is still to be asked, with a context that
// ends when it is not any more; nil where there is none.
func (a *prompter) next(ctx context.Context) (*question, context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) > 0 && ctx.Err() == nil {
		if q := a.queue[0]; q.over == nil {
			asking, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
			q.cancel = cancel
			return q, asking
		}
		a.queue = a.queue[1:]
	}
	return nil, nil
}

// put asks until there is an answer that is taken; asking ends when there is
// one already.
func (a *prompter) put(asking, ctx context.Context, q *question) error {
	row, err := a.gateway.Approval(ctx, q.request.ApprovalID, 0)
	if err != nil || row.Status != approval.Pending {
		return err
	}
	for {
		a.screen.ask()
		answer, err := a.prompt.Ask(asking, q.request)
		a.screen.asked()
		if asking.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = a.gateway.Answer(ctx, answerOf(q.request, answer))
		var p *client.Problem
		switch {
		case err == nil, exitCode(err) == exitDecided, exitCode(err) == exitLate:
			return nil // whatever stands comes as an event
		case errors.As(err, &p) && p.Status == http.StatusUnprocessableEntity:
			a.screen.urgent("That was not taken: %s. It is asked again.\n", mask.Hidden(p.Detail))
		default:
			return fmt.Errorf("the answer could not be handed in: %w", err)
		}
	}
}

func answerOf(r approval.Request, a approval.Response) approval.Answer {
	return approval.Answer{
		ApprovalID: r.ApprovalID, Status: a.Status, Message: a.Message, Scope: a.Scope, Grant: a.Grant,
		Edit: a.Edit, FormData: a.FormData, ArgsDigest: r.ArgsDigest,
	}
}
