package gate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func TestAStandingApprovalHoldsInOtherSessionsOfTheSameFolderWhileTheFileAllowsIt(t *testing.T) {
	const month = 30 * 24 * time.Hour
	for name, c := range map[string]struct {
		allowed time.Duration // that approvals stand
		scope   approval.Scope
		folder  string        // of the call in the other session
		after   time.Duration // the terms then
		stands  bool
	}{
		"always where it is offered":             {month, approval.Always, "/srv", month, true},
		"session where always is offered":        {month, approval.Session, "/srv", month, false},
		"always where it is not offered":         {0, approval.Always, "/srv", month, false},
		"in another folder":                      {month, approval.Always, "/tmp", month, false},
		"once the file does not allow it longer": {month, approval.Always, "/srv", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{
				AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}, terms: approval.Terms{Standing: c.allowed},
			})
			sub := d.Bus.Subscribe(4, approval.Requests)
			defer sub.Close()
			ended := make(chan error, 1)
			first := d.call("one")
			first.WorkingDirectory = "/srv"
			go func() {
				_, err := d.tool.Run(context.Background(), first)
				ended <- err
			}()
			if _, err := sub.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			asked := d.row(t, "one")
			if offered := asked.StandingSeconds == int64(month.Seconds()); offered != (c.allowed > 0) {
				t.Errorf("it offers %d seconds", asked.StandingSeconds)
			}
			row, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: asked.ApprovalID, Status: approval.Approved, Scope: c.scope})
			if err := errors.Join(err, <-ended); err != nil {
				t.Fatal(err)
			}
			grants, err := d.manager.Grants(t.Context(), approval.GrantQuery{ID: row.Response.GrantID})
			if err != nil || len(grants) != 1 {
				t.Fatalf("it gave %+v, %v", grants, err)
			}
			if g := grants[0]; g.Standing != (c.allowed > 0 && c.scope == approval.Always) || g.Standing && g.ExpiresAt.Sub(g.GivenAt) != month {
				t.Errorf("it gave %+v", g)
			}
			if err := d.manager.Configure(t.Context(), map[string]gate.AgentTerms{
				"demo": {Tools: map[string]approval.Terms{"shell": {Standing: c.after}}},
			}, func() {}); err != nil {
				t.Fatal(err)
			}
			other, err := d.Log.Create(t.Context(), session.Session{AgentID: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			v, err := d.manager.Preview(t.Context(), approval.Request{
				AgentID: "demo", SessionID: other.ID, ToolName: "shell", ToolDigest: asked.ToolDigest,
				Args: tool.JSON(`{"command":"uname"}`), WorkingDirectory: c.folder,
			})
			if err != nil || (v.Effect == approval.Allow) != c.stands {
				t.Errorf("in another session it comes to %+v, %v", v, err)
			}
			d.manager.Wait()
		})
	}
}
