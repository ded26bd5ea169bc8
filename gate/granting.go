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
)

// grantFor is what an approval for the session remembers: what was shown under
// the coverage that was chosen; where the arguments were edited, the call as it
// runs.
func (m *Manager) grantFor(row approval.Approval, r approval.Response) (*approval.Grant, error) {
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
	digest, err := approval.DigestWith(row.Request, args)
	if err != nil {
		return nil, err
	}
	g := &approval.Grant{
		ID: id.String(), Scope: r.Scope, AgentID: row.AgentID, SessionID: row.SessionID, ToolName: row.ToolName,
		Covers: covers, Digest: digest, ToolDigest: row.ToolDigest, ApprovalID: row.ApprovalID,
		GivenBy: r.By, GivenAt: time.Now().UTC().Truncate(time.Microsecond), MaxUses: r.Grant.Uses,
	}
	if r.Grant.Seconds > 0 {
		g.ExpiresAt = g.GivenAt.Add(time.Duration(r.Grant.Seconds) * time.Second)
	}
	return g, nil
}

// Grants lists what is remembered, newest first.
func (m *Manager) Grants(ctx context.Context, q approval.GrantQuery) ([]approval.Grant, error) {
	return m.store.ListGrants(ctx, q)
}

// Revoke ends a grant. What it cleared and has not been started is asked again.
func (m *Manager) Revoke(ctx context.Context, id auth.Identity, via, grantID string) (approval.Grant, error) {
	if !id.May(auth.Answer) {
		return approval.Grant{}, auth.ErrForbidden
	}
	if err := m.grantInScope(ctx, id, grantID); err != nil {
		return approval.Grant{}, err
	}
	g, err := m.store.EndGrant(ctx, grantID, approval.GrantRevoked, approval.By{Subject: id.Subject, Via: via})
	m.changed.Add(1)
	return g, err
}

// grantInScope refuses the grant of an agent that the identity is not for.
func (m *Manager) grantInScope(ctx context.Context, id auth.Identity, grantID string) error {
	if len(id.Agents) == 0 {
		return nil
	}
	all, err := m.store.ListGrants(ctx, approval.GrantQuery{})
	for _, g := range all {
		if g.ID == grantID && !id.Covers(g.AgentID) {
			return auth.ErrOutOfScope
		}
	}
	return err
}

// EndOutdated ends the grants of tools that have changed since they were given,
// and, of agents that forget, all that an earlier process gave.
func (m *Manager) EndOutdated(ctx context.Context, forgetful func(agentID string) bool) error {
	live, err := m.store.ListGrants(ctx, approval.GrantQuery{Live: true})
	if err != nil {
		return fmt.Errorf("gate: grants: %w", err)
	}
	for _, g := range live {
		reason := approval.GrantReason("")
		if gated := m.gated(g.AgentID, g.SessionID, g.ToolName); gated != nil && g.ToolDigest != "" && gated.digest != g.ToolDigest {
			reason = approval.GrantToolChanged
		}
		if forgetful(g.AgentID) {
			reason = approval.GrantForgotten
		}
		if reason == "" {
			continue
		}
		if _, err := m.store.EndGrant(ctx, g.ID, reason, approval.BySystem()); err != nil {
			return fmt.Errorf("gate: grant %s: %w", g.ID, err)
		}
	}
	return nil
}

// endOverdue ends the grants whose time or uses are over, so that everyone is
// told; they cleared nothing any more before.
func (m *Manager) endOverdue(ctx context.Context) error {
	live, err := m.store.ListGrants(ctx, approval.GrantQuery{Live: true})
	if err != nil {
		return err
	}
	for _, g := range live {
		if reason := g.Overdue(time.Now()); reason != "" {
			if _, err := m.store.EndGrant(ctx, g.ID, reason, approval.BySystem()); err != nil {
				return err
			}
		}
	}
	return nil
}

// release settles what waits in a session and is covered by a grant now.
func (m *Manager) release(ctx context.Context, sessionID string) error {
	return m.judgePending(ctx, approval.Query{SessionID: sessionID, Status: approval.Pending}, func(approval.Request) bool { return true })
}

// JudgeAgain has the requests of an agent that wait judged by the rules and
// modes as they are now; of all agents when agentID is empty. What is denied, or
// covered by a grant, is settled. What a rule or a mode would let through from
// now on waits on for a person, since it was put before one.
func (m *Manager) JudgeAgain(ctx context.Context, agentID string) error {
	m.changed.Add(1)
	return m.judgePending(ctx, approval.Query{Status: approval.Pending}, func(r approval.Request) bool { return agentID == "" || r.AgentID == agentID })
}

func (m *Manager) judgePending(ctx context.Context, q approval.Query, about func(approval.Request) bool) error {
	rows, err := m.store.Find(ctx, q)
	if err != nil {
		return err
	}
	for _, row := range rows {
		gate := m.gate(row.AgentID)
		if gate == nil || row.Type != approval.ToolConfirmation || !about(row.Request) {
			continue
		}
		v := m.verdict(ctx, gate.about(row.Request, gate.terms(row.SessionID, row.ToolName)))
		// What was asked of certain people is for them to clear.
		if v.Effect == approval.AskPerson || v.Effect == approval.Allow && (v.Grant == nil || len(row.Approvers) > 0) {
			continue
		}
		if _, err := m.settle(ctx, row.ApprovalID, v.Answer()); err != nil &&
			!errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrGrantEnded) {
			return err
		}
	}
	return nil
}

// outdated reports whether a row that the rules or a grant cleared would need a
// person by now.
func (m *Manager) outdated(ctx context.Context, row *approval.Approval, v approval.Verdict) (bool, error) {
	switch {
	case v.Effect != approval.AskPerson:
		return false, nil
	case row.Response.By == approval.ByPolicy():
		return true, nil
	case !row.Response.ByGrant():
		return false, nil
	}
	// The grant may be over without having been taken back: this call was its
	// last one.
	all, err := m.store.ListGrants(ctx, approval.GrantQuery{SessionID: row.SessionID})
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(g approval.Grant) bool { return g.ID == row.Response.GrantID })
	if i < 0 {
		return true, nil
	}
	return !cmp.Or(all[i].Ended.Reason, approval.GrantUsedUp).RanOut(), nil
}
