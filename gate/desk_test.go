package gate_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// desk is a manager over the memory store with one agent, one gated tool and
// one session.
type desk struct {
	approvaltest.Fixture
	manager *gate.Manager
	gate    *gate.Gate
	tool    *gate.Gated
	session string
	ran     atomic.Int64
	args    atomic.Value
}

func (d *desk) Spec() tool.Spec {
	return tool.Spec{Name: "shell", Schema: tool.JSON(
		`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`)}
}

func (d *desk) Run(_ context.Context, c tool.Call) (tool.Result, error) {
	d.ran.Add(1)
	d.args.Store(string(c.Args))
	return tool.Result{Text: "ran"}, nil
}

type deskOptions struct {
	elsewhere func(context.Context) ([]string, error)
	gate.AgentOptions
	terms approval.Terms
	judge approval.Judge
	run   time.Duration
	store func(*desk) approval.Store // nil: the fixture's
}

func newDesk(t *testing.T, o deskOptions) *desk {
	t.Helper()
	d := &desk{Fixture: approvaltest.Memory(t)}
	if o.judge == nil {
		o.judge = approval.Plain{Grants: d.Grants}
	}
	if o.store != nil {
		d.Store = o.store(d)
	}
	d.manager = gate.NewManager(d.Store, d.Promises, o.judge, gate.Options{RunWithin: o.run, Elsewhere: o.elsewhere})
	d.gate = d.manager.Agent("demo", o.AgentOptions)
	var err error
	if d.tool, err = d.gate.Guard(d, o.terms); err != nil {
		t.Fatal(err)
	}
	s, err := d.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	d.session = s.ID
	return d
}

func (d *desk) call(id string) tool.Call {
	return tool.Call{ID: id, SessionID: d.session, Tool: "shell", Args: tool.JSON(`{"command":"uname"}`)}
}

// row returns the row of a call.
func (d *desk) row(t *testing.T, callID string) approval.Approval {
	t.Helper()
	rows, err := d.Store.Find(t.Context(), approval.Query{SessionID: d.session})
	if err != nil {
		t.Fatal(err)
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].ToolCallID == callID {
			return rows[i]
		}
	}
	t.Fatalf("call %s has no row", callID)
	return approval.Approval{}
}

// result is what the journal holds as a call's result.
func (d *desk) result(t *testing.T, callID string) tool.Result {
	t.Helper()
	events, err := d.Log.Events(t.Context(), d.session, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var r session.ToolResult
		if e.Type != session.TypeToolResult {
			continue
		}
		if err := e.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.CallID == callID {
			return r.Result
		}
	}
	t.Fatalf("call %s has no result", callID)
	return tool.Result{}
}

func (d *desk) run(t *testing.T, id string) tool.Result {
	t.Helper()
	r, err := d.tool.Run(t.Context(), d.call(id))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func approver() auth.Identity {
	return auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}}
}

func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
