package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/tool"
)

// ErrOutdated is returned for an offer that is not what would be offered now.
var ErrOutdated = errors.New("gate: offer: the call, its files or what an approval of it covers have changed since it was shown: try the call again")

// Offer is how a call that nobody has made could be allowed in every session.
type Offer struct {
	StandingSeconds int64               // for how long at most; zero: it can't be
	Covers          []approval.Coverage // what that could cover
	Digest          string              // of all that a grant would be bound to, for Give
}

// Offer says how a call that nobody has made could be allowed in every session.
func (d *Desk) Offer(about approval.Case, v approval.Verdict) Offer {
	r, err := d.offered(about, v)
	if err != nil {
		return Offer{}
	}
	return Offer{r.StandingSeconds, r.Covers, approval.OfferDigest(r)}
}

// Give gives the standing grant that approving such a call with scope always would give, before one is
// made: for the same people, under the same rules, with the same coverages. Shown is the digest of the
// offer that the giver saw; where another would be made now, nothing is given, and it is ErrOutdated.
// What waits and is covered by the grant is released. A grant that clears the same calls already is
// returned as it is.
func (d *Desk) Give(ctx context.Context, id auth.Identity, via approval.Via, r approval.Request, shown string, terms approval.GrantTerms) (approval.Grant, error) {
	if err := id.Check(r.AgentID, auth.Answer); err != nil {
		return approval.Grant{}, err
	}
	about, err := d.tried(ctx, r)
	if err != nil {
		return approval.Grant{}, err
	}
	row := approval.New(approval.Request{})
	if row.Request, err = d.offered(about, d.verdict(ctx, about)); err != nil {
		return approval.Grant{}, err
	}
	if approval.OfferDigest(row.Request) != shown {
		return approval.Grant{}, ErrOutdated
	}
	answer := approval.Response{
		Status: approval.Approved, Scope: approval.Always, Grant: terms, By: by(id, via),
	}
	if answer, err = d.checked(ctx, row, answer, id); err != nil {
		return approval.Grant{}, err
	}
	if !slices.ContainsFunc(row.Covers, func(c approval.Coverage) bool { return c.Kind == terms.Covers }) {
		return approval.Grant{}, fmt.Errorf("%w: grant.covers: %q can't be allowed beforehand", approval.ErrInvalid, terms.Covers)
	}
	grant, err := d.grantFor(row, answer)
	if err != nil {
		return approval.Grant{}, err
	}
	if grant.Covers.Kind == approval.CoverExact && len(grant.Args) == 0 { // no request would say what it was
		return approval.Grant{}, fmt.Errorf("%w: args: too long to be allowed beforehand: approve a request", approval.ErrInvalid)
	}
	grant.ApprovalID, grant.Credential = "", id.Credential
	given, err := d.store.GiveGrant(ctx, *grant)
	if err != nil {
		return approval.Grant{}, err
	}
	if err := d.release(context.WithoutCancel(ctx), given); err != nil {
		d.failed("release", err)
	}
	return given, nil
}

// offered is the request that would be put for a call that nobody has made; an error says why no approval
// of it could stand.
func (d *Desk) offered(about approval.Case, v approval.Verdict) (approval.Request, error) {
	refuse := func(why string) (approval.Request, error) {
		return approval.Request{}, fmt.Errorf("%w: %s", approval.ErrInvalid, why)
	}
	if _, halted, _ := d.halts.of(about.Request.AgentID); halted {
		return approval.Request{}, approval.ErrHalted
	}
	gate := d.gate(about.Request.AgentID)
	gated := gate.Tool("", about.Request.ToolName)
	if gated == nil {
		return refuse("toolName: a tool that comes with a session can be allowed there only: approve a request")
	}
	if err := gated.fits(about.Request.Args); err != nil {
		return refuse("args: " + tool.Words(err))
	}
	switch v.Effect {
	case approval.AskPerson:
	case approval.Allow:
		return refuse("the call runs without asking already: POST /api/policy/explain says why")
	case approval.Deny:
		fallthrough
	default:
		return refuse("the policy denies the call: POST /api/policy/explain says why")
	}
	r, _, err := completed(about.Request, gate, about.Terms)
	if err != nil {
		return r, err
	}
	r = described(r, about.Terms, v)
	if r.StandingSeconds == 0 || len(r.Covers) == 0 {
		return refuse("a person has to see each such call, or the file allows no standing approvals of the tool (approval.standing)")
	}
	return r, nil
}
