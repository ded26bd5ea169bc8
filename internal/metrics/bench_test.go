package metrics_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// What a request costs on its way over the bus for being counted.
func BenchmarkARequestIsCounted(b *testing.B) {
	m := metrics.New([]string{"demo"})
	on := bus.New([]bus.Named{session.Events, approval.Requests}, m.Inline()...)
	r := approval.Request{
		ApprovalID: "01a20000-0000-7000-8000-00000000000c", AgentID: "demo", Type: approval.ToolConfirmation, ToolName: "shell",
		Args: tool.JSON(`{"command":"git status && make test"}`), WorkingDirectory: "/srv/app", RequestedAt: noon(),
		Risk:   approval.Risk{Level: approval.RiskMedium, Reasons: []string{"writes files", "reaches the network"}},
		Policy: approval.PolicyReason{Rule: "ask", Trace: []string{"no deny rule matched", "tools: shell asks"}},
	}
	asked, err := json.Marshal(r)
	if err != nil {
		b.Fatal(err)
	}
	answered, err := json.Marshal(approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved, At: noon()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		session.Events.Publish(on, session.Event{Type: session.TypeApprovalRequested, Data: asked})
		approval.Requests.Publish(on, r)
		session.Events.Publish(on, session.Event{Type: session.TypeApprovalResolved, Data: answered})
	}
}
