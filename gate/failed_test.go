package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
)

var errDisk = errors.New("no space left")

// unsearchable is a store that can't find anything while it is broken.
type unsearchable struct {
	approval.Store
	broken bool
}

func (u *unsearchable) Find(ctx context.Context, q approval.Query) ([]approval.Approval, error) {
	if u.broken {
		return nil, errDisk
	}
	return u.Store.Find(ctx, q)
}

// What nobody waits for does not fail in silence.
func TestWhatFailsWhileNobodyWaitsForItIsTold(t *testing.T) {
	admin := auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
	for what, work := range map[string]func(t *testing.T, m *gate.Manager, f approvaltest.Fixture, u *unsearchable){
		"sweep": func(t *testing.T, m *gate.Manager, _ approvaltest.Fixture, u *unsearchable) {
			u.broken = true
			ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond) // the bubble's clock
			defer stop()
			_ = m.Run(ctx)
		},
		"judge_again": func(t *testing.T, m *gate.Manager, _ approvaltest.Fixture, u *unsearchable) {
			u.broken = true
			if set, err := m.SetMode(t.Context(), admin, "test", "demo", approval.AutoDeny, 0); err != nil || set.Mode != approval.AutoDeny {
				t.Errorf("the mode is %+v, %v", set, err)
			}
		},
		"release": func(t *testing.T, m *gate.Manager, f approvaltest.Fixture, u *unsearchable) {
			s, err := f.Log.Create(t.Context(), session.Session{AgentID: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			asked := approvaltest.Request(t, s.ID, "call")
			asked.Scopes = []approval.Scope{approval.Once, approval.Session}
			asked.Covers, asked.ToolDigest = []approval.Coverage{approval.Exactly()}, "sha256:tool"
			a, err := f.Store.Create(t.Context(), approval.New(asked))
			if err != nil {
				t.Fatal(err)
			}
			u.broken = true
			yes := approval.Response{ApprovalID: a.ApprovalID, Status: approval.Approved, Scope: approval.Session, By: approval.By{Via: "test"}}
			if got, err := m.Decide(t.Context(), admin, yes); err != nil || got.Status != approval.Approved {
				t.Errorf("the answer is %+v, %v", got.Response, err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := approvaltest.Memory(t)
				u := &unsearchable{Store: f.Store}
				told := map[string]error{}
				m := gate.NewManager(u, f.Promises, approval.Plain{Grants: f.Grants}, gate.Options{
					Failed: func(what string, err error) { told[what] = err },
				})
				m.Agent("demo", gate.AgentOptions{Handler: approvaltest.Says(approval.Denied)})
				work(t, m, f, u)
				if !errors.Is(told[what], errDisk) || len(told) != 1 {
					t.Errorf("told was %v", told)
				}
			})
		})
	}
}
