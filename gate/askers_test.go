package gate_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
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

// A program that comes back to another node is not taken for gone by the one that it has asked, and is
// gone when it is silent everywhere.
func TestAQuestionWhoseProgramWaitsAtAnotherNodeStaysUntilItLeavesThatOne(t *testing.T) {
	for name, c := range map[string]struct {
		alive bool // the other node, when its program has left
		after time.Duration
		stays time.Duration
	}{
		"it leaves":               {true, 0, gate.DefaultAskerGrace - 2*time.Second},
		"it leaves, a bit later":  {true, 10 * time.Second, gate.DefaultAskerGrace - 2*time.Second},
		"it leaves, later":        {true, 20 * time.Second, gate.DefaultAskerGrace - 2*time.Second},
		"its node dies before it": {false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var one, two *gate.Manager
				var dead, away atomic.Bool // the other node; the database
				d := newDesk(t, deskOptions{
					AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Hour},
					elsewhere: func(context.Context) ([]string, error) {
						switch {
						case away.Load():
							return nil, errors.New("the database is away")
						case dead.Load():
							return nil, nil
						}
						return two.Waiting(), nil
					},
				})
				one = d.manager
				two = gate.NewManager(d.Store, gate.NewPromises(), approval.Plain{Grants: d.Grants}, gate.Options{
					Elsewhere: func(context.Context) ([]string, error) { return one.Waiting(), nil },
				})
				ctx, cancel := context.WithCancel(t.Context())
				second, die := context.WithCancel(ctx)
				defer die()
				var sweeping sync.WaitGroup
				sweeping.Go(func() { _ = one.Run(ctx) })
				sweeping.Go(func() { _ = two.Run(second) })
				defer sweeping.Wait()
				defer cancel()
				id := d.waits(t, true).ApprovalID
				if err := two.ExpectAskers(t.Context()); err != nil { // it starts just now
					t.Fatal(err)
				}
				pending := func(when string, want bool) {
					t.Helper()
					row, err := one.Get(t.Context(), id)
					if err != nil || (row.Status == approval.Pending) != want {
						t.Errorf("%s it is %s, %q (%v)", when, row.Status, row.Response.Reason, err)
					}
				}
				one.Seen(id)()
				left := two.Seen(id)
				time.Sleep(5 * time.Minute)
				pending("while it waits at the other node", true)
				away.Store(true)
				time.Sleep(5 * time.Minute)
				pending("while nobody knows", true)
				away.Store(false)
				time.Sleep(c.after)
				if c.alive {
					left()
				} else {
					dead.Store(true)
					die()
				}
				time.Sleep(c.stays)
				pending("within the grace", true)
				time.Sleep(2 * gate.DefaultAskerGrace)
				pending("after the grace", false)
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

func TestAProgramWaitsLongerWithinThePolicysLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: time.Hour}})
		row, err := d.manager.Open(t.Context(), deployer(), approval.Request{
			SessionID: d.session, AgentID: "demo", ToolName: "deploy", ToolCallID: "one", Args: tool.JSON("{}"), ExpiresAt: time.Now().Add(time.Minute),
		})
		if err != nil {
			t.Fatal(err)
		}
		outcome := make(chan approval.Approval, 1)
		go func() {
			row, _ := d.manager.Outcome(t.Context(), row.ApprovalID)
			outcome <- row
		}()
		time.Sleep(50 * time.Second)
		if got, err := d.manager.Extend(t.Context(), deployer(), row.ApprovalID, 2*time.Minute); err != nil || got.ExpiresAt.Sub(row.RequestedAt) != 170*time.Second {
			t.Fatalf("until %s, %v", got.ExpiresAt.Sub(row.RequestedAt), err)
		}
		if got, err := d.manager.Extend(t.Context(), deployer(), row.ApprovalID, 9*time.Hour); err != nil || got.ExpiresAt.Sub(row.RequestedAt) != time.Hour {
			t.Errorf("until %s, %v", got.ExpiresAt.Sub(row.RequestedAt), err)
		}
		if _, err := d.manager.Extend(t.Context(), deployer(), row.ApprovalID, time.Minute); !errors.Is(err, approval.ErrInvalid) {
			t.Errorf("to an earlier time: %v", err)
		}
		other := auth.Identity{Subject: "other", Roles: []auth.Role{auth.Agent}}
		if _, err := d.manager.Extend(t.Context(), other, row.ApprovalID, time.Hour); !errors.Is(err, gate.ErrNotYours) {
			t.Errorf("by another program: %v", err)
		}
		time.Sleep(30 * time.Minute) // long after the first deadline
		if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
			t.Errorf("an answer after the first deadline: %v", err)
		}
		if got := <-outcome; got.Status != approval.Approved {
			t.Errorf("whoever waited is told %s", got.Status)
		}
		if _, err := d.manager.Extend(t.Context(), deployer(), row.ApprovalID, 2*time.Hour); !errors.Is(err, approval.ErrDecided) {
			t.Errorf("once it is answered: %v", err)
		}
	})
}
