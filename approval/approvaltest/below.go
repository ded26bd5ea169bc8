package approvaltest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

func below(t *testing.T, f Fixture) {
	made := func(s session.Session) string {
		t.Helper()
		s, err := f.Log.Create(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return s.ID
	}
	top := made(session.Session{AgentID: "lead"})
	middle := made(session.Session{AgentID: "helper", ParentID: top})
	bottom := made(session.Session{AgentID: "demo", ParentID: middle})
	own := f.create(t, approval.New(Request(t, top, "call-1")))
	r := Request(t, bottom, "call-1")
	r.Origin.Parent = "lead › helper › demo"
	deep := f.create(t, approval.New(r))
	wantEqual(t, deep.Above, []string{middle, top})
	f = f.again(t)
	wantEqual(t, f.row(t, deep.ApprovalID), deep)

	told := session.PendingApproval{
		ApprovalID: deep.ApprovalID, SessionID: bottom, AgentID: "demo", Path: "lead › helper › demo", ToolName: "shell",
		ToolCall: session.ToolCall{ID: "call-1", Name: "shell"}, RequestedAt: deep.RequestedAt, ExpiresAt: deep.ExpiresAt,
	}
	for id, seq := range map[string]int64{top: 3, middle: 2} {
		s, err := f.Log.Get(t.Context(), id)
		wantErr(t, err, nil)
		wantEqual(t, s.Status, session.StatusWaitingApproval)
		told.Seq = seq
		if len(s.PendingApprovals) == 0 {
			t.Fatalf("%s shows nothing", id)
		}
		wantEqual(t, s.PendingApprovals[len(s.PendingApprovals)-1], told)
	}
	f.wantFound(t, approval.Query{SessionID: top, Below: true, Status: approval.Pending}, own, deep)
	f.wantFound(t, approval.Query{SessionID: top, Status: approval.Pending}, own)
	f.wantFound(t, approval.Query{SessionID: middle, Below: true}, deep)
	f.wantFound(t, approval.Query{SessionID: middle})
	f.wantFound(t, approval.Query{SessionID: bottom, Below: true, Status: approval.Pending}, deep)

	if _, err := f.Log.Append(t.Context(), middle, session.Ended{Outcome: session.Cancelled}); err != nil {
		t.Fatal(err)
	}
	deep = f.settle(t, deep.ApprovalID, approval.Denied)
	f = f.again(t)
	wantEqual(t, f.journal(t, top), []session.Type{
		session.TypeCreated, session.TypeApprovalRequested, session.TypeBelowRequested, session.TypeBelowResolved,
	})
	wantEqual(t, f.journal(t, middle), []session.Type{
		session.TypeCreated, session.TypeBelowRequested, session.TypeEnded, session.TypeBelowResolved,
	})
	f.wantWaiting(t, top, own)
	f.wantFound(t, approval.Query{SessionID: top, Below: true, Status: approval.Pending}, own)
	f.wantFound(t, approval.Query{SessionID: top, Below: true}, own, deep)

	late := f.create(t, approval.New(Request(t, bottom, "call-2")))
	f.wantFound(t, approval.Query{SessionID: top, Below: true, Status: approval.Pending}, own, late)
	wantEqual(t, len(f.journal(t, middle)), 4) // it has ended, and is told of nothing new
}

// wantFound compares by ids.
func (f Fixture) wantFound(t *testing.T, q approval.Query, want ...approval.Approval) {
	t.Helper()
	rows, err := f.Store.Find(t.Context(), q)
	wantErr(t, err, nil)
	ids := func(rows []approval.Approval) []string {
		list := []string{}
		for _, a := range rows {
			list = append(list, a.ApprovalID)
		}
		return list
	}
	if diff := cmp.Diff(ids(want), ids(rows)); diff != "" {
		t.Errorf("%+v (-want +got):\n%s", q, diff)
	}
}
