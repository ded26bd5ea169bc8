package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Ask puts a request and returns its row once it is settled. It is idempotent
// on session, call and round: a call that was asked before is not asked again,
// it waits on with the deadline it had, or returns the answer it got; so that
// resuming after a crash is asking again.
//
// It returns ctx's cause, and leaves the request pending, when ctx ends first.
func (a *Asker) Ask(ctx context.Context, r approval.Request, terms approval.Terms) (approval.Approval, error) {
	row, err := a.ask(ctx, &r, terms)
	if err != nil {
		return approval.Approval{}, err
	}
	return *row, nil
}

func (a *Asker) ask(ctx context.Context, r *approval.Request, terms approval.Terms) (*approval.Approval, error) {
	gate := a.gate(r.AgentID)
	if gate == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoAgent, r.AgentID)
	}
	for {
		var row approval.Approval
		err := Aside(func() (err error) {
			row, err = a.judged(ctx, gate, *r, terms)
			return err
		})
		if err != nil {
			return nil, err
		}
		stored, err := a.open(ctx, gate, &row)
		if errors.Is(err, approval.ErrGrantEnded) && ctx.Err() == nil {
			continue // it ended just now: the rules have to find something else
		}
		return stored, err
	}
}

// open creates the row and has it answered. It keeps little on the stack, since thousands may wait here.
func (a *Asker) open(ctx context.Context, gate *Gate, row *approval.Approval) (*approval.Approval, error) {
	keeper := gate.keeper()
	defer keeper.Expect(row.ApprovalID)()
	var stored *approval.Approval
	err := Aside(func() (err error) {
		stored, err = a.created(ctx, row)
		return err
	})
	if err == nil && stored.ApprovalID != row.ApprovalID && stored.Status == approval.Pending {
		// The call was asked before. Its answer may have come just now, so look again
		// once it is expected.
		defer keeper.Expect(stored.ApprovalID)()
		stored, err = a.found(ctx, stored.ApprovalID)
	}
	if err != nil {
		return nil, fmt.Errorf("gate: ask: %w", err)
	}
	if stored.Status != approval.Pending {
		return stored, nil
	}
	endTurn(ctx)
	return a.await(ctx, keeper, stored)
}

// await asks for the answer to a pending row, and returns the row as the store has it then. It returns ctx's
// cause, and leaves the row pending, when ctx ends first.
func (a *Asker) await(ctx context.Context, keeper Keeper, row *approval.Approval) (*approval.Approval, error) {
	answer, failure := keeper.Ask(ctx, row.Request)
	if ctx.Err() != nil {
		return row, context.Cause(ctx)
	}
	return a.outcome(ctx, row.ApprovalID, &proposal{answer, failure})
}

func (a *Asker) created(ctx context.Context, row *approval.Approval) (*approval.Approval, error) {
	stored, err := a.store.Create(ctx, *row)
	return &stored, err
}

// found is Get, not inlined: otherwise its caller's stack would hold a row while it waits.
//
//go:noinline
func (a *Asker) found(ctx context.Context, approvalID string) (*approval.Approval, error) {
	stored, err := a.store.Get(ctx, approvalID)
	return &stored, err
}

// outcome returns the row once waiting for it has ended, and settles it first if no door has: by the handler's
// proposal or by the clock.
func (a *Asker) outcome(ctx context.Context, approvalID string, made *proposal) (*approval.Approval, error) {
	stored, err := a.found(ctx, approvalID)
	switch {
	case err != nil:
		return nil, fmt.Errorf("gate: outcome of %s: %w", approvalID, err)
	case stored.Status != approval.Pending:
		return stored, nil
	case errors.Is(made.err, context.DeadlineExceeded) && !stored.Expired(a.now()):
		return stored, nil // its deadline was moved in that moment
	case stored.Expired(a.now()):
		return a.settleRow(ctx, approvalID, approval.TimedOut())
	default:
		return a.settleRow(ctx, approvalID, a.answer(ctx, stored, *made))
	}
}

// judged completes the request and has it judged: the row that it returns is
// pending or already settled.
func (a *Asker) judged(ctx context.Context, gate *Gate, r approval.Request, terms approval.Terms) (approval.Approval, error) {
	r, args, err := completed(r, gate, terms)
	if err != nil {
		return approval.Approval{}, err
	}
	r.Misleading = approval.Misleading(r)
	if r.Type != approval.ToolConfirmation {
		return a.unlessUnanswerable(gate, approval.New(r))
	}
	v := a.verdict(ctx, gate.about(r, args, terms))
	row := approval.New(described(r, terms, v))
	row.Touches = v.Touches
	if v.Effect == approval.AskPerson && !v.Observed {
		return a.unlessUnanswerable(gate, row)
	}
	return row.Settle(v.Answer(), r.RequestedAt)
}

// described puts into a request what the judge says of it, and what its approval may cover.
func described(r approval.Request, terms approval.Terms, v approval.Verdict) approval.Request {
	r.Policy, r.Risk, r.Covers, r.Commands = approval.PolicyReason{Rule: v.Rule, Trace: v.Trace}, v.Risk, v.Covers, v.Commands
	r.Approvers = v.Approvers
	if v.Scopes != nil {
		r.Scopes = v.Scopes
	}
	if r.Origin.Kind == approval.OriginProgram && r.Origin.Run == "" {
		r.Scopes = []approval.Scope{approval.Once} // without a run there is no end to what would be remembered
	}
	r.Options = approval.Offered(terms.Options, r.Scopes)
	if slices.Equal(r.Scopes, []approval.Scope{approval.Once}) {
		r.Covers = nil
	}
	if slices.Contains(r.Scopes, approval.Always) {
		r.StandingSeconds = int64(terms.Standing.Seconds())
	}
	return r
}

// unlessUnanswerable settles a row that nobody could answer. The store checks the limit
// on pending rows when it creates the row.
func (a *Asker) unlessUnanswerable(gate *Gate, row approval.Approval) (approval.Approval, error) {
	if gate.Handler() == nil || gate.denyUnattended && !gate.keeper().Attended(gate.agentID) {
		return row.Settle(approval.Unanswerable(row.Type, approval.NoHandler), row.RequestedAt)
	}
	row.MaxPending = gate.maxPending
	return row, nil
}

// completed fills in what the asker leaves open, and returns the arguments as read.
func completed(r approval.Request, gate *Gate, terms approval.Terms) (_ approval.Request, args strictjson.Canonical, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return r, args, fmt.Errorf("gate: id: %w", err)
	}
	r.ApprovalID = id.String()
	if r.Type == "" {
		r.Type = approval.ToolConfirmation
	}
	if r.Type == approval.ToolConfirmation {
		r.Args = strictjson.OrEmptyObject(r.Args)
		if t := gate.Tool(r.SessionID, r.ToolName); t != nil {
			r.ToolDigest = cmp.Or(r.ToolDigest, t.digest)
			r.Editable = r.Editable || r.Origin.Kind != approval.OriginProgram
		}
	}
	// What the store keeps has microseconds; a deadline must not differ
	// between before and after a restart.
	r.RequestedAt = gate.asker.now().UTC().Truncate(time.Microsecond)
	wanted := r.ExpiresAt
	r.ExpiresAt = time.Time{}
	if d := gate.Timeout(); d != NoTimeout {
		r.ExpiresAt = r.RequestedAt.Add(d)
	}
	if r.Origin.Kind == approval.OriginProgram && !wanted.IsZero() && (r.ExpiresAt.IsZero() || wanted.Before(r.ExpiresAt)) {
		r.ExpiresAt = wanted.UTC().Truncate(time.Microsecond)
	}
	r.Options = nil
	if r.Scopes = terms.Scopes; len(r.Scopes) == 0 {
		r.Scopes = []approval.Scope{approval.Once, approval.Session}
	}
	if terms.Standing > 0 && slices.Contains(r.Scopes, approval.Session) {
		r.Scopes = append(slices.Clone(r.Scopes), approval.Always)
	}
	if r.Type != approval.ToolConfirmation { // a question is answered once
		r.Scopes = []approval.Scope{approval.Once}
	}
	if r.Message == "" {
		r.Message = terms.MessageFor(r.Args)
	}
	if args, err = r.CanonicalArgs(); err != nil {
		return r, args, fmt.Errorf("gate: arguments: %w", err)
	}
	r.ArgsDigest, err = approval.DigestWith(r, args)
	return r, args, err
}

// Now is the clock by which deadlines are counted.
func (a *Asker) Now() time.Time { return a.now() }

// Knows reports whether there are rules under that agent's name.
func (a *Asker) Knows(agentID string) bool { return a.gate(agentID) != nil }

// Withdraw is CancelAll by the system, with the reason in words: whoever asked
// has gone away. It can only take away, so it needs no identity.
func (a *Asker) Withdraw(ctx context.Context, sessionID, why string) error {
	_, err := a.withdraw(ctx, approval.Query{SessionID: sessionID, Open: true}, func(string) bool { return true }, approval.Response{
		Status: approval.Cancelled, Reason: approval.SystemCancelled, Message: why, By: approval.BySystem(),
	})
	return err
}

// Preview says what would be decided about a call, were an agent to make it now:
// the request names the agent, the tool, and what it is about. Nothing is asked
// and nothing is kept.
func (a *Asker) Preview(ctx context.Context, r approval.Request) (approval.Verdict, error) {
	_, v, err := a.Foresee(ctx, r)
	return v, err
}

// Foresee is Preview with the case that was judged.
func (a *Asker) Foresee(ctx context.Context, r approval.Request) (approval.Case, approval.Verdict, error) {
	about, err := a.tried(ctx, r)
	if err != nil {
		return about, approval.Verdict{}, err
	}
	return about, a.verdict(ctx, about), nil
}

// tried is the case of a call that nobody has made.
func (c *core) tried(ctx context.Context, r approval.Request) (approval.Case, error) {
	gate := c.gate(r.AgentID)
	if gate == nil {
		return approval.Case{}, fmt.Errorf("%w: %q", ErrNoAgent, r.AgentID)
	}
	r.Type = approval.ToolConfirmation
	if err := (strictjson.Schema{}).CheckObject(strictjson.OrEmptyObject(r.Args)); err != nil {
		return approval.Case{}, fmt.Errorf("%w: args: %w", approval.ErrRequest, err)
	}
	if t := gate.Tool(r.SessionID, r.ToolName); t != nil {
		r.ToolDigest = cmp.Or(r.ToolDigest, t.digest) // by which grants are bound to it, and to files as they are now
		if p, ok := t.inner.(tool.Previewer); ok {
			var err error
			if r.Preview, err = preview(ctx, p, &tool.Call{Tool: r.ToolName, Args: r.Args, WorkingDirectory: r.WorkingDirectory}); err != nil {
				return approval.Case{}, err
			}
		}
	}
	args, err := r.CanonicalArgs()
	if err == nil {
		r.ArgsDigest, err = approval.DigestWith(r, args)
	}
	if err != nil {
		return approval.Case{}, fmt.Errorf("%w: args: %w", approval.ErrRequest, err)
	}
	return gate.about(r, args, gate.terms(r.SessionID, r.ToolName)), nil
}
