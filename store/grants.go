package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// insertGrant adds a grant. If there are too many, it ends the oldest ones.
func (c *change) insertGrant(g approval.Grant) error {
	held, err := c.grants("WHERE session_id = ? AND standing = 0 AND ended = 0 ORDER BY id", g.SessionID)
	if g.Standing {
		held, err = c.grants("WHERE agent_id = ? AND standing = 1 AND ended = 0 ORDER BY id", g.AgentID)
	}
	if err != nil {
		return err
	}
	for i := 0; len(held)-i >= approval.GrantsPerSession; i++ {
		if err := c.endGrant(held[i], approval.GrantCrowdedOut, bySystem()); err != nil {
			return err
		}
	}
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("store: grant: %w", err)
	}
	var in any // no session
	if g.SessionID != "" {
		in = g.SessionID
	}
	err = c.exec("INSERT INTO grants (id, agent_id, session_id, tool_name, standing, limited, credential, granted) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		g.ID, g.AgentID, in, g.ToolName, is(g.Standing), is(!g.ExpiresAt.IsZero() || g.MaxUses > 0), g.Credential, string(data))
	if err != nil {
		return err
	}
	return c.tellGrant(session.TypeGrantGiven, audit.GrantGiven, g.GivenBy, g)
}

func bySystem() approval.By { return approval.BySystem() }

// consumeGrant counts the use of a grant, if the answer clears the call by one.
func (c *change) consumeGrant(r approval.Response) error {
	if !r.ByGrant() {
		return nil
	}
	g, err := scanGrant(c.row(selectGrants+"WHERE id = ?", r.GrantID))
	if errors.Is(err, sql.ErrNoRows) {
		return approval.ErrGrantEnded
	}
	if err != nil {
		return err
	}
	if g, err = g.Use(c.now); err != nil {
		return err
	}
	return c.updateGrant(g)
}

// endGrant ends a grant that is alive.
func (c *change) endGrant(g approval.Grant, reason approval.GrantReason, by approval.By) error {
	ended, changed := g.End(reason, by, c.now)
	if !changed {
		return nil
	}
	if err := c.updateGrant(ended); err != nil {
		return err
	}
	return c.tellGrant(session.TypeGrantEnded, audit.GrantEnded, by, ended)
}

// endGrants ends the grants of a session that ends.
func (c *change) endGrants(sessionID string) error {
	held, err := c.grants("WHERE session_id = ? AND standing = 0 AND ended = 0 ORDER BY id", sessionID)
	if err != nil {
		return err
	}
	for _, g := range held {
		if err := c.endGrant(g, approval.GrantSessionEnded, bySystem()); err != nil {
			return err
		}
	}
	return nil
}

// endGiven ends the standing grants that were given with a credential, for the agents whose requests it may no longer
// answer.
func (c *change) endGiven(credential string, may func(agentID string) bool, by approval.By) error {
	held, err := c.grants("WHERE credential = ? AND standing = 1 AND ended = 0 ORDER BY id", credential)
	if err != nil {
		return err
	}
	for _, g := range held {
		if may(g.AgentID) {
			continue
		}
		if err := c.endGrant(g, approval.GrantGiverGone, by); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) updateGrant(g approval.Grant) error {
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("store: grant: %w", err)
	}
	c.changed = append(c.changed, holder(g))
	return c.exec("UPDATE grants SET ended = ?, granted = ? WHERE id = ?", is(g.Ended.Reason != ""), string(data), g.ID)
}

// tellGrant records in the journal and the audit log that a grant was given or has ended.
func (c *change) tellGrant(t session.Type, kind audit.Kind, by approval.By, g approval.Grant) error {
	c.changed = append(c.changed, holder(g))
	if g.SessionID != "" {
		if _, err := c.journal(g.SessionID, t, g); err != nil {
			return err
		}
	}
	return c.audit(kind, by, c.store.grant(g))
}

// GiveGrant implements approval.Store.
func (t *Approvals) GiveGrant(ctx context.Context, g approval.Grant) (approval.Grant, error) {
	return write(ctx, t.store, "give-grant", func(c *change) (approval.Grant, error) {
		if err := errors.Join(c.may(g.Credential, g.AgentID, auth.Answer), c.notHalted(g.AgentID)); err != nil {
			return approval.Grant{}, err
		}
		held, err := c.grants("WHERE agent_id = ? AND standing = 1 AND ended = 0 ORDER BY id", g.AgentID)
		if err != nil {
			return approval.Grant{}, err
		}
		for _, other := range held {
			if other.Alive(c.now) && other.SameAs(g) {
				return other, nil
			}
		}
		return g, c.insertGrant(g)
	})
}

// grants reads grants within the transaction.
func (c *change) grants(where string, args ...any) ([]approval.Grant, error) {
	rows, err := c.rows(selectGrants+where, args...)
	return scanned("grants", rows, err, scanGrant)
}

const selectGrants = "SELECT granted FROM grants "

func scanGrant(row scanner) (approval.Grant, error) {
	var data string
	var g approval.Grant
	if err := row.Scan(&data); err != nil {
		return g, fmt.Errorf("store: grant: %w", err)
	}
	if err := json.Unmarshal([]byte(data), &g); err != nil {
		return g, fmt.Errorf("store: grant: %w", err)
	}
	return g, nil
}

// standingOf is the name under which an agent's standing grants are cached.
func standingOf(agentID string) string { return "agent " + agentID }

// holder returns the name under which a grant's holder is cached.
func holder(g approval.Grant) string {
	if g.Standing {
		return standingOf(g.AgentID)
	}
	return g.SessionID
}

// Held implements approval.Grants. What a session and an agent hold is read once and
// kept until it changes.
func (t *Approvals) Held(ctx context.Context, sessionID, agentID, toolName string) ([]approval.Grant, error) {
	own, err := t.heldBy(ctx, sessionID, "WHERE session_id = ? AND standing = 0 AND ended = 0 ORDER BY id DESC", sessionID)
	if err != nil {
		return nil, err
	}
	standing, err := t.heldBy(ctx, standingOf(agentID), "WHERE agent_id = ? AND standing = 1 AND ended = 0 ORDER BY id DESC", agentID)
	if err != nil {
		return nil, err
	}
	var held []approval.Grant
	for _, all := range [][]approval.Grant{own, standing} {
		for _, g := range all {
			if g.AgentID == agentID && g.ToolName == toolName {
				held = append(held, g)
			}
		}
	}
	slices.SortFunc(held, func(a, b approval.Grant) int { return cmp.Compare(b.ID, a.ID) })
	return held, nil
}

func (t *Approvals) heldBy(ctx context.Context, holder, where, id string) ([]approval.Grant, error) {
	all, known, age := t.store.held.get(holder)
	if known {
		return all, nil
	}
	all, err := t.query(ctx, where, id)
	if err == nil {
		t.store.held.put(holder, all, age)
	}
	return all, err
}

// ListGrants implements approval.Store.
func (t *Approvals) ListGrants(ctx context.Context, q approval.GrantQuery) ([]approval.Grant, error) {
	where, args := "WHERE true", []any{}
	if q.ID != "" {
		where, args = where+" AND id = ?", append(args, q.ID)
	}
	if q.SessionID != "" {
		where, args = where+" AND session_id = ?", append(args, q.SessionID)
	}
	if q.Live {
		where += " AND ended = 0"
	}
	if q.Limited {
		where += " AND limited = 1"
	}
	where += " ORDER BY id DESC"
	if q.All() {
		where, args = where+" LIMIT ?", append(args, approval.MaxGrants)
	}
	return t.query(ctx, where, args...)
}

func (t *Approvals) query(ctx context.Context, where string, args ...any) ([]approval.Grant, error) {
	rows, err := t.store.db.ReadRows(ctx, selectGrants+where, args...)
	return scanned("grants", rows, err, scanGrant)
}

// EndGrant implements approval.Store.
func (t *Approvals) EndGrant(
	ctx context.Context, grantID string, reason approval.GrantReason, by approval.By,
) (approval.Grant, error) {
	return write(ctx, t.store, "end-grant", func(c *change) (approval.Grant, error) {
		g, err := scanGrant(c.row(selectGrants+"WHERE id = ?", grantID))
		if errors.Is(err, sql.ErrNoRows) {
			return g, approval.ErrNoGrant
		}
		if err != nil {
			return g, err
		}
		if err := c.may(by.Credential, g.AgentID, auth.Answer); err != nil {
			return approval.Grant{}, err
		}
		ended, _ := g.End(reason, by, c.now)
		return ended, c.endGrant(g, reason, by)
	})
}
