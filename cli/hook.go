package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
)

func hookCommand() *cobra.Command {
	o := &remote{}
	var agentID string
	var within time.Duration
	c := &cobra.Command{
		Use: "hook AGENT", Args: cobra.ExactArgs(1), ValidArgs: hook.Names(),
		Short: "Ask about a tool call for a coding agent that runs this before it: " + strings.Join(hook.Names(), ", ") + ".",
		Long: "Ask a running gateway about the tool call that a coding agent describes on stdin, wait for the answer, and print it as the agent wants it. Set it as the\n" +
			"agent's hook before tool calls, and on those after it to report their results. On any failure it ends with 2 and says why on stderr, which blocks the\n" +
			"call; docs/agents.md has the line to configure, since a hook that is killed or missing does not block. Agents: " + strings.Join(hook.Names(), ", ") + ".",
		Example: "  gateway hook claude-code < input.json",
		RunE: func(c *cobra.Command, args []string) error {
			ran, err := o.answerHook(c, args[0], client.Question{AgentID: agentID, ExpiresIn: within.String()})
			if err != nil && !ran {
				// Not wrapped: an interruption would end without words.
				return &exit{exitUsage, fmt.Errorf("blocked: %s", err)}
			}
			return err
		},
	}
	o.flags(c)
	c.Flags().StringVar(&agentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	c.Flags().DurationVar(&within, "expires", 10*time.Minute, "how long to wait at most; the agent's own limit has to be longer")
	return c
}

// answerHook reads what the agent wrote, and answers it or reports the result. ran says
// that the call has run already, so that no error can block it.
func (o *remote) answerHook(c *cobra.Command, name string, q client.Question) (ran bool, err error) {
	a, known := hook.Of(name)
	if !known {
		return false, fmt.Errorf("there is no agent %q; there are: %s", name, strings.Join(hook.Names(), ", "))
	}
	raw, err := io.ReadAll(io.LimitReader(c.InOrStdin(), hook.MaxInput))
	if err != nil {
		return false, err
	}
	call, err := a.Read(raw)
	if err != nil {
		return false, err
	}
	gateway, err := o.client()
	if err != nil {
		return false, err
	}
	if call.After {
		return true, reportCall(c.Context(), gateway, call)
	}
	outcome, err := clearCall(c.Context(), gateway, a, call, q)
	if err != nil {
		return false, err
	}
	answer, err := a.Answer(call, outcome)
	if err == nil {
		_, err = c.OutOrStdout().Write(answer)
	}
	return false, err
}

// clearCall asks about a call and takes the right to run it.
func clearCall(ctx context.Context, gateway *client.Client, a hook.Agent, call hook.Call, q client.Question) (hook.Outcome, error) {
	if call.Session != "" {
		run, err := gateway.BeginRun(ctx, client.RunOf{AgentID: q.AgentID, Client: a.Name, Name: call.Session, WorkingDirectory: call.Directory})
		if err != nil {
			return hook.Outcome{}, err
		}
		q.SessionID = run.ID
	}
	q.Client, q.ToolName, q.Args, q.WorkingDirectory = a.Name, call.Tool, call.Args, call.Directory
	q.Key, q.Editable = call.ID, !a.NoEdits
	if call.SubAgent != "" {
		q.Metadata = map[string]string{"sub-agent": call.SubAgent}
	}
	args, row, err := gateway.Clear(ctx, q)
	if refused, is := errors.AsType[*client.Refused](err); is {
		return hook.Outcome{Reason: refused.Error()}, nil
	}
	if err != nil {
		return hook.Outcome{}, err
	}
	by := ""
	if row.Response != nil {
		by = row.Response.By.Subject
	}
	return hook.Approved(call, args, by)
}

// reportCall reports the result of a call that this hook has cleared, where the agent names
// its calls.
func reportCall(ctx context.Context, gateway *client.Client, call hook.Call) error {
	if call.ID == "" {
		return nil
	}
	rows, err := gateway.Asked(ctx, call.ID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Run == approval.RunClaimed && row.Origin.Run == call.Session && row.ToolName == call.Tool {
			_, err := gateway.Report(ctx, row.ApprovalID, call.Result)
			return err
		}
	}
	return nil
}
