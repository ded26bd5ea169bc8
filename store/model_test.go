package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// reference is the rules once more, as simply as they can be said: what the
// manager over a real store has to agree with, in any order of events.
type reference struct {
	rows     []*refRow
	sessions []string
	ended    map[string]bool
	granted  map[string]bool   // session and digest
	giver    map[string]string // of the newest grant, by the same
}

type refRow struct {
	request approval.Request
	status  approval.Status
	reason  approval.Reason
	by      string
	run     approval.Run
	told    bool
	expired bool // its deadline lies in the past
}

// rig is the real thing beside the reference.
type rig struct {
	*reference
	t       *testing.T
	dir     string
	fixture approvaltest.Fixture
	manager *gate.Manager
	stop    func()
}

func (r *rig) open() {
	r.fixture, _, r.stop = running(r.t, r.dir)
	r.manager = gate.NewManager(r.fixture.Store, r.fixture.Promises, approval.Plain{Grants: r.fixture.Grants}, gate.Options{})
	gate := r.manager.Agent("demo", gate.AgentOptions{})
	if _, err := gate.Guard(shellLike{}, approval.Terms{}); err != nil {
		r.t.Fatal(err)
	}
}

// shellLike is a tool of which only the schema is used, for edits.
type shellLike struct{}

func (shellLike) Spec() tool.Spec {
	return tool.Spec{Name: "shell", Schema: tool.JSON(
		`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`)}
}

func (shellLike) Run(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }

func TestTheStoreAgreesWithTheReferenceInAnyOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := &rig{t: t, dir: t.TempDir(), reference: &reference{ended: map[string]bool{}, granted: map[string]bool{}, giver: map[string]string{}}}
		r.open()
		defer func() { r.stop() }()
		for range 2 {
			s, err := r.fixture.Log.Create(t.Context(), session.Session{AgentID: "demo"})
			if err != nil {
				rt.Fatal(err)
			}
			r.sessions = append(r.sessions, s.ID)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"ask":    r.ask,
			"again":  r.again,
			"decide": r.decide,
			"cancel": r.cancel,
			"claim":  r.claim,
			"finish": r.finish,
			"end":    r.end,
			"reopen": func(*rapid.T) { r.stop(); r.open() },
			"":       r.agree,
		})
	})
}

// agree compares everything.
func (r *rig) agree(t *rapid.T) {
	waiting := map[string]int{}
	for _, want := range r.rows {
		got, err := r.fixture.Store.Get(r.t.Context(), want.request.ApprovalID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != want.status || got.Run != want.run || got.HasResult != want.told ||
			got.Response.Reason != want.reason || got.Response.By.Subject != want.by {
			t.Fatalf("row %s is %s/%s/%v, %q by %q; the reference has %+v", got.ApprovalID,
				got.Status, got.Run, got.HasResult, got.Response.Reason, got.Response.By.Subject, *want)
		}
		if want.status == approval.Pending {
			waiting[want.request.SessionID]++
		}
		granted, err := grantedExactly(r.t, r.fixture.Grants, want.request)
		if err != nil || granted != r.granted[want.request.SessionID+want.request.ArgsDigest] {
			t.Fatalf("granted for %s: %v, %v", want.request.ArgsDigest, granted, err)
		}
	}
	for _, id := range r.sessions {
		s, err := r.fixture.Log.Get(r.t.Context(), id)
		if err != nil || len(s.PendingApprovals) != waiting[id] {
			t.Fatalf("session %s has %d waiting, want %d (%v)", id, len(s.PendingApprovals), waiting[id], err)
		}
	}
}

func (r *rig) ask(t *rapid.T) {
	q := approvaltest.Request(r.t, rapid.SampledFrom(r.sessions).Draw(t, "session"), fmt.Sprint("call ", len(r.rows)))
	expired := rapid.IntRange(0, 4).Draw(t, "expired") == 0
	if expired {
		q.RequestedAt, q.ExpiresAt = q.RequestedAt.Add(-time.Hour), q.RequestedAt.Add(-time.Minute)
	}
	q.Args = tool.JSON(fmt.Sprintf(`{"command":%q}`, rapid.SampledFrom([]string{"id", "date"}).Draw(t, "command")))
	var err error
	if q.ToolDigest, err = approval.ToolDigest(shellLike{}.Spec()); err != nil {
		t.Fatal(err)
	}
	if q.ArgsDigest, err = approval.Digest(q); err != nil {
		t.Fatal(err)
	}
	row := approval.New(q)
	_, err = r.fixture.Store.Create(r.t.Context(), row)
	if r.ended[q.SessionID] {
		r.want(t, err, session.ErrEnded)
		return
	}
	r.want(t, err, nil)
	r.rows = append(r.rows, &refRow{request: row.Request, status: approval.Pending, run: approval.RunNone, expired: expired})
}

// again asks for a call that was asked before: the same row, or a conflict.
func (r *rig) again(t *rapid.T) {
	row := r.some(t)
	if row == nil || r.ended[row.request.SessionID] {
		return
	}
	q := row.request
	q.ApprovalID = "another"
	want := error(nil)
	if rapid.Bool().Draw(t, "with other arguments") {
		q.ArgsDigest, want = "sha256:other", approval.ErrConflict
	}
	got, err := r.fixture.Store.Create(r.t.Context(), approval.New(q))
	r.want(t, err, want)
	if want == nil && got.ApprovalID != row.request.ApprovalID {
		t.Fatalf("asking again gave another row: %s", got.ApprovalID)
	}
}

func (r *rig) decide(t *rapid.T) {
	row := r.some(t)
	if row == nil {
		return
	}
	who := auth.Identity{
		Subject: rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "who"),
		Roles:   []auth.Role{rapid.SampledFrom([]auth.Role{auth.Approver, auth.Approver, auth.Viewer, auth.Agent}).Draw(t, "role")},
	}
	a := approval.Response{
		ApprovalID: row.request.ApprovalID,
		Status:     rapid.SampledFrom([]approval.Status{approval.Approved, approval.Denied, approval.Cancelled, "yes"}).Draw(t, "status"),
	}
	want := error(nil)
	switch rapid.IntRange(0, 6).Draw(t, "twist") {
	case 0:
		a.SessionID, want = "foreign", approval.ErrForeign
	case 1:
		a.ArgsDigest, want = "sha256:other", approval.ErrDigest
	case 2:
		a.Scope = approval.Session
		if a.Status != approval.Approved {
			want = approval.ErrInvalid
		}
	case 3:
		a.Edit = tool.JSON(`{"command":7}`)
		if row.status == approval.Pending || a.Status != approval.Approved {
			want = approval.ErrInvalid
		}
	}
	if a.Status == "yes" && want == nil {
		want = approval.ErrInvalid
	}
	if !who.May(auth.Answer) {
		want = auth.ErrForbidden
	}
	_, err := r.manager.Decide(r.t.Context(), who, a)
	if want != nil {
		r.want(t, err, want)
		return
	}
	r.want(t, err, r.answered(row, a, who.Subject))
}

// answered is the reference's own decision.
func (r *rig) answered(row *refRow, a approval.Response, by string) error {
	takeBack := row.status == approval.Approved && row.run == approval.RunNone && a.Status == approval.Cancelled
	switch {
	case takeBack:
		row.run = approval.RunVoid
		return nil
	case row.status != approval.Pending && row.reason == approval.Timeout:
		return approval.ErrExpired
	case row.status != approval.Pending && row.status == a.Status && row.by == by && a.Scope == "" && len(a.Edit) == 0 &&
		!r.granted["wide"+row.request.ApprovalID]:
		return nil
	case row.status != approval.Pending && row.status == a.Status && row.by == by && a.Scope == approval.Session &&
		r.granted["wide"+row.request.ApprovalID]:
		return nil
	case row.status != approval.Pending:
		return approval.ErrDecided
	case row.expired:
		row.status, row.reason, row.by, row.run = approval.Denied, approval.Timeout, "system", approval.RunVoid
		return approval.ErrExpired
	case r.ended[row.request.SessionID] && a.Scope == approval.Session:
		return session.ErrEnded // it can remember nothing any more
	}
	row.status, row.by = a.Status, by
	switch a.Status {
	case approval.Approved:
		if a.Scope == approval.Session {
			r.granted[row.request.SessionID+row.request.ArgsDigest] = true
			r.granted["wide"+row.request.ApprovalID] = true
			r.giver[row.request.SessionID+row.request.ArgsDigest] = by
			r.released(row.request.SessionID)
		}
	case approval.Denied:
		row.run, row.reason = approval.RunVoid, approval.UserDenied
	default:
		row.run, row.reason = approval.RunVoid, approval.UserCancelled
	}
	return nil
}

// released settles what waits in a session and is granted there. It may have
// been asked after its grant was given, since here rows are made past the judge.
func (r *rig) released(sessionID string) {
	for _, row := range r.rows {
		key := row.request.SessionID + row.request.ArgsDigest
		switch {
		case row.request.SessionID != sessionID || !r.granted[key] || row.status != approval.Pending:
		case row.expired:
			row.status, row.reason, row.by, row.run = approval.Denied, approval.Timeout, "system", approval.RunVoid
		default:
			row.status, row.by = approval.Approved, r.giver[key]
		}
	}
}

func (r *rig) cancel(t *rapid.T) {
	id := rapid.SampledFrom(r.sessions).Draw(t, "session")
	if err := r.manager.Withdraw(r.t.Context(), id, "gone"); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.rows {
		switch {
		case row.request.SessionID != id:
		case row.status == approval.Pending && row.expired:
			row.status, row.reason, row.by, row.run = approval.Denied, approval.Timeout, "system", approval.RunVoid
		case row.status == approval.Pending:
			row.status, row.reason, row.by, row.run = approval.Cancelled, approval.SystemCancelled, "system", approval.RunVoid
		case row.status == approval.Approved && row.run == approval.RunNone:
			row.run = approval.RunVoid
		}
	}
}

func (r *rig) claim(t *rapid.T) {
	row := r.some(t)
	if row == nil {
		return
	}
	_, err := r.fixture.Store.Claim(r.t.Context(), row.request.ApprovalID, 0, approvaltest.Holds)
	switch {
	case r.ended[row.request.SessionID]:
		r.want(t, err, session.ErrEnded)
	case row.status != approval.Approved || row.run == approval.RunVoid:
		r.want(t, err, approval.ErrVoid)
	case row.run != approval.RunNone:
		r.want(t, err, approval.ErrClaimed)
	default:
		r.want(t, err, nil)
		row.run = approval.RunClaimed
	}
}

func (r *rig) finish(t *rapid.T) {
	row := r.some(t)
	if row == nil {
		return
	}
	err := r.fixture.Store.Finish(r.t.Context(), row.request.ApprovalID, tool.Result{Text: "x"})
	switch {
	case row.told:
		r.want(t, err, approval.ErrHasResult)
	case row.run == approval.RunClaimed:
		r.want(t, err, nil)
		row.run, row.told = approval.RunFinished, true
	case row.run == approval.RunVoid:
		r.want(t, err, nil)
		row.told = true
	case err == nil:
		t.Fatal("a call without an outcome took a result")
	}
}

func (r *rig) end(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "really") != 0 {
		return
	}
	id := rapid.SampledFrom(r.sessions).Draw(t, "session")
	_, err := r.fixture.Log.Append(r.t.Context(), id, session.Ended{Outcome: session.Cancelled})
	if r.ended[id] {
		r.want(t, err, session.ErrEnded)
		return
	}
	r.want(t, err, nil)
	r.ended[id] = true
	maps.DeleteFunc(r.granted, func(key string, _ bool) bool { return strings.HasPrefix(key, id) })
}

func (r *rig) some(t *rapid.T) *refRow {
	if len(r.rows) == 0 {
		return nil
	}
	return rapid.SampledFrom(r.rows).Draw(t, "row")
}

func (r *rig) want(t *rapid.T, err, want error) {
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
}

func grantedExactly(t *testing.T, grants approval.Grants, r approval.Request) (bool, error) {
	held, err := grants.Held(t.Context(), r.SessionID, r.AgentID, r.ToolName)
	return slices.ContainsFunc(held, func(g approval.Grant) bool { return g.CoversPlainly(r) }), err
}
