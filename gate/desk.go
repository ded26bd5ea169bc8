package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Pending lists the requests that wait for an answer, oldest first; of one
// session, or of all when sessionID is empty.
func (d *Desk) Pending(ctx context.Context, sessionID string) ([]approval.Request, error) {
	rows, err := d.store.Find(ctx, approval.Query{SessionID: sessionID, Status: approval.Pending})
	if err != nil {
		return nil, err
	}
	pending := make([]approval.Request, 0, len(rows))
	for _, a := range rows {
		pending = append(pending, a.Request)
	}
	return pending, nil
}

// Decide takes an answer from a door, for an identity that the door has
// established. The first answer stands: it returns the row that it settled.
// The same answer again, by the same subject, is taken as a repetition and
// returns that row too. Every other answer to a settled request gets a
// *DecidedError, a late one ErrExpired, both beside the row as it stands.
//
// The door puts its name into r.By.Via; everything else of By comes from here.
func (d *Desk) Decide(ctx context.Context, id auth.Identity, r approval.Response) (approval.Approval, error) {
	row, err := d.lookedUp(ctx, id, r.ApprovalID, auth.Answer)
	if err != nil {
		return approval.Approval{}, err
	}
	r.By = by(id, r.By.Via)
	if r, err = d.checked(ctx, row, r, id); err != nil {
		return row, err
	}
	row, err = d.settle(ctx, r.ApprovalID, r)
	switch {
	case errors.Is(err, approval.ErrDecided) && row.Response.Repeats(r):
		return row, nil
	case (err == nil || errors.Is(err, approval.ErrDecided)) && row.Response.Reason == approval.Timeout:
		return row, approval.ErrExpired
	}
	return row, err
}

// Cancel withdraws one request; one that is approved but has not been started
// will not be. It returns the row as it then stands; ErrExpired beside it where the
// deadline was first.
func (d *Desk) Cancel(ctx context.Context, id auth.Identity, via approval.Via, approvalID string) (approval.Approval, error) {
	row, err := d.lookedUp(ctx, id, approvalID, auth.Answer, auth.Talk)
	if err != nil {
		return approval.Approval{}, err
	}
	return d.cancel(ctx, row.ApprovalID, approval.Response{
		Status: approval.Cancelled, Reason: approval.UserCancelled, By: by(id, via),
	})
}

// Decline ends a request that nobody is there to answer, for the program that runs its
// session: it is a no of the system's, since no person said one.
func (d *Desk) Decline(ctx context.Context, id auth.Identity, approvalID string) (approval.Approval, error) {
	row, err := d.lookedUp(ctx, id, approvalID, auth.Talk)
	if err != nil {
		return approval.Approval{}, err
	}
	r := approval.Unanswerable(row.Type, approval.NoHandler)
	r.Message = "a program of " + id.Subject + " runs the session and asks nobody"
	return d.cancel(ctx, row.ApprovalID, r)
}

// CancelAll withdraws every request of a session that is pending or approved
// and not started. By way of the system, a program does it and no person.
func (d *Desk) CancelAll(ctx context.Context, id auth.Identity, via approval.Via, sessionID string) error {
	if !id.May(auth.Answer) && !id.May(auth.Talk) {
		return auth.ErrForbidden
	}
	r := approval.Response{Status: approval.Cancelled, Reason: approval.UserCancelled, By: by(id, via)}
	if via == approval.ViaSystem {
		r.Reason, r.By, r.Message = approval.SystemCancelled, approval.BySystem(), "a program of "+id.Subject+" has stopped the turn"
	}
	_, err := d.withdraw(ctx, approval.Query{SessionID: sessionID, Open: true}, id.Covers, r)
	return err
}

// Reveal returns a request with its secrets, to whoever may answer it. That
// they were looked at is written down first.
func (d *Desk) Reveal(ctx context.Context, id auth.Identity, via approval.Via, approvalID string) (approval.Request, error) {
	row, err := d.lookedUp(ctx, id, approvalID, auth.Answer)
	if err != nil {
		return approval.Request{}, err
	}
	if err := d.store.Revealed(ctx, approvalID, by(id, via)); err != nil {
		return approval.Request{}, err
	}
	return row.Request, nil
}

// Get returns a row.
func (d *Desk) Get(ctx context.Context, approvalID string) (approval.Approval, error) {
	return d.store.Get(ctx, approvalID)
}

// Change returns what a call would change in a file, with the whole diff.
func (d *Desk) Change(ctx context.Context, approvalID string) (tool.Preview, error) {
	return d.store.Change(ctx, approvalID)
}

// Find returns the rows that meet every condition set.
func (d *Desk) Find(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	return d.store.Find(ctx, q)
}

// Search returns a page of the rows that meet every condition set, newest first.
func (d *Desk) Search(ctx context.Context, q approval.Search) (approval.Found, error) {
	return d.store.Search(ctx, q)
}

// Tool is the tool that a request is about; ErrNoTool if the agent does not have it now.
func (d *Desk) Tool(ctx context.Context, approvalID string) (tool.Spec, error) {
	row, err := d.store.Get(ctx, approvalID)
	if err != nil {
		return tool.Spec{}, err
	}
	gated := d.gated(row.AgentID, row.SessionID, row.ToolName)
	if gated == nil {
		return tool.Spec{}, fmt.Errorf("%w: %q", ErrNoTool, row.ToolName)
	}
	return gated.spec, nil
}

// Past returns the case of a request, as it would be judged now, and the same agent's
// calls of the same tool, also those that wait, oldest first.
func (d *Desk) Past(ctx context.Context, approvalID string) (approval.Case, []approval.Approval, error) {
	row, err := d.store.Get(ctx, approvalID)
	if err != nil {
		return approval.Case{}, nil, err
	}
	c := approval.Case{Request: row.Request}
	if gate := d.gate(row.AgentID); gate != nil {
		c = gate.about(row.Request, strictjson.Canonical{}, gate.terms(row.SessionID, row.ToolName))
	}
	past, err := d.past(ctx, row.Request)
	return c, past, err
}

// PastOf is Past for a call that nobody has made, as Preview takes it.
func (d *Desk) PastOf(ctx context.Context, r approval.Request) (approval.Case, []approval.Approval, error) {
	c, err := d.tried(ctx, r)
	if err != nil {
		return c, nil, err
	}
	past, err := d.past(ctx, r)
	return c, past, err
}

func (d *Desk) past(ctx context.Context, r approval.Request) ([]approval.Approval, error) {
	return d.store.Find(ctx, approval.Query{AgentID: r.AgentID, ToolName: r.ToolName, Newest: maxPast})
}

// ErrNoTool is returned for the tool of a request whose agent does not have it.
var ErrNoTool = errors.New("gate: the agent does not have this tool now")

// maxPast is how many past calls a suggestion is tried on, the newest.
const maxPast = 1000

// Grants lists what is remembered, newest first.
func (d *Desk) Grants(ctx context.Context, q approval.GrantQuery) ([]approval.Grant, error) {
	return d.store.ListGrants(ctx, q)
}

// Revoke ends a grant. What it cleared and has not been started is asked again.
func (d *Desk) Revoke(ctx context.Context, id auth.Identity, via approval.Via, grantID string) (approval.Grant, error) {
	if !id.May(auth.Answer) {
		return approval.Grant{}, auth.ErrForbidden
	}
	if err := d.grantInScope(ctx, id, grantID); err != nil {
		return approval.Grant{}, err
	}
	g, err := d.store.EndGrant(ctx, grantID, approval.GrantRevoked, by(id, via))
	d.changed.Add(1)
	return g, err
}

// grantInScope refuses the grant of an agent that the identity is not for.
func (d *Desk) grantInScope(ctx context.Context, id auth.Identity, grantID string) error {
	if len(id.Agents) == 0 {
		return nil
	}
	found, err := d.store.ListGrants(ctx, approval.GrantQuery{ID: grantID})
	if err == nil && len(found) > 0 && !id.Covers(found[0].AgentID) {
		err = auth.ErrOutOfScope
	}
	return err
}
