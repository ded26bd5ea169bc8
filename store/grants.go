package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
)

func (c *change) grant(g approval.Grant) error {
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("store: grant: %w", err)
	}
	err = c.exec("INSERT INTO grants (id, agent_id, session_id, tool_name, args_digest, granted) VALUES (?, ?, ?, ?, ?, ?)",
		g.ID, g.AgentID, g.SessionID, g.ToolName, g.Digest, string(data))
	if err != nil {
		return err
	}
	return c.audit("grant.given", g.GivenBy.Subject, g)
}

// Granted implements approval.Grants.
func (t *Approvals) Granted(ctx context.Context, r approval.Request) (approval.Grant, bool, error) {
	g, err := aside(func() (approval.Grant, error) { return t.granted(ctx, r) })
	if errors.Is(err, sql.ErrNoRows) {
		return g, false, nil
	}
	return g, err == nil && g.Covers(r), err
}

// granted returns sql.ErrNoRows when there is no grant.
func (t *Approvals) granted(ctx context.Context, r approval.Request) (approval.Grant, error) {
	var data string
	var g approval.Grant
	err := t.store.read.row(ctx, `SELECT granted FROM grants
		WHERE session_id = ? AND agent_id = ? AND tool_name = ? AND args_digest = ? ORDER BY id DESC LIMIT 1`,
		r.SessionID, r.AgentID, r.ToolName, r.ArgsDigest).Scan(&data)
	if err != nil {
		return g, fmt.Errorf("store: grant: %w", err)
	}
	if err := json.Unmarshal([]byte(data), &g); err != nil {
		return g, fmt.Errorf("store: grant: %w", err)
	}
	return g, nil
}
