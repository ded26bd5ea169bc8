package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Why a guarded call did not run; each is what a *Refused is.
var (
	ErrDenied     = errors.New("client: denied")
	ErrUnanswered = errors.New("client: nobody answered in time")
	ErrWithdrawn  = errors.New("client: withdrawn before it ran")
)

// ErrUnclear is returned for a call whose approval was used up, by what is not known: the
// answer to the claim was lost. It has not been run by Guard.
var ErrUnclear = errors.New("client: whether the approval was claimed is not known")

// Refused says that a call was not approved. Its words are meant for a model, too.
type Refused struct{ Approval Approval }

// Error says why, and by whom.
func (r *Refused) Error() string {
	row := approval.Approval{Request: r.Approval.Request, Status: r.Approval.Status}
	if r.Approval.Response != nil {
		row.Response = *r.Approval.Response
	}
	return row.Explain()
}

// Unwrap is ErrDenied, ErrUnanswered or ErrWithdrawn.
func (r *Refused) Unwrap() error {
	switch answer := r.Approval.Response; {
	case answer == nil || answer.Status == approval.Cancelled:
		return ErrWithdrawn
	case answer.Reason == approval.Timeout:
		return ErrUnanswered
	default:
		return ErrDenied
	}
}

// RunOf is a run of a program that asks, by its own account. What is approved for the
// session is so within the run, in the same folder, until it ends.
type RunOf struct {
	AgentID          string `json:"agentId,omitempty"` // under whose rules; external where empty
	Client           string `json:"client,omitempty"`  // the program's name
	Name             string `json:"name,omitempty"`    // the same name is the same run, until that has ended
	WorkingDirectory string `json:"workingDirectory,omitempty"`
	Parent           string `json:"parent,omitempty"` // the run that began it
}

// BeginRun begins a run, or returns the one of that name that lives; its ID goes with each
// Question as SessionID.
func (c *Client) BeginRun(ctx context.Context, r RunOf) (session.Session, error) {
	return do[session.Session](ctx, c, http.MethodPost, "/api/runs", r)
}

// EndRun ends a run: what it still asks is withdrawn.
func (c *Client) EndRun(ctx context.Context, sessionID string) error {
	_, err := do[none](ctx, c, http.MethodDelete, "/api/runs/"+sessionID, nil)
	return err
}

// again is how long Guard waits before it tries to reach the gateway again.
const again = time.Second

// Guard asks, waits for the answer, runs the call once it is approved, with the arguments
// that were approved, and reports what came of it. It waits through restarts of the gateway.
// When ctx ends first the question is withdrawn. A call that was not approved is a *Refused;
// an error of run is reported and returned.
func (c *Client) Guard(ctx context.Context, q Question, run func(ctx context.Context, args tool.JSON) (tool.Result, error)) (tool.Result, error) {
	if q.Key == "" {
		q.Key = uuid.NewString()
	}
	answer, err := c.answered(ctx, q)
	if err != nil {
		return tool.Result{}, err
	}
	if answer.Status != approval.Approved {
		return tool.Result{}, &Refused{answer}
	}
	args, _, err := c.Claim(ctx, answer.ApprovalID)
	if err != nil {
		if reached(err) {
			return tool.Result{}, err
		}
		return tool.Result{}, fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	result, failure := run(ctx, args)
	if failure != nil {
		result = tool.Failed(tool.Words(failure))
	}
	// What ran has run, also where ctx has ended meanwhile.
	_, err = patiently(context.WithoutCancel(ctx), func() (Approval, error) { return c.Report(context.WithoutCancel(ctx), answer.ApprovalID, result) })
	return result, errors.Join(failure, err)
}

// answered asks and waits for the answer.
func (c *Client) answered(ctx context.Context, q Question) (Approval, error) {
	q.Wait = longestWait
	a, err := patiently(ctx, func() (Approval, error) { return c.Ask(ctx, q) })
	for err == nil && a.Status == approval.Pending {
		a, err = patiently(ctx, func() (Approval, error) { return c.Approval(ctx, a.ApprovalID, longestWait) })
	}
	if ctx.Err() == nil {
		return a, err
	}
	return a, errors.Join(context.Cause(ctx), c.giveUp(context.WithoutCancel(ctx), q))
}

// giveUp withdraws a question, of which only the key may be known.
func (c *Client) giveUp(ctx context.Context, q Question) error {
	ctx, stop := context.WithTimeout(ctx, again)
	defer stop()
	q.Wait = 0
	a, err := c.Ask(ctx, q)
	if err == nil && a.Status != approval.Cancelled {
		_, err = c.Cancel(ctx, a.ApprovalID)
	}
	return err
}

// patiently tries until the gateway is reached, or ctx ends.
func patiently(ctx context.Context, try func() (Approval, error)) (Approval, error) {
	for {
		a, err := try()
		if err == nil || reached(err) || ctx.Err() != nil {
			return a, err
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return a, context.Cause(ctx)
		}
	}
}

// reached reports whether it is the gateway that refuses.
func reached(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests
}
