package store

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
)

// touchesOf encodes touches for their column.
func touchesOf(list []approval.Touch) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("store: touches: %w", err)
	}
	return string(raw), nil
}

func readTouches(raw string) (list []approval.Touch, err error) {
	if raw == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		return nil, fmt.Errorf("store: touches: %w", err)
	}
	return list, nil
}

const selectRefused = selectApprovals + "WHERE session_id = ? AND refused = 1 ORDER BY id DESC LIMIT ?"

// remember marks a row as refused, or ends the refusals that its approval lifts.
func (c *change) remember(a approval.Approval) error {
	_, refused := a.Refused()
	if refused || a.Lifts() {
		c.changed = append(c.changed, a.SessionID)
	}
	if refused {
		return c.exec("UPDATE approvals SET refused = 1 WHERE id = ?", a.ApprovalID)
	}
	if !a.Lifts() {
		return nil
	}
	rows, err := c.rows(selectRefused, a.SessionID, approval.MaxRefusals)
	held, err := scanned("approvals", rows, err, scanApproval)
	if err != nil {
		return err
	}
	for _, row := range held {
		r, _ := row.Refused()
		left := r.Left(a.Touches)
		if len(left) == len(r.Touches) {
			continue
		}
		raw, err := touchesOf(left)
		if err != nil {
			return err
		}
		if err := c.exec("UPDATE approvals SET touches = ?, refused = ? WHERE id = ?", raw, is(len(left) > 0), row.ApprovalID); err != nil {
			return err
		}
	}
	return nil
}

// Refused implements approval.Grants.
func (t *Approvals) Refused(ctx context.Context, sessionID string) ([]approval.Refusal, error) {
	kept, known, age := t.store.refusals.get(sessionID)
	if known {
		return kept, nil
	}
	rows, err := t.store.db.ReadRows(ctx, selectRefused, sessionID, approval.MaxRefusals)
	found, err := scanned("approvals", rows, err, scanApproval)
	if err != nil {
		return nil, err
	}
	var all []approval.Refusal
	for _, row := range found {
		if r, ok := row.Refused(); ok {
			all = append(all, r)
		}
	}
	t.store.refusals.put(sessionID, all, age)
	return all, nil
}
