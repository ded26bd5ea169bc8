package gate_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
)

// hints are what a program may put on the bus itself: the store has none of it.
func hints(approvalID string) []approval.Response {
	return []approval.Response{
		{ApprovalID: approvalID, Status: approval.Approved, By: approval.By{Subject: "ada", Via: approval.ViaWebSocket}},
		{ApprovalID: approvalID, Status: approval.Denied},
		{ApprovalID: approvalID, Status: approval.Cancelled, Rev: 99},
		{ApprovalID: approvalID},
		{ApprovalID: "01a20000-0000-7000-8000-00000000dead", Status: approval.Approved},
		{Status: approval.Approved},
	}
}

func TestAnAnswerThatAProgramPutsOnTheBusItselfDecidesNothingAndEndsNothing(t *testing.T) {
	handlers := map[string]func(*desk) approval.Handler{
		"one that keeps promises":     func(d *desk) approval.Handler { return d.Promises },
		"one around that":             func(d *desk) approval.Handler { return approval.HandlerFunc(d.Promises.Ask) },
		"a program's own, that waits": func(*desk) approval.Handler { return approvaltest.Silent() },
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Timeout: gate.NoTimeout}})
				inner := handler(d)
				if _, keeps := inner.(gate.Keeper); !keeps {
					d.gate.SetHandler(approval.HandlerFunc(func(ctx context.Context, r approval.Request) (approval.Response, error) {
						asked++
						return inner.Ask(ctx, r)
					}))
				} else {
					d.gate.SetHandler(inner)
				}
				over := make(chan error, 2)
				go func() {
					_, err := d.tool.Run(t.Context(), d.call("call"))
					over <- err
				}()
				synctest.Wait()
				row := d.row(t, "call")
				go func() {
					found, err := d.manager.Outcome(t.Context(), row.ApprovalID)
					if err == nil && found.Status != approval.Denied {
						err = errors.New("somebody else heard that it is " + string(found.Status))
					}
					over <- err
				}()
				for _, forged := range hints(row.ApprovalID) {
					synctest.Wait()
					approval.Responses.Publish(d.Bus, forged)
					synctest.Wait()
					if now := d.row(t, "call"); len(over) > 0 || now.Status != approval.Pending || d.ran.Load() != 0 {
						t.Fatalf("after %+v: over %v, %s, ran %d times", forged, len(over) > 0, now.Status, d.ran.Load())
					}
				}
				if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Denied}); err != nil {
					t.Fatal(err)
				}
				for range cap(over) {
					if err := <-over; err != nil {
						t.Error(err)
					}
				}
				if asked > 1 {
					t.Errorf("the program was asked %d times", asked)
				}
				d.manager.Wait()
			})
		})
	}
}

// stumbling is a store that fails one look at a row.
type stumbling struct {
	approval.Store
	next *atomic.Bool
}

func (s stumbling) Get(ctx context.Context, approvalID string) (approval.Approval, error) {
	if s.next.CompareAndSwap(true, false) {
		return approval.Approval{}, errors.New("the disk stumbles")
	}
	return s.Store.Get(ctx, approvalID)
}

func TestAHintThatCanNotBeCheckedEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next atomic.Bool
		d := newDesk(t, deskOptions{
			AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), Timeout: gate.NoTimeout},
			store:        func(d *desk) approval.Store { return stumbling{d.Store, &next} },
		})
		over := make(chan error, 1)
		go func() {
			_, err := d.tool.Run(t.Context(), d.call("call"))
			over <- err
		}()
		synctest.Wait()
		row := d.row(t, "call")
		next.Store(true)
		approval.Responses.Publish(d.Bus, approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved})
		synctest.Wait()
		if now := d.row(t, "call"); next.Load() || now.Status != approval.Pending {
			t.Fatalf("it is %s: %+v", now.Status, now.Response)
		}
		if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil || d.ran.Load() != 1 {
			t.Errorf("ran %d times, %v", d.ran.Load(), err)
		}
		d.manager.Wait()
	})
}
