package approvaltest

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

func calls(t *testing.T, f Fixture) {
	id := f.session(t)
	add := func(body session.Body) {
		t.Helper()
		_, err := f.Log.Append(t.Context(), id, body)
		wantErr(t, err, nil)
	}
	want := func(calls session.Calls) {
		t.Helper()
		f = f.again(t)
		s, err := f.Log.Get(t.Context(), id)
		wantErr(t, err, nil)
		wantEqual(t, s.Calls, calls)
	}
	settled := func(callID string, r approval.Response) {
		t.Helper()
		row := f.create(t, approval.New(Request(t, id, callID)))
		r.ApprovalID, r.By = row.ApprovalID, approval.By{Subject: "ada", Via: "test"}
		_, err := f.Store.Settle(t.Context(), r, nil)
		wantErr(t, err, nil)
	}
	add(session.TurnStarted{TurnID: "1"})
	settled("cleared", approval.Response{Status: approval.Approved})
	counted := session.Calls{Settled: 1}
	for _, reason := range []approval.Reason{
		approval.UserDenied, approval.PolicyDenied, approval.Timeout, approval.ValidationFailed, approval.NoHandler,
		approval.HandlerFailed, approval.TooManyPending, approval.Halted,
	} {
		settled(string(reason), approval.Response{Status: approval.Denied, Reason: reason})
		if counted.Settled++; reason.Unanswered() {
			counted.Unanswered++
		} else {
			counted.Denied++
		}
	}
	settled("withdrawn", approval.Response{Status: approval.Cancelled, Reason: approval.UserCancelled})
	counted.Settled++
	question := Request(t, id, "question")
	question.Type, question.ToolName = approval.Elicitation, ""
	f.settle(t, f.create(t, approval.New(question)).ApprovalID, approval.Denied)
	want(counted)

	add(session.TurnFinished{TurnID: "1", Outcome: session.Completed})
	add(session.TurnStarted{TurnID: "2"})
	want(session.Calls{})
	born, err := approval.New(Request(t, id, "never asked")).Settle(approval.Response{Status: approval.Denied, Reason: approval.PolicyDenied}, Request(t, id, "").RequestedAt)
	wantErr(t, err, nil)
	f.create(t, born)
	add(session.Ended{Outcome: session.Completed})
	want(session.Calls{Settled: 1, Denied: 1})
	events, err := f.Log.Events(t.Context(), id, 0, 0)
	wantErr(t, err, nil)
	var told []session.Calls
	for _, e := range events {
		if e.Type == session.TypeTurnFinished || e.Type == session.TypeEnded {
			var end struct {
				Calls session.Calls `json:"calls"`
			}
			wantErr(t, e.Decode(&end), nil)
			told = append(told, end.Calls)
		}
	}
	wantEqual(t, told, []session.Calls{counted, {Settled: 1, Denied: 1}})
}
