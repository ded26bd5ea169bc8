package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// verdict is what the store says after all.
type verdict struct {
	requests, pending, approved, unknown int
	open                                 int      // sessions at work
	results                              []string // of calls, in the order of their sessions
	calls                                map[string]approval.Approval
}

// inspect opens the data folder of a gateway that has ended, and checks what
// must hold whatever happened.
func inspect(t *testing.T, dir string) verdict {
	t.Helper()
	s, err := store.Open(dir, filepath.Join(t.TempDir(), "key"), bus.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := audit.Verify(s.Audit(t.Context())); err != nil {
		t.Error(err)
	}
	v := verdict{calls: map[string]approval.Approval{}}
	for _, a := range searched(t, s) {
		v.requests++
		v.calls[a.ToolCallID] = a
		switch a.Status {
		case approval.Pending:
			v.pending++
		case approval.Approved:
			v.approved++
		case approval.Denied, approval.Cancelled:
		}
	}
	for found, err := range session.All(t.Context(), s.Sessions(), session.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		v.replay(t, s, found)
	}
	return v
}

// searched returns all rows, by searching.
func searched(t *testing.T, s *store.Store) (rows []approval.Approval) {
	t.Helper()
	for q := (approval.Search{}); ; {
		found, err := s.Approvals().Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, found.Rows...)
		if q.Before = found.Next; q.Before == "" {
			return rows
		}
	}
}

// replay reads a session's journal, and holds it against what the store says
// of the session.
func (v *verdict) replay(t *testing.T, s *store.Store, found session.Session) {
	t.Helper()
	events, err := s.Sessions().Events(t.Context(), found.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var facts session.Facts
	results := map[string]int{}
	answers := map[string]int{}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("session %s: event %d has number %d", found.ID, i+1, e.Seq)
		}
		if err := facts.Add(e); err != nil {
			t.Error(err)
		}
		switch e.Type {
		case session.TypeToolResult:
			var r session.ToolResult
			if err := e.Decode(&r); err != nil {
				t.Fatal(err)
			}
			results[r.CallID]++
			v.results = append(v.results, r.Result.Text)
			if strings.HasPrefix(r.Result.Text, "Outcome unknown") {
				v.unknown++
			}
		case session.TypeApprovalResolved:
			var r approval.Response
			if err := e.Decode(&r); err != nil {
				t.Fatal(err)
			}
			answers[r.ApprovalID]++
		default:
		}
	}
	for call, n := range results {
		if n != 1 {
			t.Errorf("call %s has %d results", call, n)
		}
	}
	for id, n := range answers {
		if n != 1 {
			t.Errorf("approval %s was answered %d times", id, n)
		}
	}
	if got := session.StatusOf(facts); got != found.Status || found.Seq != int64(len(events)) {
		t.Errorf("session %s is %s at %d; its journal says %s at %d", found.ID, found.Status, found.Seq, got, len(events))
	}
	if got := facts.Calls(); got != found.Calls {
		t.Errorf("session %s counts %+v of its calls; its journal says %+v", found.ID, found.Calls, got)
	}
	if found.TurnOpen {
		v.open++
	}
}

// auditOf is the whole audit log of a gateway that has ended.
func auditOf(t *testing.T, dir string) string {
	t.Helper()
	s, err := store.Open(filepath.Join(dir, "data"), filepath.Join(t.TempDir(), "key"), bus.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var b strings.Builder
	for r, err := range s.Audit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		b.Write(r.Data)
		b.WriteByte('\n')
	}
	return b.String()
}
