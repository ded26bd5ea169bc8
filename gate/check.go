package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// checked refuses an answer that does not fit the row, before anything is
// changed, and fills in the reason.
func (c *core) checked(ctx context.Context, row approval.Approval, r approval.Response, id auth.Identity) (approval.Response, error) {
	switch {
	case r.SessionID != "" && !row.In(r.SessionID):
		return r, approval.ErrForeign
	case r.ArgsDigest != "" && r.ArgsDigest != row.ArgsDigest:
		return r, approval.ErrDigest
	}
	want := approval.Reason("")
	switch r.Status {
	case approval.Approved:
		r.Scope = row.Scope(r.Scope)
		if err := row.Offers(r); err != nil {
			return r, err
		}
	case approval.Denied:
		want = approval.UserDenied
	case approval.Cancelled:
		want = approval.UserCancelled
	case approval.Pending:
		fallthrough
	default:
		return r, fmt.Errorf("%w: status: want approved, denied or cancelled", approval.ErrInvalid)
	}
	if r.Reason != "" && r.Reason != want {
		return r, fmt.Errorf("%w: reason: %q is not for a person to give; leave it out", approval.ErrInvalid, r.Reason)
	}
	if r.Status != approval.Approved && (r.Scope != "" || len(r.Edit) > 0 || r.Grant != approval.GrantTerms{}) {
		return r, fmt.Errorf("%w: scope, grant and edit belong to an approval only", approval.ErrInvalid)
	}
	r.Reason, r.GrantID = want, ""
	if row.Type != approval.ToolConfirmation && r.Status == approval.Approved {
		// Before it is recorded, so that what is recorded is what leaves.
		filled, err := approval.Filled(row.Schema, r.FormData)
		if err != nil {
			return r, fmt.Errorf("%w: formData: %w", approval.ErrInvalid, err)
		}
		r.FormData = filled
	}
	for _, v := range []*tool.JSON{&r.Edit, &r.FormData} {
		if len(*v) == 0 {
			continue
		}
		// In one form, so that a repetition is known as one.
		canonical, err := strictjson.Canonicalize(*v)
		if err != nil {
			return r, fmt.Errorf("%w: edit or formData: %w", approval.ErrInvalid, err)
		}
		*v = canonical.Value()
	}
	if err := checkForm(row, r); err != nil {
		return r, err
	}
	demands, err := c.checkEdit(ctx, row, r)
	if err == nil && r.Status == approval.Approved && row.Status == approval.Pending {
		// The rules may have changed since it was asked; both sets hold.
		demands = append(append(demands, row.Approvers...), c.demands(ctx, row)...)
		err = approval.MayApprove(id, demands, row.Senders(), len(r.Edit) > 0)
	}
	return r, err
}

// demands is who may approve a call by the rules as they are now.
func (c *core) demands(ctx context.Context, row approval.Approval) []approval.Approvers {
	gate := c.gate(row.AgentID)
	if row.Type != approval.ToolConfirmation || gate == nil {
		return nil
	}
	return c.verdict(ctx, gate.about(row.Request, strictjson.Canonical{}, gate.terms(row.SessionID, row.ToolName))).Approvers
}

// checkForm has the answer to a question fit its form. Accepting it is
// approving: only that carries data.
func checkForm(row approval.Approval, r approval.Response) error {
	switch {
	case len(r.FormData) > 0 && (row.Type == approval.ToolConfirmation || r.Status != approval.Approved):
		return fmt.Errorf("%w: formData: belongs to an accepted question only", approval.ErrInvalid)
	case row.Type == approval.ToolConfirmation || r.Status != approval.Approved || row.Status != approval.Pending:
		return nil
	}
	schema, err := strictjson.CompileForm(row.Schema)
	if err != nil {
		return fmt.Errorf("%w: schema: %w", approval.ErrInvalid, err)
	}
	if err := schema.CheckObject(strictjson.OrEmptyObject(r.FormData)); err != nil {
		return fmt.Errorf("%w: formData: %w", approval.ErrInvalid, err)
	}
	return nil
}

// checkEdit has edited arguments checked against the tool's schema and judged,
// and returns who may approve them.
func (c *core) checkEdit(ctx context.Context, row approval.Approval, r approval.Response) ([]approval.Approvers, error) {
	if len(r.Edit) == 0 || row.Status != approval.Pending {
		return nil, nil
	}
	gate := c.gate(row.AgentID)
	if !row.Editable || gate == nil {
		return nil, fmt.Errorf("%w: edit: the arguments of this request can't be changed", approval.ErrInvalid)
	}
	schema, err := strictjson.CompileSchema(row.Schema)
	if err != nil {
		return nil, fmt.Errorf("%w: schema: %w", approval.ErrInvalid, err)
	}
	gated, digest := gate.Tool(row.SessionID, row.ToolName), ""
	if gated != nil {
		digest = gated.digest
	}
	if digest != row.ToolDigest {
		return nil, fmt.Errorf("%w: edit: the tool has changed since this was asked; approved unchanged, the call is asked again", approval.ErrInvalid)
	}
	if mask.Contains(string(r.Edit)) {
		return nil, fmt.Errorf("%w: edit: %s stands for a secret that is not shown: leave that value out, or write a new one", approval.ErrInvalid, mask.Mark)
	}
	if strictjson.Kind(r.Edit) != '{' {
		return nil, fmt.Errorf("%w: edit: want a JSON merge patch (RFC 7396), an object", approval.ErrInvalid)
	}
	row.Response.Edit = r.Edit
	args, err := row.RunArgs()
	if err != nil {
		return nil, fmt.Errorf("%w: edit: %w", approval.ErrInvalid, err)
	}
	if gated != nil {
		err = gated.fits(args)
	}
	if err == nil {
		err = schema.CheckObject(args)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: edit: %w", approval.ErrInvalid, err)
	}
	edited := row.Request
	edited.Args = args
	read, err := edited.CanonicalArgs()
	if err == nil {
		edited.ArgsDigest, err = approval.DigestWith(edited, read)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: edit: %w", approval.ErrInvalid, err)
	}
	v := c.verdict(ctx, gate.about(edited, read, gate.terms(row.SessionID, row.ToolName)))
	switch {
	case v.Effect != approval.Allow && v.Effect != approval.AskPerson:
		return nil, fmt.Errorf("%w: edit: the policy denies the changed call: %s", approval.ErrInvalid, v.Rule)
	case r.Scope.OrOnce() != approval.Once && v.Scopes != nil && !slices.Contains(v.Scopes, approval.Session):
		return nil, fmt.Errorf("%w: scope: the changed call can only be approved once: %s", approval.ErrInvalid, v.Rule)
	case r.Grant.Covers != "" && r.Grant.Covers != approval.CoverExact:
		return nil, fmt.Errorf("%w: grant.covers: an approval that changes the arguments can only remember exactly that call", approval.ErrInvalid)
	}
	return v.Approvers, nil
}
