package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/session/sessiontest"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
)

func sessionsOf(t *testing.T) sessiontest.Fixture {
	f := fixture(t)
	return sessiontest.Fixture{Log: f.Log, Bus: f.Bus}
}

func TestSQLiteKeepsTheSessionsContract(t *testing.T) { sessiontest.Run(t, sessionsOf) }

func TestTheNamesOfApprovalEventsAreTheJournals(t *testing.T) {
	for ours, theirs := range map[string]session.Type{
		approval.EventRequested: session.TypeApprovalRequested,
		approval.EventResolved:  session.TypeApprovalResolved,
		approval.EventVoided:    session.TypeApprovalVoided,
		approval.EventExtended:  session.TypeApprovalExtended,
		approval.EventRevealed:  session.TypeApprovalRevealed,
		approval.EventGranted:   session.TypeGrantGiven,
		approval.EventGrantEnd:  session.TypeGrantEnded,
	} {
		if ours != string(theirs) {
			t.Errorf("approval says %q, session says %q", ours, theirs)
		}
	}
}

func TestEachAnswerCountsTheSameInTheSessionAndByItsEvents(t *testing.T) {
	_, s, stop := running(t, t.TempDir())
	defer stop()
	for _, reason := range append(approval.Reasons, "") {
		for _, status := range []approval.Status{approval.Approved, approval.Denied, approval.Cancelled} {
			made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			row, err := approval.New(approvaltest.Request(t, made.ID, "call")).Settle(approval.Response{Status: status, Reason: reason}, time.Now().UTC())
			if err == nil {
				_, err = s.Approvals().Create(t.Context(), row)
			}
			if err != nil {
				t.Fatal(err)
			}
			events, err := s.Sessions().Events(t.Context(), made.ID, 0, 10)
			if err != nil {
				t.Fatal(err)
			}
			var facts session.Facts
			for _, e := range events {
				if err := facts.Add(e); err != nil {
					t.Fatal(err)
				}
			}
			if made, err = s.Sessions().Get(t.Context(), made.ID); err != nil || made.Calls != facts.Calls() || made.Calls.Settled != 1 {
				t.Errorf("%s %q: the session has %+v, its events %+v, %v", status, reason, made.Calls, facts.Calls(), err)
			}
		}
	}
}

func TestASecondProcessIsRefusedTheFolder(t *testing.T) {
	dir := t.TempDir()
	_, _, stop := running(t, dir)
	_, err := store.Open(dir, keyOf(dir), bus.New(nil))
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "--data") {
		t.Errorf("got %v", err)
	}
	stop()
	_, _, stop = running(t, dir)
	stop()
}

func TestTheDatabaseIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	_, _, stop := running(t, dir)
	defer stop()
	for _, name := range []string{"", store.FileName, "lock"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestAFolderMayHaveAnyName(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join("relative", "a#b?c%20d &ü")
	_, _, stop := running(t, dir)
	stop()
	if _, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil || info.Size() == 0 {
		t.Errorf("the database is %v, %v", info, err)
	}
}

func TestAChangeAfterTheEndIsRefused(t *testing.T) {
	f, _, stop := running(t, t.TempDir())
	stop()
	if _, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"}); !errors.Is(err, store.ErrStopped) {
		t.Errorf("got %v", err)
	}
}

func TestOneRefusedChangeTakesNoneOfItsGroupWithIt(t *testing.T) {
	f := fixture(t)
	s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			id, want := s.ID, error(nil)
			if i%2 == 0 {
				id, want = "nowhere", session.ErrUnknown
			}
			if _, err := f.Log.Append(context.Background(), id, session.UserMessage{Text: "x"}); !errors.Is(err, want) {
				t.Errorf("append to %q: %v", id, err)
			}
		})
	}
	all.Wait()
	if events, err := f.Log.Events(t.Context(), s.ID, 0, 0); err != nil || len(events) != 21 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// A change that is refused half-way has changed nothing, also where others share its
// commit: here it has voided the round before, and then finds its grant ended.
func TestARefusedChangeLeavesNothingHalfDone(t *testing.T) {
	f := fixture(t)
	s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	rows := make([]approval.Approval, 40)
	for i := range rows {
		if rows[i], err = f.Store.Create(t.Context(), approval.New(approvaltest.Request(t, s.ID, "call-"+strconv.Itoa(i)))); err != nil {
			t.Fatal(err)
		}
		yes := approval.Response{ApprovalID: rows[i].ApprovalID, Status: approval.Approved, By: approval.By{Subject: "ada", Via: "test"}}
		if _, err := f.Store.Settle(t.Context(), yes, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range rows {
		all.Go(func() {
			next := approvaltest.Request(t, s.ID, a.ToolCallID)
			next.Round = 1
			gone := approval.Response{ApprovalID: next.ApprovalID, SessionID: s.ID, Status: approval.Approved, GrantID: "gone", By: approval.By{Subject: "ada", Via: approval.ViaGrant}}
			row, err := approval.New(next).Settle(gone, next.RequestedAt)
			if err == nil {
				_, err = f.Store.Create(context.Background(), row)
			}
			if !errors.Is(err, approval.ErrGrantEnded) {
				t.Errorf("created by a grant that is gone: %v", err)
			}
		})
		all.Go(func() { _, _ = f.Log.Append(context.Background(), s.ID, session.UserMessage{Text: "x"}) })
	}
	all.Wait()
	for _, a := range rows {
		if got, err := f.Store.Get(t.Context(), a.ApprovalID); err != nil || got.Run != approval.RunNone {
			t.Errorf("the round before is %s (%s), %v", got.Status, got.Run, err)
		}
	}
}

// Under the race detector this also shows that a result which nobody waits for
// any more is not read.
func TestACallerWhoGivesUpDisturbsNothing(t *testing.T) {
	f := fixture(t)
	s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		all.Go(cancel)
		all.Go(func() {
			e, err := f.Log.Append(ctx, s.ID, session.UserMessage{Text: "x"})
			if err != nil && (!errors.Is(err, context.Canceled) || e.Seq != 0) {
				t.Errorf("got %+v, %v", e, err)
			}
		})
	}
	all.Wait()
	events, err := f.Log.Events(t.Context(), s.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
}

func TestWhatHappenedIsChainedInTheAuditLog(t *testing.T) {
	f, s, stop := running(t, t.TempDir())
	defer stop()
	made, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	r := approvaltest.Request(t, made.ID, "call")
	if _, err := f.Store.Create(t.Context(), approval.New(r)); err != nil {
		t.Fatal(err)
	}
	answer := approval.Response{ApprovalID: r.ApprovalID, Status: approval.Denied, By: approval.By{Subject: "ada", Via: "test"}}
	if _, err := f.Store.Settle(t.Context(), answer, nil); err != nil {
		t.Fatal(err)
	}
	report, err := audit.Verify(s.Audit(t.Context()))
	if last := report.Last; err != nil || last.Seq != 2 || last.Kind != "approval.resolved" || last.Subject != "ada" {
		t.Errorf("the last record is %+v, %v", report.Last, err)
	}
}

func TestTokensAndLoginsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	who := auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}}
	admin := auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
	keys, err := auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	began, login, proof, err := keys.NewLogin(t.Context(), who, auth.Page{})
	if err != nil {
		t.Fatal(err)
	}
	token, secret, err := keys.NewToken(t.Context(), admin, auth.Access{Name: "ci", Roles: []auth.Role{auth.Agent}, Agents: []string{"demo"}})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	_, s, stop = running(t, dir)
	defer stop()
	if keys, err = auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := entered(t, keys, login); got.Subject != "ada" || !got.May(auth.Answer) {
		t.Errorf("after the restart it is %+v", got)
	}
	if !keys.Proven(began.ID, proof.Text) {
		t.Error("after the restart its second proof is not taken")
	}
	if got := entered(t, keys, secret); got.Subject != "ci" || !got.May(auth.Ask) || got.Covers("other") || !got.Covers("demo") {
		t.Errorf("after the restart the token is %+v", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(raw), login) || strings.Contains(string(raw), secret) || strings.Contains(string(raw), proof.Text[strings.Index(proof.Text, "."):]) {
			t.Errorf("a secret itself is kept in %s (%v)", name, err)
		}
	}
	if _, err := keys.Revoke(t.Context(), admin, token.ID); err != nil {
		t.Fatal(err)
	}
	if keys, err = auth.OpenKeyring(t.Context(), s.Credentials(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := keys.Authenticate(t.Context(), secret, auth.KindLogin, auth.KindToken); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("after it was revoked, and a restart: %v", err)
	}
}

// entered is whom a secret lets in.
func entered(t *testing.T, keys *auth.Keyring, secret string) auth.Identity {
	t.Helper()
	who, _, leave, err := keys.Authenticate(t.Context(), secret, auth.KindLogin, auth.KindToken)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	return who
}

func TestACallThatCouldNotBeAskedForIsInTheAuditLog(t *testing.T) {
	f, s, stop := running(t, t.TempDir())
	defer stop()
	made, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	refused := session.ToolResult{CallID: "c", ToolName: "client.requestApproval", Result: tool.Failed("no such tool")}
	if _, err := f.Log.Append(t.Context(), made.ID, refused); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for r, err := range s.Audit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, string(r.Kind)+" "+string(r.Data))
	}
	if len(kinds) != 1 || !strings.Contains(kinds[0], `call.refused {"sessionId":"`+made.ID+`","toolCallId":"c","toolName":"client.requestApproval"}`) {
		t.Errorf("it has %v", kinds)
	}
}

// A commit that the database itself refuses, here by a constraint that it looks at
// last, is as if nobody had asked for it.
func TestWhatCanNotBeCommittedIsNeitherAcknowledgedNorPublished(t *testing.T) {
	dir := t.TempDir()
	f, _, stop := running(t, dir)
	defer stop()
	made, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	change(t, dir, `CREATE TABLE floor (n INTEGER PRIMARY KEY);
		CREATE TABLE trap (n REFERENCES floor(n) DEFERRABLE INITIALLY DEFERRED);
		CREATE TRIGGER step AFTER INSERT ON events BEGIN INSERT INTO trap VALUES (1); END`)
	sub := f.Bus.Subscribe(4, session.Events)
	_, failed := f.Log.Append(t.Context(), made.ID, session.UserMessage{Text: "lost"})
	change(t, dir, "DROP TRIGGER step")
	_, kept := f.Log.Append(t.Context(), made.ID, session.UserMessage{Text: "kept"})
	if failed == nil || kept != nil {
		t.Errorf("the first ended with %v, the second with %v", failed, kept)
	}
	sub.Close()
	e, err := sub.Next(t.Context())
	first, _ := session.Events.From(e)
	_, more := sub.Next(t.Context())
	if err != nil || !strings.Contains(string(first.Data), "kept") || more == nil {
		t.Errorf("published was %s, %v, then %v", first.Data, err, more)
	}
}
