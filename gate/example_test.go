package gate_test

import (
	"context"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// greet is a tool that says hello.
type greet struct{}

func (greet) Spec() tool.Spec { return tool.Spec{Name: "greet"} }

func (greet) Run(_ context.Context, c tool.Call) (tool.Result, error) {
	return tool.Result{Text: "hello with " + string(c.Args)}, nil
}

// A manager over the memory store, a gate for an agent, and a tool behind it:
// the tool runs after the handler has cleared the call.
func Example() {
	ctx := context.Background()
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	log := session.NewMemory(b)
	rows := approval.NewMemory(b, log)
	manager := gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{})

	gate := manager.Agent("demo", gate.AgentOptions{Handler: approval.HandlerFunc(
		func(_ context.Context, r approval.Request) (approval.Response, error) {
			fmt.Println("asked about", r.ToolName, string(r.Args))
			return approval.Response{Status: approval.Approved}, nil
		})})
	gated, err := gate.Guard(greet{}, approval.Terms{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := log.Create(ctx, session.Session{AgentID: "demo"})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := gated.Run(ctx, tool.Call{ID: "call-1", SessionID: s.ID, Tool: "greet", Args: tool.JSON(`{"to":"ada"}`)})
	fmt.Println(r.Text, err)
	// Output:
	// asked about greet {"to":"ada"}
	// hello with {"to":"ada"} <nil>
}
