package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestThePromptToolAnswersAsClaudeCodeWantsIt(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strict)
	c := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, nil)
	s, err := c.Connect(t.Context(), &mcp.CommandTransport{Command: p.command("prompt-tool")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	answered := func(id, command, answer string) (got struct {
		Behavior string            `json:"behavior"`
		Input    map[string]string `json:"updatedInput"`
		Message  string            `json:"message"`
	}) {
		over := make(chan error, 1)
		var result *mcp.CallToolResult
		go func() {
			var err error
			args := map[string]any{"tool_name": "Bash", "input": map[string]any{"command": command}, "tool_use_id": id}
			result, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "approve", Arguments: args})
			over <- err
		}()
		if answer != "" {
			var waits string
			p.until("it asks", func() bool { waits = strings.Join(p.waiting(), ""); return waits != "" })
			p.post("/api/approvals/"+waits, json.RawMessage(answer), new(map[string]any))
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := answered("toolu_1", "make", `{"status":"approved"}`); got.Behavior != "allow" || got.Input["command"] != "make" {
		t.Errorf("approved: %+v", got)
	}
	if got := answered("toolu_2", "make", `{"status":"approved","edit":{"command":"make -n"}}`); got.Behavior != "allow" || got.Input["command"] != "make -n" {
		t.Errorf("changed: %+v", got)
	}
	if got := answered("toolu_3", "make", `{"status":"denied","message":"not today"}`); got.Behavior != "deny" || !strings.Contains(got.Message, "not today") {
		t.Errorf("denied: %+v", got)
	}
	if got := answered("toolu_4", "rm x", ""); got.Behavior != "deny" || !strings.Contains(got.Message, "nothing is deleted") {
		t.Errorf("denied by a rule: %+v", got)
	}
	if got := answered("toolu_1", "make", `{"status":"denied"}`); got.Behavior != "deny" {
		t.Errorf("the same id again: %+v", got)
	}
	_ = p.end(syscall.SIGKILL)
	if got := answered("toolu_5", "make", ""); got.Behavior != "deny" || !strings.HasPrefix(got.Message, "Blocked: ") {
		t.Errorf("without a gateway: %+v", got)
	}
}
