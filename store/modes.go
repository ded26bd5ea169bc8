package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
)

// SetModes implements approval.Store.
func (t *Approvals) SetModes(ctx context.Context, next ...approval.ModeSetting) ([]approval.ModeSetting, error) {
	return write(ctx, t.store, "set-mode", func(c *change) ([]approval.ModeSetting, error) {
		all := make([]approval.ModeSetting, 0, len(next))
		for _, n := range next {
			if err := c.may(n.SetBy.Credential, n.AgentID, auth.Manage); err != nil {
				return nil, err
			}
			set, err := c.setMode(n)
			if err != nil {
				return []approval.ModeSetting{set}, err
			}
			all = append(all, set)
		}
		return all, nil
	})
}

func (c *change) setMode(next approval.ModeSetting) (approval.ModeSetting, error) {
	now, err := scanMode(c.row("SELECT setting FROM modes WHERE agent_id = ?", next.AgentID))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return now, err
	}
	set, err := now.Set(next, c.now)
	if err != nil {
		return set, err
	}
	raw, err := json.Marshal(set)
	if err != nil {
		return set, fmt.Errorf("store: mode: %w", err)
	}
	err = c.exec("INSERT INTO modes (agent_id, setting) VALUES (?, ?) ON CONFLICT (agent_id) DO UPDATE SET setting = excluded.setting",
		set.AgentID, string(raw))
	if err != nil {
		return set, err
	}
	c.tell(news{Of: newMode, Value: raw}, func() { approval.Modes.Publish(c.store.bus, set) })
	return set, c.audit(audit.ModeSet, set.SetBy, audit.Mode{
		AgentID: set.AgentID, Mode: string(set.Mode), Configured: string(set.Configured), Version: set.Version,
	})
}

func scanMode(row scanner) (approval.ModeSetting, error) {
	var data string
	var m approval.ModeSetting
	if err := row.Scan(&data); err != nil {
		return m, fmt.Errorf("store: mode: %w", err)
	}
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		return m, fmt.Errorf("store: mode: %w", err)
	}
	return m, nil
}

// ListModes implements approval.Store.
func (t *Approvals) ListModes(ctx context.Context) ([]approval.ModeSetting, error) {
	rows, err := t.store.db.ReadRows(ctx, "SELECT setting FROM modes ORDER BY agent_id")
	return scanned("modes", rows, err, scanMode)
}
