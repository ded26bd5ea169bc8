package approvaltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func announced(t *testing.T, f Fixture) {
	sub := f.Bus.Subscribe(16, approval.Requests, session.Events)
	defer sub.Close()
	a := f.pending(t)
	wantState(t, a, approval.Pending, approval.RunNone)
	wantEqual(t, topics(t, sub, 3), []string{"session.created", "approval.requested", "approvalRequest " + a.ApprovalID})
	f = f.again(t)
	wantEqual(t, f.row(t, a.ApprovalID), a)
	wantEqual(t, f.journal(t, a.SessionID), []session.Type{session.TypeCreated, session.TypeApprovalRequested})
	f.wantWaiting(t, a.SessionID, a)
	f.settle(t, a.ApprovalID, approval.Denied)
	f.wantWaiting(t, a.SessionID)
}

// wantWaiting checks what the session says of its own requests.
func (f Fixture) wantWaiting(t *testing.T, sessionID string, rows ...approval.Approval) {
	t.Helper()
	s, err := f.Log.Get(t.Context(), sessionID)
	wantErr(t, err, nil)
	var want []session.PendingApproval
	for _, a := range rows {
		want = append(want, session.PendingApproval{
			Seq: 2, SessionID: a.SessionID, AgentID: a.AgentID, ApprovalID: a.ApprovalID, ToolName: a.ToolName, RequestedAt: a.RequestedAt, ExpiresAt: a.ExpiresAt,
			ToolCall: session.ToolCall{ID: a.ToolCallID, Name: a.ToolName, Args: a.Args},
		})
	}
	if len(rows) > 0 != (s.Status == session.StatusWaitingApproval) || len(want) != len(s.PendingApprovals) {
		t.Errorf("the session is %s with %d requests, want %d", s.Status, len(s.PendingApprovals), len(want))
		return
	}
	for i := range want {
		wantEqual(t, s.PendingApprovals[i], want[i])
	}
}

func settledAtBirth(t *testing.T, f Fixture) {
	sub := f.Bus.Subscribe(16, approval.Requests, approval.Responses, session.Events)
	defer sub.Close()
	r := Request(t, f.session(t), "call-1")
	row, err := approval.New(r).Settle(answer("", approval.Approved, "policy"), r.RequestedAt)
	if err != nil {
		t.Fatal(err)
	}
	f.create(t, row)
	wantEqual(t, topics(t, sub, 3), []string{"session.created", "approval.requested", "approval.resolved"})
	wantState(t, f.again(t).row(t, r.ApprovalID), approval.Approved, approval.RunNone)
}

func firstWins(t *testing.T, f Fixture) {
	a := f.pending(t)
	sub := f.Bus.Subscribe(16, approval.Responses, session.Events)
	defer sub.Close()
	first := f.settle(t, a.ApprovalID, approval.Denied)
	wantState(t, first, approval.Denied, approval.RunVoid)
	second, err := f.Store.Settle(t.Context(), answer(a.ApprovalID, approval.Approved, "bob"), nil)
	wantErr(t, err, approval.ErrDecided)
	wantEqual(t, second, first)
	wantEqual(t, topics(t, sub, 2), []string{"approval.resolved", "approvalResponse " + a.ApprovalID})
	f = f.again(t)
	if got := f.row(t, a.ApprovalID); got.Status != approval.Denied || got.Response.By.Subject != "ada" || got.Rev <= a.Rev {
		t.Errorf("after all, the row is %+v", got)
	}
}

func lateIsTimeout(t *testing.T, f Fixture) {
	r := Request(t, f.session(t), "call-1")
	r.RequestedAt, r.ExpiresAt = r.RequestedAt.Add(-time.Hour), r.RequestedAt
	f.create(t, approval.New(r))
	f.settle(t, r.ApprovalID, approval.Approved)
	got := f.again(t).row(t, r.ApprovalID)
	wantState(t, got, approval.Denied, approval.RunVoid)
	wantEqual(t, got.Response.Reason, approval.Timeout)
	wantEqual(t, got.Response.By.Subject, "system")
}

func sameCall(t *testing.T, f Fixture) {
	a := f.pending(t)
	again := a
	again.ApprovalID = newID(t)
	wantEqual(t, f.create(t, again), a)
	settled := f.settle(t, a.ApprovalID, approval.Approved)
	wantEqual(t, f.create(t, again).Status, settled.Status)
	wantEqual(t, len(f.journal(t, a.SessionID)), 3)
}

func conflict(t *testing.T, f Fixture) {
	a := f.pending(t)
	other := a
	other.ApprovalID = newID(t)
	other.Args = tool.JSON(`{"command":"id"}`)
	other.ArgsDigest = digest(t, other.Request)
	_, err := f.Store.Create(t.Context(), other)
	wantErr(t, err, approval.ErrConflict)
}

func nextRound(t *testing.T, f Fixture) {
	a := f.pending(t)
	f.settle(t, a.ApprovalID, approval.Approved)
	next := Request(t, a.SessionID, a.ToolCallID)
	next.Round = 1
	f.create(t, approval.New(next))
	wantState(t, f.row(t, a.ApprovalID), approval.Approved, approval.RunVoid)
	wantState(t, f.row(t, next.ApprovalID), approval.Pending, approval.RunNone)
	again := Request(t, a.SessionID, a.ToolCallID)
	wantEqual(t, f.create(t, approval.New(again)).ApprovalID, next.ApprovalID)
	_, err := f.Store.Claim(t.Context(), a.ApprovalID, 0, Holds)
	wantErr(t, err, approval.ErrVoid)
}

func claimOnce(t *testing.T, f Fixture) {
	a := f.pending(t)
	_, err := f.Store.Claim(t.Context(), a.ApprovalID, 0, Holds)
	wantErr(t, err, approval.ErrVoid)
	f.settle(t, a.ApprovalID, approval.Approved)
	claimed, err := f.Store.Claim(t.Context(), a.ApprovalID, time.Hour, Holds)
	wantErr(t, err, nil)
	wantState(t, claimed, approval.Approved, approval.RunClaimed)
	f = f.again(t)
	_, err = f.Store.Claim(t.Context(), a.ApprovalID, 0, Holds)
	wantErr(t, err, approval.ErrClaimed)
	_, err = f.Store.Settle(t.Context(), answer(a.ApprovalID, approval.Cancelled, "bob"), nil)
	wantErr(t, err, approval.ErrDecided)
}

func stale(t *testing.T, f Fixture) {
	a := f.pending(t)
	f.settle(t, a.ApprovalID, approval.Approved)
	_, err := f.Store.Claim(t.Context(), a.ApprovalID, 0, func() bool { return false })
	wantErr(t, err, approval.ErrOutdated)
	_, err = f.Store.Claim(t.Context(), a.ApprovalID, time.Nanosecond, Holds)
	wantErr(t, err, approval.ErrStale)
	wantState(t, f.row(t, a.ApprovalID), approval.Approved, approval.RunNone)
}

func endedContext(t *testing.T, f Fixture) {
	a := f.pending(t)
	over := errors.New("put out")
	ctx, end := context.WithCancelCause(t.Context())
	end(over)
	_, err := f.Store.Settle(ctx, approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved}, nil)
	wantErr(t, err, over)
	_, err = f.Store.Create(ctx, approval.New(Request(t, a.SessionID, "call-2")))
	wantErr(t, err, over)
	_, err = f.Store.SetModes(ctx, approval.ModeSetting{AgentID: "demo", Mode: approval.AutoApprove})
	wantErr(t, err, over)
	_, err = f.Store.EndGrant(ctx, "g", approval.GrantRevoked, approval.By{Subject: "ada"})
	wantErr(t, err, over)
	f = f.again(t)
	wantState(t, f.row(t, a.ApprovalID), approval.Pending, approval.RunNone)
}

func crowd(t *testing.T, f Fixture) {
	id := f.session(t)
	var asking sync.WaitGroup
	for i := range 50 {
		r := approval.New(Request(t, id, fmt.Sprint("call-", i)))
		r.MaxPending = 3
		asking.Go(func() {
			if _, err := f.Store.Create(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	other := approval.New(Request(t, id, "another program's"))
	other.MaxPending, other.Origin = 3, approval.Origin{Kind: approval.OriginProgram, Subject: "another"}
	if made, err := f.Store.Create(t.Context(), other); err != nil || made.Status != approval.Pending {
		t.Errorf("another program's request is %s, %v: it has nothing to do with the crowd", made.Status, err)
	}
	f = f.again(t)
	rows, err := f.Store.Find(t.Context(), approval.Query{SessionID: id})
	wantErr(t, err, nil)
	rows = slices.DeleteFunc(rows, func(a approval.Approval) bool { return a.Origin.Subject != "" })
	waiting := 0
	for _, row := range rows {
		switch {
		case row.Status == approval.Pending:
			waiting++
		case row.Status != approval.Denied || row.Response.Reason != approval.TooManyPending:
			t.Errorf("one is %s, %s", row.Status, row.Response.Reason)
		}
	}
	if len(rows) != 50 || waiting != 3 {
		t.Errorf("of %d, %d wait", len(rows), waiting)
	}
}

func cancelApproved(t *testing.T, f Fixture) {
	a := f.pending(t)
	f.settle(t, a.ApprovalID, approval.Approved)
	f.settle(t, a.ApprovalID, approval.Cancelled)
	f = f.again(t)
	wantState(t, f.row(t, a.ApprovalID), approval.Approved, approval.RunVoid)
	types := f.journal(t, a.SessionID)
	wantEqual(t, types[len(types)-1], session.TypeApprovalVoided)
	_, err := f.Store.Claim(t.Context(), a.ApprovalID, 0, Holds)
	wantErr(t, err, approval.ErrVoid)
}

func finish(t *testing.T, f Fixture) {
	a := f.pending(t)
	ctx, result := done(t, "Linux")
	if err := f.Store.Finish(ctx, a.ApprovalID, result); err == nil {
		t.Error("a pending row took a result")
	}
	f.settle(t, a.ApprovalID, approval.Approved)
	if err := f.Store.Finish(ctx, a.ApprovalID, result); err == nil {
		t.Error("an unclaimed row took a result")
	}
	_, err := f.Store.Claim(ctx, a.ApprovalID, 0, Holds)
	wantErr(t, err, nil)
	wantErr(t, f.Store.Finish(ctx, a.ApprovalID, result), nil)
	if err := f.Store.Finish(ctx, a.ApprovalID, result); err == nil {
		t.Error("a finished row took another result")
	}
	f = f.again(t)
	wantState(t, f.row(t, a.ApprovalID), approval.Approved, approval.RunFinished)
	events, err := f.Log.Events(ctx, a.SessionID, 0, 0)
	wantErr(t, err, nil)
	var got session.ToolResult
	wantErr(t, events[len(events)-1].Decode(&got), nil)
	wantEqual(t, got, session.ToolResult{
		CallID: a.ToolCallID, ApprovalID: a.ApprovalID, ToolName: a.ToolName, Result: result,
	})

	denied := f.create(t, approval.New(Request(t, a.SessionID, "call-2")))
	f.settle(t, denied.ApprovalID, approval.Denied)
	wantErr(t, f.Store.Finish(ctx, denied.ApprovalID, result), nil)
	wantState(t, f.row(t, denied.ApprovalID), approval.Denied, approval.RunVoid)
}

func endedSession(t *testing.T, f Fixture) {
	a := f.pending(t)
	f.settle(t, a.ApprovalID, approval.Approved)
	_, err := f.Log.Append(t.Context(), a.SessionID, session.Ended{Outcome: session.Cancelled, By: "ada"})
	wantErr(t, err, nil)
	_, err = f.Store.Claim(t.Context(), a.ApprovalID, 0, Holds)
	wantErr(t, err, session.ErrEnded)
	wantState(t, f.row(t, a.ApprovalID), approval.Approved, approval.RunNone)
	_, err = f.Store.Create(t.Context(), approval.New(Request(t, a.SessionID, "call-2")))
	wantErr(t, err, session.ErrEnded)
	_, err = f.Store.Create(t.Context(), approval.New(Request(t, "nowhere", "call-1")))
	wantErr(t, err, session.ErrUnknown)
}

func ids(rows ...approval.Approval) []string {
	var list []string
	for _, a := range rows {
		list = append(list, a.ApprovalID)
	}
	return list
}

func unknown(t *testing.T, f Fixture) {
	_, err := f.Store.Get(t.Context(), "nothing")
	wantErr(t, err, approval.ErrUnknown)
	_, err = f.Store.Settle(t.Context(), answer("nothing", approval.Approved, "ada"), nil)
	wantErr(t, err, approval.ErrUnknown)
	_, err = f.Store.Claim(t.Context(), "nothing", 0, Holds)
	wantErr(t, err, approval.ErrUnknown)
	ctx, result := done(t, "")
	wantErr(t, f.Store.Finish(ctx, "nothing", result), approval.ErrUnknown)
}

// order settles many rows at once and compares the order of answers on the bus
// with that in the journal.
func order(t *testing.T, f Fixture) {
	const calls = 50
	sessionID := f.session(t)
	var rows []approval.Approval
	for i := range calls {
		rows = append(rows, f.create(t, approval.New(Request(t, sessionID, string(rune('A'+i))))))
	}
	sub := f.Bus.Subscribe(4*calls, approval.Responses)
	defer sub.Close()
	errs := make(chan error, calls)
	for _, a := range rows {
		go func() {
			_, err := f.Store.Settle(t.Context(), answer(a.ApprovalID, approval.Denied, "ada"), nil)
			errs <- err
		}()
	}
	for range calls {
		wantErr(t, <-errs, nil)
	}
	events, err := f.Log.Events(t.Context(), sessionID, calls+1, 0)
	wantErr(t, err, nil)
	for _, e := range events {
		var journaled approval.Response
		wantErr(t, e.Decode(&journaled), nil)
		next, err := sub.Next(t.Context())
		wantErr(t, err, nil)
		published, _ := approval.Responses.From(next)
		wantEqual(t, published.ApprovalID, journaled.ApprovalID)
	}
	wantEqual(t, len(events), calls)
}

// publishedOnReturn checks that each change has published its event when it returns.
func publishedOnReturn(t *testing.T, f Fixture) {
	sessionID := f.session(t)
	for range 100 {
		told := func(what string, topic bus.Named, change func()) {
			t.Helper()
			sub := f.Bus.Subscribe(10, topic)
			change()
			sub.Close()
			if _, err := sub.Next(t.Context()); err != nil {
				t.Fatalf("%s: nothing was published when it returned: %v", what, err)
			}
		}
		var a approval.Approval
		told("a request", approval.Requests, func() { a = f.create(t, approval.New(Request(t, sessionID, newID(t)))) })
		told("an answer", approval.Responses, func() { f.settle(t, a.ApprovalID, approval.Approved) })
		told("an answer that is taken back", approval.Responses, func() { f.settle(t, a.ApprovalID, approval.Cancelled) })
	}
}

// topics names the next events of a subscription, and fails on one more.
func topics(t *testing.T, sub *bus.Subscription, n int) []string {
	t.Helper()
	var names []string
	for range n {
		e, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch v := e.Value.(type) {
		case approval.Request:
			names = append(names, e.Topic+" "+v.ApprovalID)
		case approval.Response:
			names = append(names, e.Topic+" "+v.ApprovalID)
		case session.Event:
			names = append(names, string(v.Type))
		}
	}
	sub.Close()
	if e, err := sub.Next(t.Context()); err == nil {
		t.Errorf("one event too many: %v", e)
	}
	return names
}
