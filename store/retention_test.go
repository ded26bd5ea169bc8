package store_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// aged is a folder in which sessions have come to rest, each with a request that was denied.
type aged struct {
	approvaltest.Fixture
	t *testing.T
	s *store.Store
}

func (a aged) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a aged) session(s session.Session) string {
	a.t.Helper()
	s.AgentID = "demo"
	made, err := a.Log.Create(a.t.Context(), s)
	a.must(err)
	return made.ID
}

func (a aged) request(sessionID, call string, status approval.Status) string {
	a.t.Helper()
	row, err := a.Store.Create(a.t.Context(), approval.New(approvaltest.Request(a.t, sessionID, call)))
	a.must(err)
	if status != approval.Pending {
		_, err = a.Store.Settle(a.t.Context(), answer(row.ApprovalID, status), nil)
		a.must(err)
	}
	return row.ApprovalID
}

func answer(id string, status approval.Status) approval.Response {
	r := approval.Response{ApprovalID: id, Status: status, By: approval.By{Subject: "ada", Via: approval.ViaREST}}
	if status == approval.Denied {
		r.Reason = approval.UserDenied
	}
	return r
}

// retain removes what is older than an hour, two hours from now.
func (a aged) retain(r store.Retention) store.Removed {
	a.t.Helper()
	done, err := a.s.Retain(a.t.Context(), r, time.Now().Add(2*time.Hour))
	a.must(err)
	return done
}

func (a aged) knows(sessionID string) bool {
	a.t.Helper()
	_, err := a.Log.Get(a.t.Context(), sessionID)
	if err != nil && !errors.Is(err, session.ErrUnknown) {
		a.t.Fatal(err)
	}
	return err == nil
}

func (a aged) asked(id string) bool {
	a.t.Helper()
	_, err := a.Store.Get(a.t.Context(), id)
	if err != nil && !errors.Is(err, approval.ErrUnknown) {
		a.t.Fatal(err)
	}
	return err == nil
}

func newAged(t *testing.T, dir string) (aged, func()) {
	f, s, stop := running(t, dir)
	return aged{f, t, s}, stop
}

func TestWhatWaitsRunsOrIsLiveIsNeverRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, stop := newAged(t, dir)
	over := a.session(session.Session{})
	denied := a.request(over, "call", approval.Denied)
	gone := map[string]string{"a session that is over": over, "one above": a.session(session.Session{})}
	gone["one below"] = a.session(session.Session{ParentID: gone["one above"]})
	kept := map[string]string{
		"something waits":           a.session(session.Session{}),
		"something runs":            a.session(session.Session{}),
		"a turn is open":            a.session(session.Session{}),
		"a run has not ended":       a.session(session.Session{Kind: session.KindExternal, Asker: "ci"}),
		"something waits below":     a.session(session.Session{}),
		"something is at work here": a.session(session.Session{}),
	}
	kept["below it"] = a.session(session.Session{ParentID: kept["something waits below"]})
	kept["below what is at work"] = a.session(session.Session{ParentID: kept["something is at work here"]})
	spared := []string{
		a.request(kept["something waits"], "w", approval.Pending), a.request(kept["something waits"], "d", approval.Denied),
		a.request(kept["below it"], "w", approval.Pending), a.request(kept["a run has not ended"], "d", approval.Denied),
	}
	runs := a.request(kept["something runs"], "call", approval.Approved)
	_, err := a.Store.Claim(t.Context(), runs, time.Hour, approvaltest.Holds)
	a.must(err)
	for _, id := range []string{kept["a turn is open"], kept["something is at work here"]} {
		_, err := a.Log.Append(t.Context(), id, session.UserMessage{Text: "hi"})
		a.must(err)
	}
	hour := store.Retention{Sessions: time.Hour, Requests: time.Hour}
	if done, err := a.s.Retain(t.Context(), hour, time.Now()); err != nil || done != (store.Removed{}) {
		t.Errorf("what is young: %+v, %v", done, err)
	}
	if done := a.retain(store.Retention{Requests: time.Hour}); done.Requests != 1 || a.asked(denied) || !a.knows(over) {
		t.Errorf("requests alone: %+v", done)
	}
	if done := a.retain(hour); done.Sessions != len(gone) {
		t.Errorf("removed %+v, want %d sessions", done, len(gone))
	}
	for what, id := range gone {
		if events, err := a.Log.Events(t.Context(), id, 0, 0); a.knows(id) || !errors.Is(err, session.ErrUnknown) {
			t.Errorf("%s is still there: %d events, %v", what, len(events), err)
		}
	}
	for what, id := range kept {
		if !a.knows(id) {
			t.Errorf("%s: it was removed", what)
		}
	}
	for _, id := range append(spared, runs) {
		if !a.asked(id) {
			t.Errorf("request %s was removed", id)
		}
	}
	found, err := a.s.Approvals().Search(t.Context(), approval.Search{})
	if err != nil || len(found.Rows) != len(spared)+1 {
		t.Errorf("the history has %d, %v", len(found.Rows), err)
	}
	stop()
	if h := examined(t, dir); len(h.Faults) > 0 {
		t.Errorf("the doctor says %q", h.Faults)
	}
}

func TestASessionIsRemovedInSmallSteps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, stop := newAged(t, dir)
	defer func() { stop() }()
	id := a.session(session.Session{})
	big := strings.Repeat("x", 300<<10)
	for range 40 {
		_, err := a.Log.Append(t.Context(), id, session.AssistantMessage{Text: big})
		a.must(err)
	}
	a.request(id, "call", approval.Denied)
	other := a.session(session.Session{})
	commits := 0
	a.s.Watch(store.Hooks{Committed: func(int, time.Duration) { commits++ }})
	a.retain(store.Retention{Sessions: time.Hour})
	if a.knows(id) || a.knows(other) {
		t.Error("they are still there")
	}
	if commits < 15 {
		t.Errorf("12 MB were removed in %d commits", commits)
	}
}

// As after a crash between the mark and the removal.
func TestNobodyFindsASessionThatIsMarkedAndTheNextRoundRemovesIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, stop := newAged(t, dir)
	run := session.Session{Kind: session.KindExternal, Asker: "ci"}
	id := a.session(run)
	a.request(id, "call", approval.Denied)
	stop()
	change(t, dir, "UPDATE sessions SET removed = 1")
	a, stop = newAged(t, dir)
	defer stop()
	_, head := a.Log.Head(t.Context(), id)
	_, events := a.Log.Events(t.Context(), id, 0, 0)
	_, said := a.Log.Append(t.Context(), id, session.UserMessage{Text: "hi"})
	_, asked := a.Store.Create(t.Context(), approval.New(approvaltest.Request(t, id, "other")))
	for what, err := range map[string]error{"its head": head, "its events": events, "a message": said, "a request": asked} {
		if !errors.Is(err, session.ErrUnknown) {
			t.Errorf("%s: %v", what, err)
		}
	}
	list, err := a.Log.List(t.Context(), session.Query{})
	run.AgentID = "demo"
	joined, failed := a.Log.Join(t.Context(), run)
	if err != nil || failed != nil || len(list) != 0 || a.knows(id) || joined.ID == id {
		t.Errorf("it is found: %v, %v, %v, %v", list, joined, err, failed)
	}
	if a.retain(store.Retention{}); !a.knows(joined.ID) {
		t.Error("another one was removed")
	}
	if found, err := a.s.Approvals().Search(t.Context(), approval.Search{}); err != nil || len(found.Rows) != 0 {
		t.Errorf("its requests are left: %v, %v", found.Rows, err)
	}
}

func TestAStandingGrantOutlivesItsSession(t *testing.T) {
	a, stop := newAged(t, t.TempDir())
	defer stop()
	made := a.session(session.Session{})
	var given []string
	for i, standing := range []bool{true, false} {
		row, err := a.Store.Create(t.Context(), approval.New(approvaltest.Request(t, made, fmt.Sprint(i))))
		a.must(err)
		g := approval.Grant{
			ID: fmt.Sprintf("01a20000-0000-7000-8000-00000000000%d", i), Scope: approval.Session, AgentID: "demo", SessionID: made, ToolName: "shell",
			Covers: approval.Exactly(), ApprovalID: row.ApprovalID, GivenBy: approval.By{Subject: "ada", Via: "test"},
			GivenAt: time.Now().UTC(), Standing: standing,
		}
		if standing {
			g.Scope, g.ExpiresAt = approval.Always, time.Now().UTC().Add(time.Hour)
		}
		_, err = a.Store.Settle(t.Context(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, GrantID: g.ID, By: g.GivenBy}, &g)
		a.must(err)
		given = append(given, g.ID)
	}
	if done := a.retain(store.Retention{Sessions: time.Hour}); done.Sessions != 1 {
		t.Errorf("removed %+v", done)
	}
	held, err := a.Grants.Held(t.Context(), "elsewhere", "demo", "shell")
	if err != nil || len(held) != 1 || held[0].ID != given[0] {
		t.Errorf("held are %+v, %v", held, err)
	}
	if list, err := a.s.Approvals().ListGrants(t.Context(), approval.GrantQuery{ID: given[1]}); err != nil || len(list) != 0 {
		t.Errorf("the grant of the session is still there: %+v, %v", list, err)
	}
}

func TestTheAuditLogIsCutAndBothPartsHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, stop := newAged(t, dir)
	exports := filepath.Join(dir, "audit")
	r := store.Retention{Audit: time.Hour, Exports: exports}
	record(t, a.s, audit.GatewayStarted)
	for range 2500 {
		record(t, a.s, audit.LoginBegun)
	}
	var files []string
	for range 2 {
		before := len(files)
		for done := a.retain(r); done.Records > 0; done = a.retain(r) { // its own record has grown old as well
			files = append(files, done.Export)
		}
		if n := len(files) - before; n == 0 || n > 2 {
			t.Fatalf("it was cut %d times", n)
		}
		for range 1200 {
			record(t, a.s, audit.LoginBegun)
		}
	}
	head := collect(t, a.s.Audit(t.Context()))
	stop()
	key, err := store.PublicKey(keyOf(dir))
	a.must(err)
	known := audit.Expected{Keys: audit.Keys{key}, Heads: audit.Heads{head[len(head)-1].Head()}}
	kept, err := lookedAt(t, dir, known)
	if err != nil || kept.Cut.Seq == 0 {
		t.Errorf("what was kept: %+v, %v", kept, err)
	}
	l, err := store.OpenAuditLog(t.Context(), dir)
	a.must(err)
	defer func() { _ = l.Close() }()
	var parts []audit.Record
	for _, file := range files {
		parts = append(parts, recordsIn(t, file)...)
	}
	parts = append(parts, collect(t, l.Records(t.Context(), time.Time{}))...)
	whole, err := known.Verify(each(parts))
	if err != nil || whole.First.Seq != 1 || whole.Cut != (audit.Head{}) || whole.Records != head[len(head)-1].Seq {
		t.Errorf("as one: %+v, %v", whole, err)
	}
	if h := examined(t, dir); len(h.Faults) > 0 {
		t.Errorf("the doctor says %q", h.Faults)
	}
	_, _, stop = running(t, dir)
	stop()
}

func TestABrokenChainIsNotCut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, stop := newAged(t, dir)
	record(t, a.s, audit.GatewayStarted)
	record(t, a.s, audit.LoginBegun)
	record(t, a.s, audit.GatewayStopped)
	stop()
	change(t, dir, "UPDATE audit SET subject = 'eve' WHERE seq = 3")
	a, stop = newAged(t, dir)
	defer stop()
	exports := filepath.Join(dir, "audit")
	_, err := a.s.Retain(t.Context(), store.Retention{Audit: time.Hour, Exports: exports}, time.Now().Add(2*time.Hour))
	if !errors.Is(err, audit.ErrBroken) {
		t.Errorf("got %v", err)
	}
	if n := len(collect(t, a.s.Audit(t.Context()))); n != 5 {
		t.Errorf("%d records are left of 5", n)
	}
	if files, _ := os.ReadDir(exports); len(files) > 0 {
		t.Errorf("there is an export of it: %v", files)
	}
}

func recordsIn(t *testing.T, file string) []audit.Record {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	return collect(t, audit.Lines(f))
}

func each(records []audit.Record) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestTheSizeOfAFolderAndWhatRetentionWouldFree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, stop := newAged(t, dir)
	defer func() { stop() }()
	for i := range 3 {
		id := a.session(session.Session{})
		a.request(id, "call", []approval.Status{approval.Denied, approval.Approved, approval.Pending}[i])
		_, err := a.Log.Append(t.Context(), id, session.AssistantMessage{Text: strings.Repeat("x", 100<<10)})
		a.must(err)
	}
	all := store.Retention{Sessions: time.Hour, Requests: time.Hour, Audit: time.Hour}
	z, err := store.SizeOf(t.Context(), dir, all, time.Now().Add(2*time.Hour))
	a.must(err)
	if z.Tables[0].Name != "events" || z.Tables[0].Bytes < 300<<10 || z.Log == 0 || z.Database == 0 {
		t.Errorf("got %+v", z)
	}
	want := store.Frees{Sessions: 2, Requests: 2}
	if f := z.Frees; f.Sessions != want.Sessions || f.Requests != want.Requests || f.SessionBytes < 200<<10 || f.Records == 0 {
		t.Errorf("it would free %+v, want %+v", f, want)
	}
	a.retain(store.Retention{Sessions: time.Hour})
	stop()
	stop = func() {}
	z, err = store.SizeOf(t.Context(), dir, store.Retention{}, time.Now())
	a.must(err)
	if z.Free < 200<<10 || z.Frees != (store.Frees{}) {
		t.Errorf("afterwards: %+v", z)
	}
}
