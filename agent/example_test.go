package agent_test

import (
	"context"
	"fmt"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
)

// An agent in a program of your own: no server, everything in memory, and a
// plain function that is asked.
func Example() {
	ctx := context.Background()
	a, err := agent.New(agent.Config{
		ID:    "demo",
		Model: asks(`{"text":"buy milk"}`, `{"text":"sell the house"}`),
		Tools: []agent.Tool{{Tool: &note{}}},
	}, agent.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a.SetApprovalHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		if string(r.Args) == `{"text":"buy milk"}` {
			return approval.Response{Status: approval.Approved}, nil
		}
		return approval.Response{Status: approval.Denied, Message: "keep it", By: approval.By{Subject: "ada"}}, nil
	}))
	if err := a.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	defer a.Stop(0)
	words, err := a.Run(ctx, "", "do the chores")
	fmt.Println(words, err)
	// Output: noted buy milk | Denied by ada: keep it. Do not repeat the call unchanged. <nil>
}

// A manual agent that could ask nobody does not start.
func ExampleAgent_Start() {
	a, err := agent.New(agent.Config{ID: "demo", Model: asks()}, agent.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Start(context.Background()))
	// Output: agent demo: gate: mode is manual, but no approval handler is set: either set the mode to auto-approve or auto-deny, or call SetApprovalHandler before Start
}
