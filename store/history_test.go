package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
)

// one creates a request with these arguments, in a session of its own.
func one(t *testing.T, f approvaltest.Fixture, args string, change ...func(*approval.Request)) approval.Approval {
	t.Helper()
	s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	r := approvaltest.Request(t, s.ID, "call")
	r.Args = tool.JSON(args)
	for _, c := range change {
		c(&r)
	}
	a, err := f.Store.Create(t.Context(), approval.New(r))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func found(t *testing.T, f approvaltest.Fixture, text string) int {
	t.Helper()
	return len(allOf(t, f.Store, approval.Search{Words: approval.ReadWords(text)}))
}

func TestASearchFindsNothingByASecretOrByWhatIsNotSeen(t *testing.T) {
	dir := t.TempDir()
	f, _, stop := running(t, dir)
	const secret = "hunter2hunter2"
	a := one(t, f, `{"user":"ada","password":"`+secret+`","command":"rm\u200b -rf \u202ecod.exe"}`, func(r *approval.Request) {
		r.Message, r.WorkingDirectory = "curl -u ada:"+secret+" https://example.com", "/srv/https://ada:"+secret+"@example.com"
	})
	answer := approval.Response{
		ApprovalID: a.ApprovalID, Status: approval.Approved, By: approval.By{Subject: "bob", Via: approval.ViaREST},
		Edit: tool.JSON(`{"token":"` + secret + `"}`), FormData: tool.JSON(`{"password":"` + secret + `"}`),
	}
	if _, err := f.Store.Settle(t.Context(), answer, nil); err != nil {
		t.Fatal(err)
	}
	for n := 3; n <= len(secret); n++ {
		if found(t, f, secret[:n]) > 0 || found(t, f, secret[len(secret)-n:]) > 0 {
			t.Errorf("it is found by %d characters of its secret", n)
		}
	}
	for text, want := range map[string]int{
		"ada": 1, "bob": 1, "password": 1, "token": 1, mask.Mark: 1, // as it is shown
		"rm⟨u+200b⟩": 1, "u+202e": 1, "rm\u200b": 0, "\u202e": 0, "\u202ecod.exe": 0,
	} {
		if got := found(t, f, text); got != want {
			t.Errorf("%q: %d are found, want %d", text, got, want)
		}
	}
	stop()
	var kept int
	if query(t, dir, `SELECT count(*) FROM history WHERE words LIKE '%`+secret+`%'`, &kept); kept > 0 {
		t.Error("the history has the secret")
	}
}

func TestWhatIsMaskedByNowIsNotFoundByWhatItWas(t *testing.T) {
	dir := t.TempDir()
	f, _, stop := running(t, dir)
	for range 4 {
		one(t, f, `{"key":"sesame-1234"}`)
	}
	shown := one(t, f, `{"key":"sesame and more"}`)
	if n := found(t, f, "sesame-12"); n != 4 {
		t.Fatalf("%d are found", n)
	}
	stop()
	f, _, stop = runningWith(t, dir, mask.SecretOptions{Patterns: []string{`sesame-\d+`}})
	defer stop()
	if n := found(t, f, "sesame-12"); n != 0 {
		t.Errorf("%d are found by what is masked now", n)
	}
	// The page doesn't reveal either that something matched.
	page, err := f.Store.Search(t.Context(), approval.Search{Words: []string{"sesame"}, Limit: 1})
	if err != nil || len(page.Rows) != 1 || page.Rows[0].ApprovalID != shown.ApprovalID || page.Next != "" {
		t.Errorf("it finds %d, and goes on at %q: %v", len(page.Rows), page.Next, err)
	}
}

func TestOfARequestRefusedAsOneTooManyOnlyWhatIsStoredIsSearched(t *testing.T) {
	f, _, stop := running(t, t.TempDir())
	defer stop()
	s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		r := approvaltest.Request(t, s.ID, fmt.Sprint("call-", n))
		r.Args, r.Message = tool.JSON(`{"command":"`+strings.Repeat("flood ", 400)+`"}`), "let me through"
		a := approval.New(r)
		a.MaxPending = 1
		if _, err := f.Store.Create(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]int{"flood": 1, "through": 1, "notkept": 1} {
		if got := found(t, f, text); got != want {
			t.Errorf("%q: %d are found, want %d", text, got, want)
		}
	}
}

func TestWhatASearchLooksThroughEndsWithItsRow(t *testing.T) {
	dir := t.TempDir()
	f, _, stop := running(t, dir)
	a := one(t, f, `{"command":"alpha"}`)
	one(t, f, `{"command":"beta"}`)
	stop()
	change(t, dir, `DELETE FROM waiting; DELETE FROM approvals WHERE id = '`+a.ApprovalID+`'`)
	var left int
	query(t, dir, `SELECT count(*) FROM history`, &left)
	if left != 1 {
		t.Errorf("%d are left", left)
	}
}

func TestRowsOfAnEarlierVersionAreFoundToo(t *testing.T) {
	dir := t.TempDir()
	f, s, stop := running(t, dir)
	want := map[string][]string{}
	for n := range store.FillAtOnce + 7 {
		word := []string{"alpha", "beta"}[n%2]
		a := one(t, f, fmt.Sprintf(`{"command":%q,"password":"hunter2hunter2"}`, word))
		if n%3 == 0 {
			no := approval.Response{ApprovalID: a.ApprovalID, Status: approval.Denied, Reason: approval.UserDenied, Message: "no " + word, By: approval.By{Subject: "ada"}}
			if _, err := f.Store.Settle(t.Context(), no, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	queries := map[string]approval.Search{
		"all": {Limit: 500}, "a word": {Words: []string{"alpha"}, Limit: 500}, "an answer": {Words: []string{"no", "beta"}, Outcome: approval.OutcomeDenied},
		"a secret": {Words: []string{"hunter2"}},
	}
	for name, q := range queries {
		want[name] = allOf(t, s.Approvals(), q)
	}
	stop()
	downTo(t, dir, 16)
	f, s, stop = running(t, dir)
	one(t, f, `{}`) // while the old rows are being added; searches wait for them
	for name, q := range queries {
		got := allOf(t, s.Approvals(), q)
		if name == "all" {
			got = got[1:]
		}
		if diff := cmp.Diff(want[name], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	stop()
	_, _, stop = running(t, dir) // with nothing left to add
	stop()
	if len(want["all"]) != store.FillAtOnce+7 || len(want["a secret"]) > 0 {
		t.Errorf("found before: %d, and by the secret %d", len(want["all"]), len(want["a secret"]))
	}
}

func TestCallsOfAnEarlierVersionSayWhenTheyWereStartedAndWhereTheirResultIs(t *testing.T) {
	dir := t.TempDir()
	f, _, stop := running(t, dir)
	a := one(t, f, `{"command":"alpha"}`)
	if _, err := f.Store.Settle(t.Context(), approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved, By: approval.By{Subject: "ada"}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Store.Claim(t.Context(), a.ApprovalID, 0, approvaltest.Holds); err != nil {
		t.Fatal(err)
	}
	if err := f.Store.Finish(t.Context(), a.ApprovalID, tool.Result{Text: "done"}); err != nil {
		t.Fatal(err)
	}
	want, err := f.Store.Get(t.Context(), a.ApprovalID)
	stop()
	downTo(t, dir, 16)
	f, _, stop = running(t, dir)
	defer stop()
	got, failed := f.Store.Get(t.Context(), a.ApprovalID)
	if err != nil || failed != nil || got.ClaimedAt.Sub(want.ClaimedAt).Abs() > time.Second || got.ResultSeq != want.ResultSeq || got.ResultSeq == 0 {
		t.Errorf("it was started at %v, with its result at %d; want %v, %d (%v, %v)", got.ClaimedAt, got.ResultSeq, want.ClaimedAt, want.ResultSeq, err, failed)
	}
}

// query reads one value from a stopped store.
func query(t *testing.T, dir, text string, into any) {
	t.Helper()
	db, err := database(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.QueryRow(text).Scan(into), db.Close()); err != nil {
		t.Fatal(err)
	}
}
