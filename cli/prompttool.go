package cli

import (
	"context"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/tool"
)

func promptToolCommand() *cobra.Command {
	o := &remote{}
	var q client.Question
	c := &cobra.Command{
		Use: "prompt-tool", Args: cobra.NoArgs,
		Short: "Be the permission prompt tool of Claude Code: an MCP server with one tool, approve.",
		Long: "Be the permission prompt tool of Claude Code (claude -p --permission-prompt-tool): an MCP server on stdin and stdout with one tool, approve, which asks a\n" +
			"running gateway. Claude Code calls it for what its settings neither allow nor deny. gateway host claude asks about every call.",
		Example: `  claude -p --mcp-config '{"mcpServers":{"lineclear":{"command":"gateway","args":["prompt-tool"]}}}' --permission-prompt-tool mcp__lineclear__approve 'Fix the test'`,
		RunE: func(c *cobra.Command, _ []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			if err := hook.Harmless(c.Context(), gateway); err != nil {
				return err
			}
			folder, err := os.Getwd()
			if err != nil {
				return err
			}
			agent, _ := hook.Of("claude-code")
			call := hook.Call{Session: "prompt-tool " + uuid.NewString(), Directory: folder}
			s := mcp.NewServer(&mcp.Implementation{Name: "lineclear", Version: "1"}, nil)
			s.AddTool(&mcp.Tool{Name: "approve", Description: "Asks a person whether a tool call may run.", InputSchema: promptSchema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				text, err := json.Marshal(prompted(ctx, agent, gateway, q, call, r.Params.Arguments), json.Deterministic(true))
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, err
			})
			return s.Run(c.Context(), &mcp.StdioTransport{})
		},
	}
	o.flags(c)
	c.Flags().StringVar(&q.AgentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	completeFlag(c, "agent", agentNames, o)
	return c
}

var promptSchema = map[string]any{
	"type": "object", "required": []string{"tool_name", "input"},
	"properties": map[string]any{"tool_name": map[string]string{"type": "string"}, "input": map[string]string{"type": "object"}, "tool_use_id": map[string]string{"type": "string"}},
}

// promptAnswer is what Claude Code takes as an answer.
type promptAnswer struct {
	Behavior string    `json:"behavior"`
	Input    tool.JSON `json:"updatedInput,omitzero"`
	Message  string    `json:"message,omitempty"`
}

// prompted asks about the call that the arguments describe. Every error is a denial.
func prompted(ctx context.Context, a hook.Agent, gateway *client.Client, q client.Question, call hook.Call, args []byte) promptAnswer {
	var in struct {
		Tool  string    `json:"tool_name"`
		Input tool.JSON `json:"input"`
		ID    string    `json:"tool_use_id"`
	}
	err := json.Unmarshal(args, &in)
	var o hook.Outcome
	if err == nil {
		call.ID, call.Tool, call.Args = in.ID, in.Tool, in.Input
		o, err = a.Clear(ctx, gateway, q, call)
	}
	switch {
	case err != nil:
		return promptAnswer{Behavior: "deny", Message: "Blocked: " + tool.Words(err)}
	case !o.Approved:
		return promptAnswer{Behavior: "deny", Message: o.Reason}
	case len(o.Changed) > 0:
		return promptAnswer{Behavior: "allow", Input: o.Changed}
	}
	return promptAnswer{Behavior: "allow", Input: in.Input}
}
