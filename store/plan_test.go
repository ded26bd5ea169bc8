package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// bounded may be read whole: what a query brings itself, tables that don't grow with what has
// happened, and the newest row by its key.
var bounded = []string{
	"SCAN CONSTANT ROW", "SCAN json_each", "SCAN below", "SCAN b:", "SCAN tree:", "SCAN t:", "SCAN audit_cut:", "SCAN waiting:", "SCAN modes:", "SCAN halts:", "SCAN credentials:", "SCAN invitations:", "SCAN login_ends:", "SCAN push_subscriptions:",
	"SCAN audit: SELECT seq, hash, kind FROM audit ORDER BY seq DESC LIMIT 1",
	"SCAN audit: SELECT seq, at, kind, subject, via, data, prev, hash FROM audit ORDER BY seq", // an export
	"SCAN audit: SELECT EXISTS (SELECT 1 FROM audit WHERE kind = ?)",                           // found within the first thousand
}

// wantNoScans fails for a query that reads all that there ever was.
func wantNoScans(t *testing.T, s *store.Store) {
	t.Helper()
	plans, err := s.Plans(context.Background())
	if err != nil {
		t.Error(err)
	}
	for query, steps := range plans {
		for _, step := range steps {
			scan := step + ": " + query
			known := !strings.HasPrefix(step, "SCAN ") || strings.Contains(step, " INDEX ")
			for _, start := range bounded {
				known = known || strings.HasPrefix(scan, start)
			}
			if !known {
				t.Error(scan)
			}
		}
	}
}

func TestNoQueryReadsAllThatThereEverWas(t *testing.T) {
	f, _, stop := running(t, t.TempDir())
	defer stop() // which looks at every query
	made, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	row, err := f.Store.Create(t.Context(), approval.New(approvaltest.Request(t, made.ID, "call")))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []approval.Query{
		{Status: approval.Pending}, {Status: approval.Pending, AgentID: "demo"}, {Status: approval.Pending, ExpiredBy: time.Now()},
		{Open: true}, {Open: true, AgentID: "demo"}, {Open: true, Agents: []string{"demo"}}, {Open: true, SessionID: made.ID},
		{SessionID: made.ID}, {SessionID: made.ID, Below: true}, {SessionID: made.ID, Below: true, Open: true},
		{SessionID: made.ID, Below: true, Status: approval.Pending}, {SessionID: made.ID, ToolCallID: "call"},
		{IDs: []string{"a"}, Settled: true}, {AgentID: "demo", ToolName: "shell", Settled: true, Newest: 9}, {AgentID: "demo", ToolName: "shell", Newest: 9},
		{Running: true, AskedUntil: time.Now()}, {ToolCallID: "call", Newest: 9},
	} {
		if _, err := f.Store.Find(t.Context(), q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, q := range []approval.GrantQuery{{}, {ID: "g"}, {SessionID: made.ID}, {Live: true}, {Live: true, Limited: true}} {
		if _, err := f.Store.ListGrants(t.Context(), q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, q := range []session.Query{{}, {Busy: true}, {Agents: []string{"demo"}}, {Agents: []string{"demo"}, Busy: true, Before: made.ID}} {
		if _, err := f.Log.List(t.Context(), q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := f.Store.Change(t.Context(), row.ApprovalID); err != nil {
		t.Error(err)
	}
	_, err = f.Store.ListHalts(t.Context())
	_, errs := f.Grants.Held(t.Context(), made.ID, "demo", "shell")
	if err := errors.Join(err, errs); err != nil {
		t.Error(err)
	}
}
