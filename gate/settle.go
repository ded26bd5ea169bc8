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
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/strictjson"
)

// by says who answers or changes something. The store refuses them where their credential does not hold any more.
func by(id auth.Identity, via approval.Via) approval.By {
	return approval.By{Subject: id.Subject, Via: via, Credential: id.Credential}
}

// settle is the one call of Store.Settle, with the grant that an approval of
// wider scope brings.
func (c *core) settle(ctx context.Context, approvalID string, r approval.Response) (approval.Approval, error) {
	r.ApprovalID = approvalID
	var grant *approval.Grant
	if r.Status == approval.Approved && r.Scope.OrOnce() != approval.Once {
		row, err := c.store.Get(ctx, approvalID)
		if err != nil {
			return approval.Approval{}, err
		}
		if grant, err = c.grantFor(row, r); err != nil {
			return approval.Approval{}, err
		}
		r.GrantID, grant.Credential = grant.ID, r.By.Credential
	}
	row, err := c.store.Settle(ctx, r, grant)
	if err == nil && grant != nil && row.Response.GrantID == grant.ID {
		// The answer stands, whatever becomes of this; what it leaves waiting can
		// still be answered.
		if err := c.release(context.WithoutCancel(ctx), *grant); err != nil {
			c.failed("release", err)
		}
	}
	return row, err
}

// cancel ends a request without a person's answer to it. Ending it again, by the same subject
// and in the same way, returns the row; ErrExpired stands beside it where the deadline was first.
func (c *core) cancel(ctx context.Context, approvalID string, r approval.Response) (approval.Approval, error) {
	row, err := c.settle(ctx, approvalID, r)
	switch {
	case errors.Is(err, approval.ErrDecided) && row.Last().Repeats(r):
		return row, nil
	case err == nil && row.Last().Reason == approval.Timeout:
		return row, approval.ErrExpired
	}
	return row, err
}

// settleRow puts an answer to the store and returns the row as it then stands,
// also where another answer was first.
func (c *core) settleRow(ctx context.Context, approvalID string, r approval.Response) (*approval.Approval, error) {
	a, err := c.settle(ctx, approvalID, r)
	if err == nil || errors.Is(err, approval.ErrDecided) {
		return &a, nil
	}
	return nil, err
}

// lookedUp is a row for an identity that has one of the rights about it.
func (c *core) lookedUp(ctx context.Context, id auth.Identity, approvalID string, oneOf ...auth.Right) (approval.Approval, error) {
	if !slices.ContainsFunc(oneOf, id.May) {
		return approval.Approval{}, auth.ErrForbidden
	}
	row, err := c.store.Get(ctx, approvalID)
	if err != nil {
		return approval.Approval{}, err
	}
	return row, id.Check(row.AgentID, oneOf...)
}

// grantFor is what an approval for the session remembers: what was shown under
// the coverage that was chosen; where the arguments were edited, the call as it
// runs.
func (c *core) grantFor(row approval.Approval, r approval.Response) (*approval.Grant, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("gate: id: %w", err)
	}
	if row.Type != approval.ToolConfirmation || row.ToolDigest == "" && row.Origin.Kind != approval.OriginProgram {
		return nil, fmt.Errorf("%w: scope: this request can only be approved once", approval.ErrInvalid)
	}
	covers, ok := row.Covering(r.Grant.Covers)
	if !ok {
		return nil, fmt.Errorf("%w: grant.covers: %q is not offered here", approval.ErrInvalid, r.Grant.Covers)
	}
	row.Response.Edit = r.Edit
	args, err := row.RunArgs()
	if err != nil {
		return nil, err
	}
	left := row.Request
	left.Args = args
	digest, err := approval.Digest(left)
	if err != nil {
		return nil, err
	}
	g := &approval.Grant{
		ID: id.String(), Scope: r.Scope, AgentID: row.AgentID, SessionID: row.SessionID, ToolName: row.ToolName,
		Covers: covers, Digest: digest, ToolDigest: row.ToolDigest, ApprovalID: row.ApprovalID,
		GivenBy: approval.By{Subject: r.By.Subject, Via: r.By.Via}, GivenAt: c.now().UTC().Truncate(time.Microsecond), MaxUses: r.Grant.Uses,
	}
	*g = g.Naming(args)
	if row.Origin.Kind == approval.OriginProgram {
		g.Directory = row.WorkingDirectory
	}
	seconds := r.Grant.Seconds
	if row.Stands(r) {
		g.Standing, g.Directory = true, row.WorkingDirectory
		seconds = cmp.Or(seconds, row.StandingSeconds)
	}
	if seconds > 0 {
		g.ExpiresAt = g.GivenAt.Add(time.Duration(seconds) * time.Second)
	}
	return g, nil
}

// release settles what waits and is covered by a new grant.
func (c *core) release(ctx context.Context, g approval.Grant) error {
	q := approval.Query{SessionID: g.SessionID, Status: approval.Pending}
	if g.Standing {
		q = approval.Query{AgentID: g.AgentID, Status: approval.Pending}
	}
	return c.judgePending(ctx, q, func(approval.Request) bool { return true })
}

func (c *core) judgePending(ctx context.Context, q approval.Query, about func(approval.Request) bool) error {
	rows, err := c.store.Find(ctx, q)
	if err != nil {
		return err
	}
	for _, row := range rows {
		gate := c.gate(row.AgentID)
		if gate == nil || row.Type != approval.ToolConfirmation || !about(row.Request) {
			continue
		}
		v := c.verdict(ctx, gate.about(row.Request, strictjson.Canonical{}, gate.terms(row.SessionID, row.ToolName)))
		// Only the named approvers may clear it.
		if v.Effect == approval.AskPerson || v.Effect == approval.Allow && (v.Grant == nil || len(row.Approvers) > 0) {
			continue
		}
		if _, err := c.settle(ctx, row.ApprovalID, v.Answer()); err != nil &&
			!errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrGrantEnded) {
			return err
		}
	}
	return nil
}
