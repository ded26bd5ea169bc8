package store

import (
	"context"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
)

// Searches read the table history, which has the words of each approval as people are shown them. A trigger deletes
// its rows with the approvals.

// wordsOf returns a request's words as people are shown them. asked has its texts, already masked.
func (s *Store) wordsOf(r approval.Request, asked audit.Requested) string {
	r.Args, r.Message, r.WorkingDirectory, r.Policy.Rule = s.shownArgs(r, asked), asked.Message, asked.WorkingDirectory, asked.Rule
	return r.Words()
}

func (s *Store) shownArgs(r approval.Request, asked audit.Requested) []byte {
	if asked.ArgsBytes == 0 {
		return asked.Args
	}
	args, _ := s.secrets.JSON(r.Args)
	return args
}

// enlist adds a row to the history, with the words of its request.
func (c *change) enlist(a approval.Approval, words string) error {
	for _, r := range []approval.Response{a.Response, a.Voided} {
		if r.Status != "" {
			words += r.Masked(c.store.secrets).Words()
		}
	}
	return c.exec(`INSERT INTO history (requested_at, id, agent_id, tool_name, status, outcome, risk, answered_by, words)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, a.RequestedAt.UnixMicro(), a.ApprovalID, a.AgentID, a.ToolName,
		string(a.Status), string(a.Outcome()), string(a.Risk.Level), a.Response.By.Subject, words)
}

// relist updates a row of the history with its newest answer.
func (c *change) relist(a approval.Approval) error {
	return c.exec("UPDATE history SET status = ?, outcome = ?, answered_by = ?, words = words || ? WHERE requested_at = ? AND id = ?",
		string(a.Status), string(a.Outcome()), a.Response.By.Subject, a.Last().Masked(c.store.secrets).Words(), a.RequestedAt.UnixMicro(), a.ApprovalID)
}

// fillAtOnce is how many rows of an earlier version one transaction adds to the history.
const fillAtOnce = 100

// afterLast sorts after every id.
const afterLast = "~"

// findUnfilled finds out whether rows of an earlier version are missing from the history. They are added
// newest first, so none is missing once the oldest is there.
func (s *Store) findUnfilled() error {
	var missing bool
	err := s.db.ReadRow(context.Background(), `SELECT count(*) > 0 FROM approvals a WHERE id = (SELECT min(id) FROM approvals)
		AND NOT EXISTS (SELECT 1 FROM history h WHERE h.requested_at = a.requested_at AND h.id = a.id)`).Scan(&missing)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	if s.unfilled = afterLast; !missing {
		close(s.filled)
	}
	return nil
}

// fillMore adds more rows to the history. It returns how long to wait before the next call, and false once all rows
// are there.
func (s *Store) fillMore(ctx context.Context) (after time.Duration, more bool) {
	j := job{edge: "history", ctx: context.Background(), done: make(chan error, 1), do: func(c *change) (err error) {
		s.unfilled, err = c.fill(s.unfilled)
		return err
	}}
	s.commit(ctx, []job{j})
	if err := <-j.done; err != nil {
		s.unfilled = afterLast
		s.failed("history", err)
		return time.Minute, true
	}
	if s.unfilled == "" {
		close(s.filled)
		return 0, false
	}
	return 0, true
}

// fill adds the next rows to the history, and returns the id of the oldest; empty at the end.
func (c *change) fill(before string) (oldest string, err error) {
	rows, err := c.rows(selectApprovals+`WHERE id < ? AND NOT EXISTS
		(SELECT 1 FROM history h WHERE h.requested_at = approvals.requested_at AND h.id = approvals.id) ORDER BY id DESC LIMIT ?`, before, fillAtOnce)
	found, err := scanned("approvals", rows, err, scanApproval)
	if err != nil {
		return "", err
	}
	for _, a := range found {
		if err := c.enlist(a, c.store.wordsOf(a.Request, c.store.requested(a.Request))); err != nil {
			return "", err
		}
		oldest = a.ApprovalID
	}
	return oldest, nil
}
