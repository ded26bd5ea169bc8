// Package approvaltest is the contract that every approval.Store passes
// together with the session.Log beside it, and a scripted reviewer for tests.
package approvaltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Fixture is a fresh store with what belongs to it. The promises are those that
// its bus wakes.
type Fixture struct {
	Store    approval.Store
	Grants   approval.Grants
	Log      session.Log
	Bus      *bus.Bus
	Promises *gate.Promises
	Reopen   func(t *testing.T) Fixture // nil for a store that does not outlive its process
}

// Run puts a store through the contract. make returns a fresh fixture and
// cleans up after itself.
func Run(t *testing.T, make func(t *testing.T) Fixture) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Fixture)
	}{
		{"a pending row is announced once, after it is journaled", announced},
		{"what a sub-agent asks waits in every session above, until it is answered", below},
		{"a settled row is journaled whole and not announced", settledAtBirth},
		{"the first answer stands and later ones get it", firstWins},
		{"an answer at the deadline is a timeout", lateIsTimeout},
		{"a deadline moves to a later time while the row waits, and holds", extended},
		{"a change whose context has ended is not made", endedContext},
		{"so many wait as may, whoever asks at the same time", crowd},
		{"the same call asked again is the same row", sameCall},
		{"the same call with other arguments is refused", conflict},
		{"a next round voids an approved row that has not run", nextRound},
		{"only an approved row is claimed, and once", claimOnce},
		{"an approval gets too old to be claimed, or its judgement outdated", stale},
		{"a cancel takes an approved row back until it runs", cancelApproved},
		{"a result is taken once, and only of what ran or never will", finish},
		{"a session that has ended takes no requests and starts no calls", endedSession},
		{"a grant is held by its session, agent and tool alone", grants},
		{"grants are listed by id, and by whether they can run out", grantQueries},
		{"a refusal holds against what it touches until a person approves that", refusals},
		{"a grant clears as many calls as it may, and none once it has ended", uses},
		{"the oldest grant gives way to one too many", crowded},
		{"a grant that has run out has its place until it is ended", crowdedByOverdue},
		{"a session's grants end with it", endedGrants},
		{"a standing grant is held in every session of its agent, and outlives its own", standing},
		{"a standing grant that comes from no approval is given once, and not while its agent is halted", givenBefore},
		{"modes are set by who has seen the newest, all or none", modes},
		{"what is halted is not asked, approved or started, until the halt is lifted", halted},
		{"empty values are kept, and differ from missing ones", empty},
		{"queries find what they name", queries},
		{"queries find what programs asked and what still runs", programsQueries},
		{"what a diff leaves out is kept beside the request, and nowhere else", wholeDiff},
		{"a search finds what it names, page by page", searches},
		{"a search goes on where it was while rows are made", steadySearches},
		{"a row says when its call was started, and where its result is", started},
		{"unknown approvals are unknown", unknown},
		{"a session counts its newest turn's calls, those that nobody answered apart", calls},
		{"the bus has the order of the journal", order},
		{"a change has published its event when it returns", publishedOnReturn},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, make(t)) })
	}
}

// Holds says of a claim's judgement that it still holds.
func Holds() bool { return true }

// Request makes a request of a session, complete and with its digest.
func Request(t testing.TB, sessionID, callID string) approval.Request {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	r := approval.Request{
		ApprovalID: newID(t), SessionID: sessionID, AgentID: "demo", Type: approval.ToolConfirmation,
		ToolName: "shell", ToolCallID: callID, Args: tool.JSON(`{"command":"uname -a"}`),
		Scopes: []approval.Scope{approval.Once, approval.Session}, RequestedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	r.ArgsDigest = digest(t, r)
	return r
}

func newID(t testing.TB) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

func digest(t testing.TB, r approval.Request) string {
	t.Helper()
	d, err := approval.Digest(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (f Fixture) session(t *testing.T) string {
	t.Helper()
	s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// pending makes a session with one pending row.
func (f Fixture) pending(t *testing.T) approval.Approval {
	t.Helper()
	return f.create(t, approval.New(Request(t, f.session(t), "call-1")))
}

func (f Fixture) create(t *testing.T, a approval.Approval) approval.Approval {
	t.Helper()
	stored, err := f.Store.Create(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func (f Fixture) settle(t *testing.T, id string, status approval.Status) approval.Approval {
	t.Helper()
	a, err := f.Store.Settle(t.Context(), answer(id, status, "ada"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func answer(id string, status approval.Status, by string) approval.Response {
	return approval.Response{ApprovalID: id, Status: status, By: approval.By{Subject: by, Via: "test"}}
}

// again returns the fixture as it is after a restart, where there is one.
func (f Fixture) again(t *testing.T) Fixture {
	t.Helper()
	if f.Reopen == nil {
		return f
	}
	return f.Reopen(t)
}

func (f Fixture) row(t *testing.T, id string) approval.Approval {
	t.Helper()
	a, err := f.Store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// journal lists the types of a session's events.
func (f Fixture) journal(t *testing.T, sessionID string) []session.Type {
	t.Helper()
	events, err := f.Log.Events(t.Context(), sessionID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []session.Type
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
		types = append(types, e.Type)
	}
	return types
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func wantState(t *testing.T, a approval.Approval, status approval.Status, run approval.Run) {
	t.Helper()
	if a.Status != status || a.Run != run {
		t.Errorf("row is %s, run %s; want %s, run %s", a.Status, a.Run, status, run)
	}
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func done(t *testing.T, text string) (context.Context, tool.Result) {
	return t.Context(), tool.Result{Text: text}
}
