package store_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
)

func collect(t *testing.T, all iter.Seq2[audit.Record, error]) []audit.Record {
	t.Helper()
	var records []audit.Record
	for r, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func kinds(records []audit.Record) []audit.Kind {
	var all []audit.Kind
	for _, r := range records {
		all = append(all, r.Kind)
	}
	return all
}

// as reads what a record says.
func as[T any](t *testing.T, r audit.Record) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Data, &v, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("record %d, %s: %v in %s", r.Seq, r.Kind, err, r.Data)
	}
	return v
}

const secret = "hunter2-hunter2"

// lived is a gateway's life in which every kind of change happens once, to a
// call that has a secret in every place where one can stand.
func lived(t *testing.T, dir string) (approval.Request, approval.Grant, []audit.Record) {
	t.Helper()
	f, s, stop := running(t, dir)
	defer stop()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	must(s.Record(ctx, audit.GatewayStarted, "root", "system", audit.Started{Version: "devel", File: "/f", Digest: "sha256:x"}))
	must(s.Record(ctx, audit.ConfigLoaded, "system", "system", audit.Configuration{File: "/f", Digest: "sha256:x"}))
	keys, err := auth.OpenKeyring(ctx, s.Credentials(), time.Hour)
	must(err)
	browser, _, _, err := keys.NewLogin(ctx, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}}, auth.Page{})
	must(err)
	made, err := f.Log.Create(ctx, session.Session{AgentID: "demo"})
	must(err)
	word := "password=" + secret
	q := approvaltest.Request(t, made.ID, "call")
	q.Args = tool.JSON(`{"command":"PASSWORD=` + secret + ` run","env":[{"name":"API_KEY","value":"` + secret + `"}]}`)
	q.ArgsDigest, err = approval.Digest(q)
	must(err)
	q.RequestedAt = q.RequestedAt.Add(-1500 * time.Millisecond)
	q.Message, q.Policy = word, approval.PolicyReason{Rule: word, Trace: []string{"first", word}}
	q.Origin = approval.Origin{Kind: approval.OriginProgram, Client: "ci", Subject: "robot"}
	q.Context = []tool.Said{{Text: word}}
	q.Commands = []approval.Command{{Text: word}}
	q.Preview = tool.Preview{FileHash: "sha256:file", Diff: word}
	q.Metadata = map[string]string{"password": secret}
	q.Risk = approval.Risk{Level: approval.RiskHigh, Reasons: []string{word}}
	_, err = f.Store.Create(ctx, approval.New(q))
	must(err)
	must(f.Store.Revealed(ctx, q.ApprovalID, approval.By{Subject: "ada", Via: "websocket"}))
	g := approval.Grant{
		ID: "grant", Scope: approval.Session, AgentID: "demo", SessionID: made.ID, ToolName: q.ToolName, MaxUses: 3,
		Covers: approval.Coverage{Kind: approval.CoverCommand, Text: word}, Digest: q.ArgsDigest, ApprovalID: q.ApprovalID,
		GivenBy: approval.By{Subject: "ada", Via: "websocket"}, GivenAt: time.Now(),
	}
	_, err = f.Store.Settle(ctx, approval.Response{
		ApprovalID: q.ApprovalID, Status: approval.Approved, Scope: approval.Session, GrantID: g.ID, Message: word,
		Edit: tool.JSON(`{"token":"` + secret + `"}`), FormData: tool.JSON(`{"password":"` + secret + `"}`),
		By: approval.By{Subject: "ada", Via: "websocket"},
	}, &g)
	must(err)
	_, err = f.Store.Claim(ctx, q.ApprovalID, 0, approvaltest.Holds)
	must(err)
	must(f.Store.Finish(ctx, q.ApprovalID, tool.Failed(word)))
	_, err = f.Store.EndGrant(ctx, g.ID, approval.GrantRevoked, approval.By{Subject: "bob", Via: "cli"})
	must(err)
	other := approvaltest.Request(t, made.ID, "other")
	_, err = f.Store.Create(ctx, approval.New(other))
	must(err)
	for _, status := range []approval.Status{approval.Approved, approval.Cancelled} {
		_, err = f.Store.Settle(ctx, approval.Response{ApprovalID: other.ApprovalID, Status: status, By: approval.By{Subject: "bob", Via: "rest"}}, nil)
		must(err)
	}
	_, err = f.Store.SetModes(ctx, approval.ModeSetting{
		AgentID: "demo", Mode: approval.AutoDeny, Configured: approval.Manual, SetBy: approval.By{Subject: "bob", Via: "rest"},
	})
	must(err)
	_, err = f.Log.Append(ctx, made.ID, session.ToolResult{CallID: "c", ToolName: "nothing", Result: tool.Failed("no such tool")})
	must(err)
	root := auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
	_, err = keys.Revoke(ctx, browser.Identity(), browser.ID)
	must(err)
	invited, _, err := keys.Invite(ctx, root, auth.Access{Subject: "carol", Roles: []auth.Role{auth.Viewer}}, time.Minute)
	must(err)
	_, err = keys.Withdraw(ctx, root, invited.ID)
	must(err)
	token, _, err := keys.NewToken(ctx, root, auth.Access{Name: "ci", Roles: []auth.Role{auth.Agent}, Agents: []string{"demo"}})
	must(err)
	_, err = keys.Update(ctx, root, token.ID, auth.Change{Agents: auth.Scope{"*"}})
	must(err)
	_, err = keys.Revoke(ctx, root, token.ID)
	must(err)
	must(s.Record(ctx, audit.GatewayStopped, "system", "system", audit.Stopped{}))
	return q, g, collect(t, s.Audit(ctx))
}

func TestEveryKindOfChangeLeavesItsRecord(t *testing.T) {
	q, g, records := lived(t, t.TempDir())
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s by %s via %s", r.Kind, r.Subject, r.Via))
	}
	want := []string{
		"gateway.started by root via system", "checkpoint by system via system", "config.loaded by system via system",
		"login by ada via rest", "approval.requested by robot via program", "approval.revealed by ada via websocket",
		"approval.resolved by ada via websocket", "grant.given by ada via websocket",
		"call.claimed by robot via program", "call.finished by robot via program", "grant.ended by bob via cli",
		"approval.requested by demo via agent", "approval.resolved by bob via rest", "approval.voided by bob via rest",
		"mode.set by bob via rest", "call.refused by system via system", "logout by ada via rest",
		"link.created by root via rest", "link.withdrawn by root via rest", "token.created by root via rest", "token.changed by root via rest", "token.revoked by root via rest",
		"gateway.stopped by system via system", "checkpoint by system via system",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	about := audit.About{
		ApprovalID: q.ApprovalID, SessionID: q.SessionID, AgentID: "demo", ToolName: q.ToolName, ToolCallID: "call", ArgsDigest: q.ArgsDigest,
	}
	masked := "password=" + mask.Mark
	compare(t, records[4], audit.Requested{
		About: about, Type: "tool_confirmation", ToolDigest: q.ToolDigest, FileHash: "sha256:file", WorkingDirectory: q.WorkingDirectory,
		Message: masked, Rule: masked, Trace: []string{"first", masked}, Risk: "high",
		Args:        tool.JSON(`{"command":"PASSWORD=` + mask.Mark + ` run","env":[{"name":"API_KEY","value":"` + mask.Mark + `"}]}`),
		Origin:      audit.Origin{Kind: "program", Client: "ci", Subject: "robot"},
		RequestedAt: q.RequestedAt, ExpiresAt: q.ExpiresAt,
	})
	compare(t, records[5], audit.Call{About: about})
	edited := q
	edited.Args = tool.JSON(strings.TrimSuffix(string(q.Args), "}") + `,"token":"` + secret + `"}`)
	runs, err := approval.Digest(edited)
	if err != nil {
		t.Fatal(err)
	}
	answer := as[audit.Resolved](t, records[6])
	if answer.Millis < 1500 {
		t.Errorf("it took %d ms", answer.Millis)
	}
	compare(t, records[6], audit.Resolved{
		About: about, Status: "approved", Rule: masked, Scope: "session", GrantID: "grant", Message: masked, RunsDigest: runs,
		Edit: tool.JSON(`{"token":"` + mask.Mark + `"}`), FormData: tool.JSON(`{"password":"` + mask.Mark + `"}`), Millis: answer.Millis,
	})
	about.ToolCallID = ""
	given := audit.Grant{About: about, GrantID: g.ID, Scope: "session", Covers: "command", Text: masked, MaxUses: 3}
	compare(t, records[7], given)
	given.Reason = "revoked"
	compare(t, records[10], given)
	about.ToolCallID = "call"
	compare(t, records[8], audit.Call{About: about})
	compare(t, records[9], audit.Call{About: about, IsError: true})
	voided := as[audit.Resolved](t, records[13])
	if voided.Status != "cancelled" || voided.ToolCallID != "other" {
		t.Errorf("it was taken back as %+v", voided)
	}
	compare(t, records[14], audit.Mode{AgentID: "demo", Mode: "auto-deny", Configured: "manual", Version: 1})
	compare(t, records[15], audit.Call{About: audit.About{SessionID: q.SessionID, ToolCallID: "c", ToolName: "nothing"}})
	left := as[audit.Access](t, records[16])
	compare(t, records[3], left)
	compare(t, records[16], audit.Access{AccessID: left.AccessID, Owner: "ada", Roles: []string{"approver"}, ExpiresAt: left.ExpiresAt})
	link := as[audit.Access](t, records[17])
	compare(t, records[17], audit.Access{AccessID: link.AccessID, Name: "carol", Owner: "carol", Roles: []string{"viewer"}, ExpiresAt: link.ExpiresAt})
	compare(t, records[18], link)
	token := as[audit.Access](t, records[21])
	compare(t, records[19], audit.Access{AccessID: token.AccessID, Name: "ci", Owner: "ci", Roles: []string{"agent"}, Agents: []string{"demo"}})
	compare(t, records[20], audit.Access{AccessID: token.AccessID, Name: "ci", Owner: "ci", Roles: []string{"agent"}})
}

func compare[T any](t *testing.T, r audit.Record, want T) {
	t.Helper()
	if diff := cmp.Diff(want, as[T](t, r)); diff != "" {
		t.Errorf("record %d, %s:\n%s", r.Seq, r.Kind, diff)
	}
}

func TestASecretIsNowhereInTheAuditLog(t *testing.T) {
	_, _, records := lived(t, t.TempDir())
	for _, r := range records {
		if line, err := r.Line(); err != nil || strings.Contains(string(line), secret) {
			t.Errorf("record %d has it (%v): %s", r.Seq, err, line)
		}
	}
}

func TestWhatTheConfigurationCallsASecretIsMaskedToo(t *testing.T) {
	f, s, stop := runningWith(t, t.TempDir(), mask.SecretOptions{Patterns: []string{"purple-[a-z]+"}})
	defer stop()
	made, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	q := approvaltest.Request(t, made.ID, "call")
	q.Args = tool.JSON(`{"command":"say purple-monkey"}`)
	if _, err := f.Store.Create(t.Context(), approval.New(q)); err != nil {
		t.Fatal(err)
	}
	records := collect(t, s.Audit(t.Context()))
	if got := string(as[audit.Requested](t, records[0]).Args); got != `{"command":"say `+mask.Mark+`"}` {
		t.Errorf("it has %s", got)
	}
}

func TestArgumentsThatAreTooLongAreNamedByTheirDigestAndLength(t *testing.T) {
	f, s, stop := running(t, t.TempDir())
	defer stop()
	made, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	q := approvaltest.Request(t, made.ID, "call")
	q.Args = tool.JSON(`{"command":"` + strings.Repeat("x", 300<<10) + `"}`)
	q.Message = strings.Repeat("é", 20<<10)
	if _, err := f.Store.Create(t.Context(), approval.New(q)); err != nil {
		t.Fatal(err)
	}
	got := as[audit.Requested](t, collect(t, s.Audit(t.Context()))[0])
	if len(got.Args) != 0 || got.ArgsBytes != len(q.Args) || got.ArgsDigest != q.ArgsDigest || len(got.Message) > 17<<10 {
		t.Errorf("it has %d bytes of arguments and says %d, %d of the message", len(got.Args), got.ArgsBytes, len(got.Message))
	}
}

func TestWhatWasWrittenIsSignedWithinTheHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, stop := running(t, t.TempDir())
		defer stop()
		if err := s.Record(t.Context(), audit.LoginBegun, "ada", "rest", audit.Access{}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour + time.Minute)
		synctest.Wait()
		got := kinds(collect(t, s.Audit(t.Context())))
		if want := []audit.Kind{audit.LoginBegun, audit.Checkpointed}; !slices.Equal(got, want) {
			t.Errorf("after an hour it has %v", got)
		}
		<-time.After(3 * time.Hour)
		synctest.Wait()
		if again := kinds(collect(t, s.Audit(t.Context()))); !slices.Equal(again, got) {
			t.Errorf("without a change it has %v", again)
		}
	})
}

func TestASignatureThatCanNotBeMadeIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b := bus.New(append(approval.Topics(), session.Events))
		s, err := store.Open(dir, keyOf(dir), b)
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan string, 4)
		s.Watch(store.Hooks{Failed: func(what string, err error) { told <- what + ": " + err.Error() }})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		if err := s.Record(t.Context(), audit.LoginBegun, "ada", "rest", audit.Access{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(keyOf(dir), []byte("no key"), 0o600); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour + time.Minute)
		synctest.Wait()
		select {
		case got := <-told:
			if !strings.HasPrefix(got, "checkpoint: ") || !strings.Contains(got, "is no private key in PEM") {
				t.Errorf("told was %q", got)
			}
		default:
			t.Error("nothing was told")
		}
		stop()
		<-ended
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheStoreSignsEveryThousandthRecord(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	defer stop()
	record(t, s, audit.GatewayStarted)
	for range audit.Every + 10 {
		record(t, s, audit.LoginBegun)
	}
	key, err := store.PublicKey(keyOf(dir))
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.Expected{Keys: audit.Keys{key}}.Verify(s.Audit(t.Context()))
	if err != nil || report.Signed.Seq != audit.Every {
		t.Errorf("the last checkpoint is %d, %v", report.Signed.Seq, err)
	}
}

func record(t testing.TB, s *store.Store, kind audit.Kind) {
	t.Helper()
	if err := s.Record(t.Context(), kind, "ada", "rest", audit.Access{}); err != nil {
		t.Fatal(err)
	}
}

// runningWith is running, with secrets of its own.
func runningWith(t *testing.T, dir string, o mask.SecretOptions) (approvaltest.Fixture, *store.Store, func()) {
	t.Helper()
	secrets, err := mask.NewSecrets(o)
	if err != nil {
		t.Fatal(err)
	}
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	s, err := opened(dir, keyOf(dir), b)
	if err != nil {
		t.Fatal(err)
	}
	s.Mask(secrets)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	rows := s.Approvals()
	return approvaltest.Fixture{Store: rows, Grants: rows, Log: s.Sessions(), Bus: b, Promises: promises}, s, func() {
		cancel()
		<-ended
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTheFolderOfTheKeyIsItsOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	defer stop()
	record(t, s, audit.GatewayStarted)
	info, err := os.Stat(keyOf(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is %v, %v", info, err)
	}
}
