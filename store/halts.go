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

// SetHalt implements approval.Store.
func (t *Approvals) SetHalt(ctx context.Context, h approval.Halt) (approval.Halt, error) {
	return write(ctx, t.store, "set-halt", func(c *change) (approval.Halt, error) {
		right := auth.Manage
		if h.On {
			right = auth.Halt
		}
		if err := c.may(h.By.Credential, h.AgentID, right); err != nil {
			return approval.Halt{}, err
		}
		now, err := scanHalt(c.row("SELECT halt FROM halts WHERE agent_id = ?", h.AgentID))
		if err != nil || now.On == h.On {
			now.AgentID = h.AgentID
			return now, err
		}
		h = h.Set(c.now)
		raw, err := json.Marshal(h)
		if err != nil {
			return h, fmt.Errorf("store: halt: %w", err)
		}
		c.tell(news{Of: newHalt, Value: raw}, func() { approval.Halts.Publish(c.store.bus, h) })
		if !h.On {
			if err := c.exec("DELETE FROM halts WHERE agent_id = ?", h.AgentID); err != nil {
				return h, err
			}
			return h, c.audit(audit.HaltLifted, h.By, audit.Halt{AgentID: h.AgentID})
		}
		if err := c.exec("INSERT INTO halts (agent_id, halt) VALUES (?, ?)", h.AgentID, string(raw)); err != nil {
			return h, err
		}
		return h, c.audit(audit.HaltSet, h.By, audit.Halt{AgentID: h.AgentID})
	})
}

// halt returns the halt that is on for an agent; the zero Halt if there is none.
func (c *change) halt(agentID string) (approval.Halt, error) {
	return scanHalt(c.row("SELECT halt FROM halts WHERE agent_id IN (?, '') ORDER BY agent_id DESC LIMIT 1", agentID))
}

// notHalted returns approval.ErrHalted if an agent is halted.
func (c *change) notHalted(agentID string) error {
	h, err := c.halt(agentID)
	if err == nil && h.On {
		err = approval.ErrHalted
	}
	return err
}

// scanHalt reads a halt; the zero Halt if there is none.
func scanHalt(row scanner) (h approval.Halt, err error) {
	var data string
	err = row.Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(data), &h)
	}
	if err != nil {
		err = fmt.Errorf("store: halt: %w", err)
	}
	return h, err
}

// ListHalts implements approval.Store.
func (t *Approvals) ListHalts(ctx context.Context) ([]approval.Halt, error) {
	rows, err := t.store.db.ReadRows(ctx, "SELECT halt FROM halts ORDER BY agent_id")
	return scanned("halts", rows, err, scanHalt)
}
