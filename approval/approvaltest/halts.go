package approvaltest

import (
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
)

func halted(t *testing.T, f Fixture) {
	for _, agentID := range []string{"demo", ""} {
		waits, runs := f.pending(t), f.pending(t)
		f.settle(t, runs.ApprovalID, approval.Approved)
		other := Request(t, f.session(t), "call-1")
		other.AgentID = "other"
		sub := f.Bus.Subscribe(8, approval.Halts)
		ada := approval.By{Subject: "ada", Via: "test"}
		h, err := f.Store.SetHalt(t.Context(), approval.Halt{AgentID: agentID, On: true, By: ada})
		wantErr(t, err, nil)
		told, err := sub.Next(t.Context())
		wantErr(t, err, nil)
		wantEqual(t, told.Value.(approval.Halt), h)
		f = f.again(t)
		again, err := f.Store.SetHalt(t.Context(), approval.Halt{AgentID: agentID, On: true, By: approval.By{Subject: "bob"}})
		wantErr(t, err, nil)
		wantEqual(t, again, h)
		list, err := f.Store.ListHalts(t.Context())
		wantErr(t, err, nil)
		wantEqual(t, list, []approval.Halt{h})

		born := f.create(t, approval.New(Request(t, f.session(t), "call-1")))
		wantState(t, born, approval.Denied, approval.RunVoid)
		wantEqual(t, []any{born.Response.Reason, born.Response.By}, []any{approval.Halted, ada})
		cleared, err := approval.New(Request(t, f.session(t), "call-1")).Settle(answer("", approval.Approved, "policy"), time.Now())
		wantErr(t, err, nil)
		wantState(t, f.create(t, cleared), approval.Denied, approval.RunVoid)
		refused, err := approval.New(Request(t, f.session(t), "call-1")).Settle(approval.Response{Status: approval.Denied, Reason: approval.PolicyDenied}, time.Now())
		wantErr(t, err, nil)
		wantEqual(t, f.create(t, refused).Response.Reason, approval.PolicyDenied)
		free := f.create(t, approval.New(other))
		if agentID == "" {
			wantState(t, free, approval.Denied, approval.RunVoid)
		} else {
			wantState(t, free, approval.Pending, approval.RunNone)
			f.settle(t, free.ApprovalID, approval.Approved)
		}

		row, err := f.Store.Settle(t.Context(), answer(waits.ApprovalID, approval.Approved, "bob"), nil)
		wantErr(t, err, approval.ErrHalted)
		wantState(t, row, approval.Pending, approval.RunNone)
		row, err = f.Store.Claim(t.Context(), runs.ApprovalID, 0, Holds)
		wantErr(t, err, approval.ErrHalted)
		wantState(t, row, approval.Approved, approval.RunNone)
		wantState(t, f.settle(t, waits.ApprovalID, approval.Denied), approval.Denied, approval.RunVoid)

		h, err = f.Store.SetHalt(t.Context(), approval.Halt{AgentID: agentID, By: ada})
		wantErr(t, err, nil)
		f = f.again(t)
		_, err = f.Store.Claim(t.Context(), runs.ApprovalID, 0, Holds)
		wantErr(t, err, nil)
		list, err = f.Store.ListHalts(t.Context())
		wantErr(t, err, nil)
		wantEqual(t, len(list), 0)
		wantEqual(t, h.On, false)
		sub.Close()
	}
}
