package gate_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// Whoever said that they would wait for the answer, and is not heard of any more, leaves
// no question behind that a person would answer for nobody.
func TestAQuestionForWhichNobodyWaitsSettlesByItself(t *testing.T) {
	type asked struct {
		d  *desk
		id string
	}
	after := func(a asked, d time.Duration) approval.Approval {
		time.Sleep(d)
		synctest.Wait()
		row, err := a.d.manager.Get(t.Context(), a.id)
		if err != nil {
			t.Error(err)
		}
		return row
	}
	for name, c := range map[string]struct {
		waits bool
		do    func(t *testing.T, a asked) // what its program does for a minute
		want  approval.Status
	}{
		"it has gone away":            {true, func(*testing.T, asked) { time.Sleep(time.Minute) }, approval.Cancelled},
		"it never said it would wait": {false, func(*testing.T, asked) { time.Sleep(time.Minute) }, approval.Pending},
		"it looks from time to time": {true, func(_ *testing.T, a asked) {
			for range 3 {
				time.Sleep(20 * time.Second)
				a.d.manager.Seen(a.id)()
			}
		}, approval.Pending},
		"its connection is open": {true, func(_ *testing.T, a asked) {
			defer a.d.manager.Seen(a.id)()
			time.Sleep(time.Minute)
		}, approval.Pending},
		"it asks again": {true, func(t *testing.T, a asked) {
			for range 3 {
				time.Sleep(20 * time.Second)
				a.d.waits(t, true)
			}
		}, approval.Pending},
		"the gateway has started again meanwhile": {true, func(t *testing.T, a asked) {
			time.Sleep(20 * time.Second)
			if err := a.d.manager.ExpectAskers(t.Context()); err != nil {
				t.Error(err)
			}
			time.Sleep(20 * time.Second)
		}, approval.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Hour}})
				ctx, cancel := context.WithCancel(t.Context())
				var sweeping sync.WaitGroup
				sweeping.Go(func() { _ = d.manager.Run(ctx) })
				defer sweeping.Wait()
				defer cancel()
				a := asked{d, d.waits(t, c.waits).ApprovalID}
				c.do(t, a)
				if row := after(a, time.Second); row.Status != c.want {
					t.Errorf("it is %s", row.Status)
				}
				if row := after(a, time.Minute); c.waits != (row.Response.Reason == approval.AskerGone) || c.waits && row.Response.By != approval.BySystem() {
					t.Errorf("a minute later it is %s: %+v", row.Status, row.Response)
				}
			})
		})
	}
}

// waits asks as a program does that waits for the answer, or does not.
func (d *desk) waits(t *testing.T, waits bool) approval.Approval {
	t.Helper()
	row, err := d.manager.Open(t.Context(), deployer(), approval.Request{
		SessionID: d.session, AgentID: "demo", ToolName: "deploy", ToolCallID: "one", Args: tool.JSON("{}"), Origin: approval.Origin{Waits: waits},
	})
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func TestACallWithoutAReportIsFinishedAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Hour}})
		claimed := func(callID string) approval.Approval {
			row := d.foreign(t, callID)
			if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
				t.Fatal(err)
			}
			row, err := d.manager.Claim(t.Context(), deployer(), row.ApprovalID)
			if err != nil {
				t.Fatal(err)
			}
			return row
		}
		old := claimed("old")
		time.Sleep(time.Minute)
		fresh := claimed("fresh")
		for range 2 { // the second time there is nothing left to do
			if err := d.manager.EndUnreported(t.Context(), time.Now().Add(-time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		for id, want := range map[string]approval.Run{old.ApprovalID: approval.RunFinished, fresh.ApprovalID: approval.RunClaimed} {
			if row, err := d.manager.Get(t.Context(), id); err != nil || row.Run != want {
				t.Errorf("%s is %s, %v, want %s", row.ToolCallID, row.Run, err, want)
			}
		}
		if got := d.result(t, "old"); !got.Unreported || got.IsError {
			t.Errorf("the journal has %+v", got)
		}
		if err := d.manager.Report(t.Context(), deployer(), old.ApprovalID, tool.Result{Text: "late"}); !errors.Is(err, approval.ErrHasResult) {
			t.Errorf("a late report: %v", err)
		}
		if err := d.manager.Report(t.Context(), deployer(), fresh.ApprovalID, tool.Result{Text: "done", Unreported: true}); err != nil || d.result(t, "fresh").Unreported {
			t.Errorf("a program reports that it has not reported: %v", err)
		}
	})
}
