package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// asBefore is a folder of a gateway that had neither doors nor checkpoints in
// its audit log.
func asBefore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	_, _, stop := running(t, dir)
	stop()
	downTo(t, dir, 2)
	change(t, dir, `INSERT INTO logins VALUES ('`+auth.Fingerprint("cookie")+`', '{"subject":"ada","roles":["admin"]}', 1769846400000000, 4102444800000000)`)
	change(t, dir, `INSERT INTO audit (seq, at, kind, subject, data, prev, hash) VALUES
		(1, 1769846400000000, 'login', 'owner', '{"subject":"owner","roles":["admin"]}', '', 'ed53a5068dff4402d045dc6346e2a1ee69a62105129ea64ea972e84c923822df'),
		(2, 1769846401500000, 'approval.requested', 'demo', '{"approvalId":"a","args":{"x":[1,2.50]}}', 'ed53a5068dff4402d045dc6346e2a1ee69a62105129ea64ea972e84c923822df', '0dcd3018b85d25118773f0e3dd198693b70bc3d86c46ec2733af44aaa16b663d')`)
	return dir
}

// downTo takes a database back to how an earlier version has it.
func downTo(t *testing.T, dir string, version int) {
	t.Helper()
	files, err := filepath.Glob("sqlite/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Backward(files) {
		number, err := strconv.Atoi(filepath.Base(file)[:4])
		if err != nil {
			t.Fatal(err)
		}
		if number <= version {
			break
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, down, _ := strings.Cut(string(text), "-- +goose Down\n")
		change(t, dir, down)
	}
	change(t, dir, fmt.Sprintf("DELETE FROM goose_db_version WHERE version_id > %d", version))
}

func TestSessionsOfAnEarlierVersionAreListedByWhetherTheyAreAtWork(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	heard := int64(2)
	want := map[string]bool{}
	for name, bodies := range map[string][]session.Body{
		"new":                   nil,
		"at work":               {session.UserMessage{Text: "hi"}, session.TurnStarted{TurnID: "t"}},
		"has not begun":         {session.UserMessage{Text: "hi"}},
		"has finished":          {session.UserMessage{Text: "hi"}, session.TurnStarted{TurnID: "t"}, session.TurnFinished{TurnID: "t", Outcome: session.Completed, Heard: heard}},
		"a message came after":  {session.UserMessage{Text: "hi"}, session.TurnStarted{TurnID: "t"}, session.UserMessage{Text: "and"}, session.TurnFinished{TurnID: "t", Outcome: session.Completed, Heard: heard}},
		"began, before a crash": {session.UserMessage{Text: "hi"}, session.TurnStarted{TurnID: "t"}, session.TurnFinished{TurnID: "t", Outcome: session.Failed, Heard: heard}, session.TurnStarted{TurnID: "u"}},
	} {
		made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo", Title: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range bodies {
			if _, err := s.Sessions().Append(t.Context(), made.ID, body); err != nil {
				t.Fatal(err)
			}
		}
		if made, err = s.Sessions().Get(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		want[name] = made.TurnOpen
	}
	busy := func(s *store.Store) map[string]bool {
		got := map[string]bool{}
		for name := range want {
			got[name] = false
		}
		for one, err := range session.All(t.Context(), s.Sessions(), session.Query{Busy: true}) {
			if err != nil {
				t.Fatal(err)
			}
			got[one.Title] = true
		}
		return got
	}
	if diff := cmp.Diff(want, busy(s)); diff != "" {
		t.Errorf("as they were made (-want +got):\n%s", diff)
	}
	stop()
	downTo(t, dir, 6)
	_, s, stop = running(t, dir)
	defer stop()
	if diff := cmp.Diff(want, busy(s)); diff != "" {
		t.Errorf("of the earlier version (-want +got):\n%s", diff)
	}
}

func TestTheCallsOfAnEarlierVersionAreCountedAsItsJournalHasThem(t *testing.T) {
	dir := t.TempDir()
	f, s, stop := running(t, dir)
	want := map[string]session.Calls{}
	for name, before := range map[string][]approval.Reason{
		"none": nil, "denied": {approval.UserDenied}, "both": {approval.PolicyDenied, approval.Timeout, approval.UserDenied}, "before the newest turn": {approval.Timeout},
	} {
		made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo", Title: name})
		if err != nil {
			t.Fatal(err)
		}
		for i, reason := range before {
			row, err := approval.New(approvaltest.Request(t, made.ID, fmt.Sprint("call-", i))).Settle(approval.Response{Status: approval.Denied, Reason: reason}, time.Now().UTC())
			if err == nil {
				_, err = f.Store.Create(t.Context(), row)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if name == "before the newest turn" {
			if _, err := s.Sessions().Append(t.Context(), made.ID, session.TurnStarted{TurnID: "t"}); err != nil {
				t.Fatal(err)
			}
		}
		if made, err = s.Sessions().Get(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		want[made.ID] = made.Calls
	}
	stop()
	downTo(t, dir, 16)
	_, s, stop = running(t, dir)
	defer stop()
	for id, calls := range want {
		if got, err := s.Sessions().Get(t.Context(), id); err != nil || got.Calls != calls {
			t.Errorf("%s: %+v, %v; want %+v", got.Title, got.Calls, err, calls)
		}
	}
}

func change(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := database(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderFromBeforeGoesOnAndItsRecordsHold(t *testing.T) {
	dir := asBefore(t)
	l, err := store.OpenAuditLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := audit.Verify(l.Records(t.Context(), time.Time{})); err != nil || r.Records != 2 {
		t.Errorf("before it was started again: %d records, %v", r.Records, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, s, stop := running(t, dir)
	defer stop()
	keys, err := auth.OpenKeyring(t.Context(), s.Credentials(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := keys.List(auth.Identity{Roles: []auth.Role{auth.Admin}}, auth.KindLogin); err != nil || len(got) != 1 || got[0].Subject != "ada" {
		t.Errorf("the earlier version's logins are %+v, %v", got, err)
	}
	if _, _, _, err := keys.Authenticate(t.Context(), "cookie", auth.KindLogin); !errors.Is(err, auth.ErrUnknown) {
		t.Errorf("a secret of no kind lets somebody in: %v", err) // it is to be logged in again
	}
	record(t, s, audit.GatewayStarted)
	r, err := audit.Verify(s.Audit(t.Context()))
	if err != nil || r.Records != 4 || r.Unsigned != 2 || r.Signed.Seq != 4 {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}

func TestWhatWaitedInAnEarlierVersionStillWaitsInItsSession(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	var rows []approval.Approval
	for _, call := range []string{"call-1", "call-2"} {
		row, err := s.Approvals().Create(t.Context(), approval.New(approvaltest.Request(t, made.ID, call)))
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	no := approval.Response{ApprovalID: rows[0].ApprovalID, Status: approval.Denied, By: approval.BySystem()}
	if _, err := s.Approvals().Settle(t.Context(), no, nil); err != nil {
		t.Fatal(err)
	}
	stop()
	downTo(t, dir, 8)
	_, s, stop = running(t, dir)
	defer stop()
	found, err := s.Sessions().Get(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if p := found.PendingApprovals; len(p) != 1 || p[0].ApprovalID != rows[1].ApprovalID || p[0].Seq != 3 {
		t.Errorf("it shows %+v", p)
	}
}
