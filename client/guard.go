package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Why a guarded call did not run. A *Refused wraps one of them.
var (
	ErrDenied     = errors.New("client: denied")
	ErrUnanswered = errors.New("client: nobody answered")
	ErrWithdrawn  = errors.New("client: withdrawn before it ran")
)

// ErrUnclear is returned if the reply to the claim was lost: the approval may be used up.
// Guard has not run the call.
var ErrUnclear = errors.New("client: whether the approval was claimed is not known")

// Refused is the error for a call that was not approved. A model can be shown its text.
type Refused struct{ Approval Approval }

// Error says why the call was refused, and by whom.
func (r *Refused) Error() string {
	row := approval.Approval{Request: r.Approval.Request, Status: r.Approval.Status}
	if r.Approval.Response != nil {
		row.Response = *r.Approval.Response
	}
	return row.Explain()
}

// Unwrap returns ErrDenied, ErrUnanswered or ErrWithdrawn.
func (r *Refused) Unwrap() error {
	switch answer := r.Approval.Response; {
	case answer == nil || answer.Status == approval.Cancelled:
		return ErrWithdrawn
	case answer.Reason.Unanswered():
		return ErrUnanswered
	default:
		return ErrDenied
	}
}

// RunOf describes a run, as the program reports it. An approval for the session holds in
// the run and its working directory until the run ends.
type RunOf struct {
	AgentID          string `json:"agentId,omitempty"` // whose rules apply; empty means external
	Client           string `json:"client,omitempty"`  // the program's name
	Name             string `json:"name,omitempty"`    // the same name joins the same run until that ends
	WorkingDirectory string `json:"workingDirectory,omitempty"`
	Parent           string `json:"parent,omitempty"` // the name of the run that started this one
}

// BeginRun begins a run, or returns the open one of that name. Put its ID into each
// Question as SessionID.
func (c *Client) BeginRun(ctx context.Context, r RunOf) (session.Session, error) {
	return do[session.Session](ctx, c, http.MethodPost, "/api/runs", r)
}

// EndRun ends a run and withdraws its pending requests.
func (c *Client) EndRun(ctx context.Context, sessionID string) error {
	_, err := do[none](ctx, c, http.MethodDelete, "/api/runs/"+sessionID, nil)
	return err
}

const (
	again        = time.Second      // between attempts to reach the gateway
	reportWithin = 30 * time.Second // for reporting a result
	overtime     = 5 * time.Second  // after a request's life, to let the gateway report the timeout
	claimLonger  = 10 * time.Second // for the reply to a claim, once the program no longer waits
)

// Guard asks for approval, waits for the answer, calls run with the approved arguments and
// reports the result. Once it has asked, it waits through restarts of the gateway, for as
// long as the request lives. If ctx ends first, it withdraws the request and returns ctx's
// cause. It returns a *Refused if the call was not approved; an error of run is reported
// and returned.
func (c *Client) Guard(ctx context.Context, q Question, run func(ctx context.Context, args tool.JSON) (tool.Result, error)) (tool.Result, error) {
	args, answer, err := c.Clear(ctx, q)
	if err != nil {
		return tool.Result{}, err
	}
	result, failure := run(ctx, args)
	if failure != nil {
		result = tool.Failed(tool.Words(failure))
	}
	return result, errors.Join(failure, c.tell(ctx, answer.ApprovalID, result))
}

// Clear is Guard without the call: it asks, waits and claims, and returns the arguments
// that may run now. Report says what came of it.
func (c *Client) Clear(ctx context.Context, q Question) (args tool.JSON, a Approval, err error) {
	a, err = c.AskAndWait(ctx, q)
	if err != nil {
		return nil, a, err
	}
	args, err = c.ClaimAnswered(ctx, a)
	return args, a, err
}

// ClaimAnswered claims an approval that AskAndWait has returned. It returns a *Refused if
// that was not approved, or has been withdrawn since. If ctx ends first, the approval is
// withdrawn, or reported as not run where it was claimed, and it returns ctx's cause.
func (c *Client) ClaimAnswered(ctx context.Context, a Approval) (args tool.JSON, err error) {
	if a.Status != approval.Approved {
		return nil, &Refused{a}
	}
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), c.letGo(ctx, a.ApprovalID))
	}
	longer, stop := outlast(ctx, claimLonger) // the approval is used up, whether its reply is heard or not
	defer stop()
	args, _, err = c.Claim(longer, a.ApprovalID)
	if err != nil {
		return nil, c.notClaimed(longer, a.ApprovalID, err)
	}
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), c.tell(ctx, a.ApprovalID, tool.Failed("The call was taken back before it was run.")))
	}
	return args, nil
}

// outlast is a context that ends some time after ctx does.
func outlast(ctx context.Context, by time.Duration) (longer context.Context, stop context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { time.AfterFunc(by, end) })
	return longer, func() { unhook(); end() }
}

// letGo withdraws an approval that nobody waits for any more.
func (c *Client) letGo(ctx context.Context, approvalID string) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), again)
	defer stop()
	_, err := c.Retract(ctx, approvalID)
	return err
}

// notClaimed is the error for a claim that failed.
func (c *Client) notClaimed(ctx context.Context, approvalID string, err error) error {
	if _, told := errors.AsType[*Problem](err); !told {
		return fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	if now, failed := c.Approval(ctx, approvalID, 0); failed == nil && now.Voided != nil {
		now.Response = now.Voided
		return &Refused{now}
	}
	return err
}

// tell reports a result even if ctx has ended: the call did run.
func (c *Client) tell(ctx context.Context, approvalID string, result tool.Result) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), reportWithin)
	defer stop()
	_, err := patiently(ctx, func() (Approval, error) {
		a, err := c.Report(ctx, approvalID, result)
		if p, ok := errors.AsType[*Problem](err); ok && p.Status == http.StatusRequestEntityTooLarge {
			result = tool.Result{Text: fmt.Sprintf("The result of %d bytes is too large to be kept.", len(result.Text)), IsError: result.IsError}
			return c.Report(ctx, approvalID, result)
		}
		if p, ok := errors.AsType[*Problem](err); ok && p.Status == http.StatusConflict {
			if now, failed := c.Approval(ctx, approvalID, 0); failed == nil && now.Run == approval.RunFinished {
				return now, nil // the reply to an earlier report was lost
			}
		}
		return a, err
	})
	return err
}

// AskAndWait asks and waits until the request is settled. If ctx ends first, it withdraws
// the request and returns ctx's cause.
func (c *Client) AskAndWait(ctx context.Context, q Question) (Approval, error) {
	if q.Key == "" {
		q.Key = uuid.NewString()
	}
	q.Wait = longestWait
	life, _ := time.ParseDuration(q.ExpiresIn) // the gateway refuses what is no duration
	a, err := c.Ask(ctx, q)
	if brokeOff(err) { // the gateway may have received the request
		a, err = within(ctx, life, func(ctx context.Context) (Approval, error) { return c.Ask(ctx, q) })
	}
	for err == nil && a.Status == approval.Pending {
		if !a.ExpiresAt.IsZero() {
			life = a.ExpiresAt.Sub(a.RequestedAt)
		}
		id := a.ApprovalID
		a, err = within(ctx, life, func(ctx context.Context) (Approval, error) { return c.Approval(ctx, id, longestWait) })
	}
	if ctx.Err() == nil && !errors.Is(err, ErrUnanswered) {
		return a, err
	}
	return a, errors.Join(cmp.Or(context.Cause(ctx), err), c.giveUp(context.WithoutCancel(ctx), q))
}

// within is patiently for a request: once the gateway has been away for longer than the
// request lives, nobody has answered it. A life of zero has no end.
func within(ctx context.Context, life time.Duration, try func(context.Context) (Approval, error)) (Approval, error) {
	if life > 0 {
		bounded, stop := context.WithTimeoutCause(ctx, max(life, longestWait)+overtime, ErrUnanswered)
		defer stop()
		ctx = bounded
	}
	a, err := patiently(ctx, func() (Approval, error) { return try(ctx) })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return a, err
}

// giveUp withdraws a request. It asks again to learn the id, which may not be known yet.
func (c *Client) giveUp(ctx context.Context, q Question) error {
	ctx, stop := context.WithTimeout(ctx, again)
	defer stop()
	q.Wait = 0
	a, err := c.Ask(ctx, q)
	if err == nil && (a.Status == approval.Pending || a.Status == approval.Approved) {
		_, err = c.Retract(ctx, a.ApprovalID)
	}
	return err
}

// patiently calls try until it reaches the gateway or ctx ends.
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

// brokeOff reports whether an established connection was lost.
func brokeOff(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || ok && op.Op != "dial"
}

// reached reports whether the error is the gateway's own reply.
func reached(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests
}
