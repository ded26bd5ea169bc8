package approvaltest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func searches(t *testing.T, f Fixture) {
	at := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	sessionID := f.session(t)
	child, err := f.Log.Create(t.Context(), session.Session{AgentID: "helper", ParentID: sessionID})
	wantErr(t, err, nil)
	asked := func(n int, in string, change func(*approval.Request)) approval.Approval {
		r := Request(t, in, fmt.Sprint("call-", n))
		r.RequestedAt, r.ExpiresAt = at.Add(time.Duration(n)*time.Minute), time.Time{}
		change(&r)
		return f.create(t, approval.New(r))
	}
	deploy := asked(1, sessionID, func(r *approval.Request) {
		r.ToolName, r.Args, r.Risk.Level = "deploy", tool.JSON(`{"to":"Production","note":"line one\nline two"}`), approval.RiskHigh
	})
	shell := asked(2, sessionID, func(r *approval.Request) { r.Message, r.Risk.Level = "look at the kernel", approval.RiskLow })
	below := asked(3, child.ID, func(r *approval.Request) { r.AgentID = "helper" })
	waits := asked(4, f.session(t), func(r *approval.Request) { r.AgentID, r.Origin.Client = "other", "Deployer" })
	no := answer(deploy.ApprovalID, approval.Denied, "ada")
	no.Reason, no.Message = approval.UserDenied, "Not on a Friday"
	_, err = f.Store.Settle(t.Context(), no, nil)
	wantErr(t, err, nil)
	f.settle(t, shell.ApprovalID, approval.Approved)
	_, err = f.Store.Settle(t.Context(), answer(shell.ApprovalID, approval.Cancelled, "Bob"), nil)
	wantErr(t, err, nil)
	_, err = f.Store.Settle(t.Context(), approval.Response{ApprovalID: below.ApprovalID, Status: approval.Denied, Reason: approval.Timeout, By: approval.BySystem()}, nil)
	wantErr(t, err, nil)
	f = f.again(t)
	for name, c := range map[string]struct {
		search approval.Search
		want   []string
	}{
		"everything, newest first":      {approval.Search{}, ids(waits, below, shell, deploy)},
		"a session and those below it":  {approval.Search{SessionID: sessionID}, ids(below, shell, deploy)},
		"an agent":                      {approval.Search{AgentID: "helper"}, ids(below)},
		"agents":                        {approval.Search{Agents: []string{"other", "helper"}}, ids(waits, below)},
		"one of the agents":             {approval.Search{Agents: []string{"other", "helper"}, AgentID: "other"}, ids(waits)},
		"none of the agents":            {approval.Search{Agents: []string{"helper"}, AgentID: "other"}, nil},
		"a session and another's agent": {approval.Search{Agents: []string{"other"}, SessionID: sessionID}, nil},
		"a tool":                        {approval.Search{ToolName: "deploy"}, ids(deploy)},
		"a status":                      {approval.Search{Status: approval.Denied}, ids(below, deploy)},
		"pending":                       {approval.Search{Status: approval.Pending}, ids(waits)},
		"pending in another session":    {approval.Search{Outcome: approval.OutcomePending, SessionID: sessionID}, nil},
		"a denial":                      {approval.Search{Outcome: approval.OutcomeDenied}, ids(deploy)},
		"a timeout":                     {approval.Search{Outcome: approval.OutcomeTimedOut}, ids(below)},
		"withdrawn":                     {approval.Search{Outcome: approval.OutcomeCancelled}, ids(shell)},
		"a risk":                        {approval.Search{Risk: approval.RiskHigh}, ids(deploy)},
		"answered by a person":          {approval.Search{AnsweredBy: "ada"}, ids(shell, deploy)},
		"since":                         {approval.Search{Since: shell.RequestedAt}, ids(waits, below, shell)},
		"until":                         {approval.Search{Until: shell.RequestedAt}, ids(deploy)},
		"a word of a tool":              {approval.Search{Words: []string{"deploy"}}, ids(waits, deploy)},
		"a part of a word, in any case": {approval.Search{Words: approval.ReadWords(" ODUCT ")}, ids(deploy)},
		"two words":                     {approval.Search{Words: []string{"deploy", "production"}}, ids(deploy)},
		"a word of a message":           {approval.Search{Words: []string{"kernel"}}, ids(shell)},
		"a word of an answer":           {approval.Search{Words: []string{"friday", "two"}}, ids(deploy)},
		"who withdrew it":               {approval.Search{Words: []string{"bob"}}, ids(shell)},
		"an id":                         {approval.Search{Words: []string{waits.ApprovalID[24:]}}, ids(waits)},
		"no such word":                  {approval.Search{Words: []string{"deploy", "staging"}}, nil},
		"a word across two lines":       {approval.Search{Words: []string{"oneline"}}, nil},
		"before":                        {approval.Search{Before: below.ApprovalID}, ids(shell, deploy)},
		"before and until":              {approval.Search{Before: waits.ApprovalID, Until: shell.RequestedAt}, ids(deploy)},
	} {
		for limit := range 3 {
			c.search.Limit = limit
			t.Run(fmt.Sprintf("%s, %d a page", name, limit), func(t *testing.T) { wantEqual(t, ids(f.all(t, c.search)...), c.want) })
		}
	}
	for _, q := range []approval.Search{{Before: "nowhere"}, {Before: waits.ApprovalID, AgentID: "demo"}, {Before: waits.ApprovalID, Agents: []string{"demo"}}} {
		_, err := f.Store.Search(t.Context(), q)
		wantErr(t, err, approval.ErrUnknown)
	}
}

// all returns the rows of all pages of a search.
func (f Fixture) all(t *testing.T, q approval.Search) (rows []approval.Approval) {
	t.Helper()
	for {
		found, err := f.Store.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Rows) > q.Most() {
			t.Errorf("a page has %d rows, of at most %d", len(found.Rows), q.Most())
		}
		rows = append(rows, found.Rows...)
		if found.Next == "" {
			return rows
		}
		if found.NextAt.IsZero() || found.Next == q.Before {
			t.Fatalf("after %s the search goes on at %s, %v", q.Before, found.Next, found.NextAt)
		}
		q.Before = found.Next
	}
}

func steadySearches(t *testing.T, f Fixture) {
	sessionID := f.session(t)
	var made []string
	ask := func(n int) {
		a := f.create(t, approval.New(Request(t, sessionID, fmt.Sprint("call-", n))))
		made = append(made, a.ApprovalID)
	}
	for n := range 7 {
		ask(n)
	}
	want := slices.Clone(made)
	slices.Reverse(want)
	var got []string
	q := approval.Search{Limit: 2}
	for n := 7; ; n++ {
		found, err := f.Store.Search(t.Context(), q)
		wantErr(t, err, nil)
		got = append(got, ids(found.Rows...)...)
		if found.Next == "" {
			break
		}
		q.Before = found.Next
		ask(n)
		f.settle(t, want[n-7], approval.Denied)
	}
	wantEqual(t, got, want)
}

func started(t *testing.T, f Fixture) {
	a := f.pending(t)
	f.settle(t, a.ApprovalID, approval.Approved)
	before := time.Now().Truncate(time.Microsecond)
	claimed, err := f.Store.Claim(t.Context(), a.ApprovalID, 0, Holds)
	wantErr(t, err, nil)
	if at := claimed.ClaimedAt; at.Before(before) || at.After(time.Now()) || claimed.ResultSeq != 0 {
		t.Errorf("it was claimed at %v, and has its result at %d", at, claimed.ResultSeq)
	}
	ctx, result := done(t, "done")
	wantErr(t, f.Store.Finish(ctx, a.ApprovalID, result), nil)
	f = f.again(t)
	row := f.row(t, a.ApprovalID)
	events, err := f.Log.Events(t.Context(), a.SessionID, row.ResultSeq-1, 1)
	wantErr(t, err, nil)
	if len(events) != 1 || events[0].Type != session.TypeToolResult || !row.ClaimedAt.Equal(claimed.ClaimedAt) {
		t.Errorf("it was claimed at %v; event %d is %+v", row.ClaimedAt, row.ResultSeq, events)
	}
}
