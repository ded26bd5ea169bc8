package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
)

// Decide takes an answer from a door, for an identity that the door has
// established. The first answer stands: it returns the row that it settled.
// The same answer again, by the same subject, is taken as a repetition and
// returns that row too. Every other answer to a settled request gets a
// *DecidedError, a late one ErrExpired, both beside the row as it stands.
//
// The door puts its name into r.By.Via; everything else of By comes from here.
func (m *Manager) Decide(ctx context.Context, id auth.Identity, r Response) (Approval, error) {
	row, err := m.lookedUp(ctx, id, r.ApprovalID, auth.Answer)
	if err != nil {
		return Approval{}, err
	}
	r.By.Subject = id.Subject
	if r, err = m.checked(ctx, row, r, id); err != nil {
		return row, err
	}
	row, err = m.settle(ctx, r.ApprovalID, r)
	switch {
	case errors.Is(err, ErrDecided) && row.Response.Repeats(r):
		return row, nil
	case (err == nil || errors.Is(err, ErrDecided)) && row.Response.Reason == Timeout:
		return row, ErrExpired
	}
	return row, err
}

// checked refuses an answer that does not fit the row, before anything is
// changed, and fills in the reason.
func (m *Manager) checked(ctx context.Context, row Approval, r Response, id auth.Identity) (Response, error) {
	switch {
	case r.SessionID != "" && r.SessionID != row.SessionID:
		return r, ErrForeign
	case r.ArgsDigest != "" && r.ArgsDigest != row.ArgsDigest:
		return r, ErrDigest
	}
	want := Reason("")
	switch r.Status {
	case Approved:
		if err := row.Offers(r); err != nil {
			return r, err
		}
	case Denied:
		want = UserDenied
	case Cancelled:
		want = UserCancelled
	case Pending:
		fallthrough
	default:
		return r, fmt.Errorf("%w: status: want approved, denied or cancelled", ErrInvalid)
	}
	if r.Reason != "" && r.Reason != want {
		return r, fmt.Errorf("%w: reason: %q is not for a person to give; leave it out", ErrInvalid, r.Reason)
	}
	if r.Status != Approved && (r.Scope != "" || len(r.Edit) > 0 || r.Grant != GrantTerms{}) {
		return r, fmt.Errorf("%w: scope, grant and edit belong to an approval only", ErrInvalid)
	}
	r.Reason, r.GrantID = want, ""
	for _, v := range []*jsontext.Value{&r.Edit, &r.FormData} {
		if len(*v) == 0 {
			continue
		}
		// In one form, so that a repetition is known as one.
		canonical, err := strictjson.Canonical(*v)
		if err != nil {
			return r, fmt.Errorf("%w: edit or formData: %w", ErrInvalid, err)
		}
		*v = canonical
	}
	if err := checkForm(row, r); err != nil {
		return r, err
	}
	demands, err := m.checkEdit(ctx, row, r)
	if err == nil && r.Status == Approved && row.Status == Pending {
		// The rules may have changed since it was asked; both sets hold.
		demands = append(append(demands, row.Approvers...), m.demands(ctx, row)...)
		err = MayApprove(id, demands, row.Senders(), len(r.Edit) > 0)
	}
	return r, err
}

// demands is who may approve a call by the rules as they are now.
func (m *Manager) demands(ctx context.Context, row Approval) []Approvers {
	gate := m.gate(row.AgentID)
	if row.Type != ToolConfirmation || gate == nil {
		return nil
	}
	return m.verdict(ctx, gate.about(row.Request, gate.terms(row.SessionID, row.ToolName))).Approvers
}

// checkForm has the answer to a question fit its form. Accepting it is
// approving: only that carries data.
func checkForm(row Approval, r Response) error {
	switch {
	case len(r.FormData) > 0 && (row.Type == ToolConfirmation || r.Status != Approved):
		return fmt.Errorf("%w: formData: belongs to an accepted question only", ErrInvalid)
	case row.Type == ToolConfirmation || r.Status != Approved || row.Status != Pending:
		return nil
	}
	schema, err := strictjson.CompileSchema(row.Schema)
	if err != nil {
		return fmt.Errorf("%w: schema: %w", ErrInvalid, err)
	}
	if err := schema.CheckObject(strictjson.OrEmptyObject(r.FormData)); err != nil {
		return fmt.Errorf("%w: formData: %w", ErrInvalid, err)
	}
	return nil
}

// checkEdit has edited arguments checked against the tool's schema and judged,
// and returns who may approve them.
func (m *Manager) checkEdit(ctx context.Context, row Approval, r Response) ([]Approvers, error) {
	if len(r.Edit) == 0 || row.Status != Pending {
		return nil, nil
	}
	gated := m.gated(row.AgentID, row.SessionID, row.ToolName)
	if row.Type != ToolConfirmation || gated == nil {
		return nil, fmt.Errorf("%w: edit: the arguments of this request can't be changed", ErrInvalid)
	}
	if gated.digest != row.ToolDigest {
		return nil, fmt.Errorf("%w: edit: the tool has changed since this was asked; approved unchanged, the call is asked again", ErrInvalid)
	}
	if mask.Contains(string(r.Edit)) {
		return nil, fmt.Errorf("%w: edit: %s stands for a secret that is not shown: leave that value out, or write a new one", ErrInvalid, mask.Mark)
	}
	if r.Edit.Kind() != '{' {
		return nil, fmt.Errorf("%w: edit: want a JSON merge patch (RFC 7396), an object", ErrInvalid)
	}
	row.Response.Edit = r.Edit
	args, err := row.RunArgs()
	if err != nil {
		return nil, fmt.Errorf("%w: edit: %w", ErrInvalid, err)
	}
	if err := gated.schema.CheckObject(args); err != nil {
		return nil, fmt.Errorf("%w: edit: %w", ErrInvalid, err)
	}
	edited := row.Request
	edited.Args = args
	if edited.ArgsDigest, err = DigestWith(edited, args); err != nil {
		return nil, fmt.Errorf("%w: edit: %w", ErrInvalid, err)
	}
	v := m.verdict(ctx, gated.gate.about(edited, gated.gate.terms(row.SessionID, row.ToolName)))
	switch {
	case v.Effect != Allow && v.Effect != AskPerson:
		return nil, fmt.Errorf("%w: edit: the policy denies the changed call: %s", ErrInvalid, v.Rule)
	case r.Scope.OrOnce() != Once && v.Scopes != nil && !slices.Contains(v.Scopes, Session):
		return nil, fmt.Errorf("%w: scope: the changed call can only be approved once: %s", ErrInvalid, v.Rule)
	case r.Grant.Covers != "" && r.Grant.Covers != CoverExact:
		return nil, fmt.Errorf("%w: grant.covers: an approval that changes the arguments can only remember exactly that call", ErrInvalid)
	}
	return v.Approvers, nil
}

// Cancel withdraws one request; one that is approved but has not been started
// will not be. It returns the row as it then stands.
func (m *Manager) Cancel(ctx context.Context, id auth.Identity, via, approvalID string) (Approval, error) {
	row, err := m.lookedUp(ctx, id, approvalID, auth.Answer, auth.Talk)
	if err != nil {
		return Approval{}, err
	}
	r := Response{Status: Cancelled, Reason: UserCancelled, By: By{Subject: id.Subject, Via: via}}
	row, err = m.settle(ctx, approvalID, r)
	if errors.Is(err, ErrDecided) && row.Last().Repeats(r) {
		return row, nil
	}
	return row, err
}

// CancelAll withdraws every request of a session that is pending or approved
// and not started.
func (m *Manager) CancelAll(ctx context.Context, id auth.Identity, via, sessionID string) error {
	if !id.May(auth.Answer) && !id.May(auth.Talk) {
		return auth.ErrForbidden
	}
	return m.withdraw(ctx, sessionID, id.Covers, Response{
		Status: Cancelled, Reason: UserCancelled, By: By{Subject: id.Subject, Via: via},
	})
}

// lookedUp is a row for an identity that has one of the rights about it.
func (m *Manager) lookedUp(ctx context.Context, id auth.Identity, approvalID string, oneOf ...auth.Right) (Approval, error) {
	if !slices.ContainsFunc(oneOf, id.May) {
		return Approval{}, auth.ErrForbidden
	}
	row, err := m.store.Get(ctx, approvalID)
	if err != nil {
		return Approval{}, err
	}
	return row, id.Check(row.AgentID, oneOf...)
}

// Withdraw is CancelAll by the system, with the reason in words: whoever asked
// has gone away. It can only take away, so it needs no identity.
func (m *Manager) Withdraw(ctx context.Context, sessionID, why string) error {
	return m.withdraw(ctx, sessionID, func(string) bool { return true }, Response{
		Status: Cancelled, Reason: SystemCancelled, Message: why, By: BySystem(),
	})
}

func (m *Manager) withdraw(ctx context.Context, sessionID string, covered func(agentID string) bool, r Response) error {
	rows, err := m.store.Find(ctx, Query{SessionID: sessionID})
	if err != nil {
		return err
	}
	for _, a := range rows {
		if !a.Open() {
			continue
		}
		if !covered(a.AgentID) {
			return auth.ErrOutOfScope
		}
		if _, err := m.settle(ctx, a.ApprovalID, r); err != nil && !errors.Is(err, ErrDecided) {
			return err
		}
	}
	return nil
}
