package transcript_test

import (
	"context"
	"fmt"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

// A chat client reads a session as messages, in which a request is a call of
// client.requestApproval, and answers that call with a tool message.
func Example() {
	ctx := context.Background()
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	log := session.NewMemory(b)
	rows := approval.NewMemory(b, log)
	manager := gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{})
	manager.Agent("demo", gate.AgentOptions{Handler: waits()})
	s, err := log.Create(ctx, session.Session{AgentID: "demo"})
	if err != nil {
		fmt.Println(err)
		return
	}
	program := auth.Identity{Subject: "deployer", Roles: []auth.Role{auth.Agent}}
	_, err = manager.Open(ctx, program, approval.Request{
		SessionID: s.ID, AgentID: "demo", ToolName: "deploy", Args: tool.JSON(`{"to":"staging"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	door := transcript.New(transcript.Backend{Approvals: manager, Sessions: log, Agents: listener{log}})
	messages := func() []transcript.Message {
		events, err := log.Events(ctx, s.ID, 0, 0)
		if err != nil {
			fmt.Println(err)
		}
		list, err := transcript.Messages(events)
		if err != nil {
			fmt.Println(err)
		}
		return list
	}
	asked := messages()[0].ToolCalls[0]
	fmt.Println(asked.Function.Name)

	answer, err := transcript.ToolAnswer{ToolCallID: asked.ID, Decision: "approve", Scope: "once"}.Message()
	if err != nil {
		fmt.Println(err)
		return
	}
	person := auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}}
	row, err := door.Post(ctx, person, "rest", s.ID, answer)
	fmt.Println(row.Status, "by", row.Response.By.Subject, err)
	fmt.Println(len(messages()))
	// Output:
	// client.requestApproval
	// approved by ada <nil>
	// 2
}
