package store

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// The tree of sessions: what waits in one waits in those above it too.

// above lists the sessions above one, the nearest first.
func (c *change) above(sessionID string) ([]string, error) {
	var above []string
	for {
		var parent string
		if err := c.row("SELECT coalesce(parent_id, '') FROM sessions WHERE id = ?", sessionID).Scan(&parent); err != nil {
			return nil, fmt.Errorf("store: session: %w", err)
		}
		if parent == "" {
			return above, nil
		}
		above = append(above, parent)
		sessionID = parent
	}
}

// waits notes that a request waits in its session, announced by an event, and in
// those above.
func (c *change) waits(r approval.Request, announced session.Event) error {
	if err := c.wait(announced, r.ApprovalID); err != nil {
		return err
	}
	for _, id := range r.Above {
		e, err := c.journal(id, session.TypeBelowRequested, r.Below())
		switch {
		case errors.Is(err, session.ErrEnded):
			continue
		case err != nil:
			return err
		}
		if err := c.wait(e, r.ApprovalID); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) wait(announced session.Event, approvalID string) error {
	return c.exec("INSERT INTO waiting (session_id, seq, approval_id) VALUES (?, ?, ?)", announced.SessionID, announced.Seq, approvalID)
}

// waitsNoMore notes that a request has its answer.
func (c *change) waitsNoMore(a approval.Approval) error {
	for _, id := range a.Above {
		if _, err := c.journal(id, session.TypeBelowResolved, a.Response.Below()); err != nil {
			return err
		}
	}
	return c.exec("DELETE FROM waiting WHERE approval_id = ?", a.ApprovalID)
}

// pendingOf reads what waits in a session, as selectSessions has it.
func pendingOf(sessionID, list string) ([]session.PendingApproval, error) {
	var waiting []struct {
		Seq     int64     `json:"seq"`
		Request tool.JSON `json:"request"`
	}
	if err := json.Unmarshal([]byte(list), &waiting); err != nil {
		return nil, fmt.Errorf("store: session %s: pending: %w", sessionID, err)
	}
	var pending []session.PendingApproval
	for _, w := range waiting {
		p, err := session.PendingOf(w.Request)
		if err != nil {
			return nil, err
		}
		p.Seq = w.Seq
		if p.SessionID != sessionID {
			p.ToolCall.Args = nil
		}
		pending = append(pending, p)
	}
	return pending, nil
}
