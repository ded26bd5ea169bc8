package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// Find implements approval.Finder.
func (t *Approvals) Find(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	where, args, err := t.conditions(q)
	if err != nil {
		return nil, err
	}
	order := " ORDER BY requested_at, id"
	if q.Newest > 0 {
		order, args = " ORDER BY requested_at DESC, id DESC LIMIT ?", append(args, q.Newest)
	}
	rows, err := t.store.db.ReadRows(ctx, selectApprovals+where+order, args...)
	found, err := scanned("approvals", rows, err, scanApproval)
	if q.Newest > 0 {
		slices.Reverse(found)
	}
	return found, err
}

// inTree is the condition for the rows of a session and of those below it.
const inTree = "session_id IN (WITH RECURSIVE below (id) AS (SELECT id FROM sessions WHERE id = ? UNION ALL " +
	"SELECT s.id FROM sessions s JOIN below b ON s.parent_id = b.id) SELECT id FROM below)"

func (t *Approvals) conditions(q approval.Query) (where string, args []any, err error) {
	all := []string{"true"}
	add := func(condition string, values ...any) {
		all = append(all, condition)
		args = append(args, values...)
	}
	if q.SessionID != "" && !q.Below {
		add("session_id = ?", q.SessionID)
	}
	switch {
	case q.SessionID == "":
	case q.Status == approval.Pending:
		add("id IN (SELECT approval_id FROM waiting WHERE session_id = ?)", q.SessionID)
	case q.Below:
		add(inTree, q.SessionID)
	}
	if q.AgentID != "" {
		add("agent_id = ?", q.AgentID)
	}
	if q.ToolName != "" {
		add("tool_name = ?", q.ToolName)
	}
	if q.ToolCallID != "" {
		add("call_id = ?", q.ToolCallID)
	}
	// A literal, so that the partial indexes serve, and a statement is not prepared again for each value that is
	// bound beside their conditions.
	switch q.Status {
	case "":
	case approval.Pending, approval.Approved, approval.Denied, approval.Cancelled:
		add("status = '" + string(q.Status) + "'")
	default:
		add("false") // no row has it
	}
	if q.Settled {
		add("status <> 'pending'")
	}
	if q.Open {
		add("(status = 'pending' OR status = 'approved' AND run = 'none')")
	}
	if q.Running {
		add("run = 'claimed'")
	}
	if q.Left && t.store.others != nil {
		add("node NOT IN " + liveTurns)
	}
	if q.AskedBy != "" {
		add("asker = ?", q.AskedBy)
	}
	if !q.AskedUntil.IsZero() {
		add("requested_at < ?", q.AskedUntil.UnixMicro())
	}
	if !q.ExpiredBy.IsZero() {
		add("expires_at <= ?", q.ExpiredBy.UnixMicro())
	}
	for _, list := range []struct {
		column string
		values []string
		none   bool
	}{{"id", q.IDs, q.IDs == nil}, {"agent_id", q.Agents, len(q.Agents) == 0}} {
		if list.none {
			continue
		}
		values, err := json.Marshal(list.values)
		if err != nil {
			return "", nil, fmt.Errorf("store: %s: %w", list.column, err)
		}
		add(list.column+" IN (SELECT value FROM json_each(?))", string(values))
	}
	return "WHERE " + strings.Join(all, " AND "), args, nil
}

// Get implements approval.Finder.
func (t *Approvals) Get(ctx context.Context, id string) (approval.Approval, error) {
	a, err := scanApproval(t.store.db.ReadRow(ctx, selectApprovals+"WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return approval.Approval{}, approval.ErrUnknown
	}
	return a, err
}

// Change implements approval.Finder.
func (t *Approvals) Change(ctx context.Context, id string) (tool.Preview, error) {
	a, err := t.Get(ctx, id)
	if err != nil {
		return tool.Preview{}, err
	}
	err = t.store.db.ReadRow(ctx, "SELECT coalesce(max(rest), '') FROM diffs WHERE approval_id = ?", id).Scan(&a.Preview.Rest)
	if err != nil {
		return tool.Preview{}, fmt.Errorf("store: diff: %w", err)
	}
	return a.Preview.Whole(), nil
}
