package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
)

func hookCommand() *cobra.Command {
	o := &hooking{}
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
				return &exit{exitUsage, fmt.Errorf("blocked: %s", words(err))}
			}
			return err
		},
	}
	o.flags(c)
	c.Flags().StringVar(&o.access, "access", "", "the file by which programs of this user find the local gateway; with it, or with --data or --config, no variable of the environment decides")
	c.Flags().StringVar(&agentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	completeFlag(c, "agent", agentNames, o)
	c.Flags().DurationVar(&within, "expires", 10*time.Minute, "how long to wait at most; the agent's own limit has to be longer")
	return c
}

// hooking finds the hook's gateway. The agent that is judged can influence the environment, so flags
// take precedence over it.
type hooking struct {
	remote
	access string
}

func (h *hooking) gateway(c *cobra.Command) (*client.Client, error) {
	switch {
	case c.Flags().Changed("access"):
		return client.LocalAt(h.access)
	case c.Flags().Changed("data") || c.Flags().Changed("config"):
		data, _, err := h.paths()
		if err != nil {
			return nil, err
		}
		return client.Local(data)
	}
	return h.client()
}

// answerHook reads what the agent wrote, and answers it or reports the result. ran says
// that the call has run already, so that no error can block it.
func (h *hooking) answerHook(c *cobra.Command, name string, q client.Question) (ran bool, err error) {
	a, known := hook.Of(name)
	if !known {
		return false, fmt.Errorf("there is no agent %q; there are: %s", name, strings.Join(hook.Names(), ", "))
	}
	raw, err := io.ReadAll(io.LimitReader(c.InOrStdin(), hook.MaxInput))
	if err != nil {
		return false, err
	}
	gateway, err := h.gateway(c)
	if err != nil {
		return false, err
	}
	answer, call, err := a.Respond(c.Context(), gateway, q, raw)
	if err == nil && len(answer) > 0 {
		_, err = c.OutOrStdout().Write(answer) // in one write
	}
	return call.After, err
}
