package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
)

// Whichever statement of a change fails, nothing of the change is kept, nothing is told, and it can be made again.
func TestAChangeOfWhichAnyStatementFailsLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, f approvaltest.Fixture, sessionID string, a approval.Approval) error
		status approval.Status // of the request before; empty: there is none
		claim  bool
	}{
		{"asking", func(t *testing.T, f approvaltest.Fixture, sessionID string, _ approval.Approval) error {
			_, err := f.Store.Create(t.Context(), approval.New(approvaltest.Request(t, sessionID, "call")))
			return err
		}, "", false},
		{"an answer with a grant", func(t *testing.T, f approvaltest.Fixture, _ string, a approval.Approval) error {
			r := answer(a.ApprovalID, approval.Approved)
			g := approval.Grant{ID: "g", AgentID: "demo", SessionID: a.SessionID, ToolName: "shell", Scope: approval.Session, Digest: a.ArgsDigest, GivenBy: r.By, ApprovalID: a.ApprovalID}
			_, err := f.Store.Settle(t.Context(), r, &g)
			return err
		}, approval.Pending, false},
		{"a claim", func(t *testing.T, f approvaltest.Fixture, _ string, a approval.Approval) error {
			_, err := f.Store.Claim(t.Context(), a.ApprovalID, time.Hour, approvaltest.Holds)
			return err
		}, approval.Approved, false},
		{"a result", func(t *testing.T, f approvaltest.Fixture, _ string, a approval.Approval) error {
			return f.Store.Finish(t.Context(), a.ApprovalID, tool.Result{Text: "done"})
		}, approval.Approved, true},
		{"the end of a session in which something waits", func(t *testing.T, f approvaltest.Fixture, sessionID string, _ approval.Approval) error {
			_, err := f.Log.Append(t.Context(), sessionID, session.Ended{Outcome: session.Cancelled})
			return err
		}, approval.Pending, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f, s, stop := running(t, dir)
			defer stop()
			a := aged{Fixture: f, t: t, s: s}
			id := a.session(session.Session{})
			var row approval.Approval
			if c.status != "" {
				made := a.request(id, "call", c.status)
				if c.claim {
					_, err := f.Store.Claim(t.Context(), made, time.Hour, approvaltest.Holds)
					a.must(err)
				}
				var err error
				row, err = f.Store.Get(t.Context(), made)
				a.must(err)
			}
			told := f.Bus.Subscribe(1000, append(approval.Topics(), session.Events)...)
			defer told.Close()
			n := 1
			for ; ; n++ {
				before := stateOf(t, dir)
				heal := s.FailAt(n)
				err := c.change(t, f, id, row)
				failed := heal()
				if !failed && err == nil {
					break
				}
				if !errors.Is(err, store.ErrFault) {
					t.Fatalf("statement %d: it is told %v", n, err)
				}
				if after := stateOf(t, dir); after != before {
					t.Errorf("statement %d left something:\n%s\n%s", n, before, after)
				}
				if told.Waiting() {
					t.Errorf("statement %d: something was told", n)
				}
			}
			if n < 4 || !told.Waiting() && c.name != "a claim" {
				t.Errorf("it took %d statements, and told something: %v", n-1, told.Waiting())
			}
		})
	}
}

// stateOf counts the rows of each table.
func stateOf(t *testing.T, dir string) (state string) {
	t.Helper()
	var counts []string
	for _, table := range store.CopiedTables {
		counts = append(counts, "'"+table+" ' || (SELECT count(*) FROM "+table+")")
	}
	query(t, dir, "SELECT "+strings.Join(counts, " || ', ' || "), &state)
	return state
}
