package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/host"
	"github.com/lineclear/lineclear/terminal"
)

// noteWidth is how much of a call a conversation shows.
const noteWidth = 160

// hosting is what the verbs that start an agent have in common.
type hosting struct {
	remote
	agentID string
	within  time.Duration
	print   string
}

func (o *hosting) flags(c *cobra.Command) {
	o.remote.flags(c)
	c.Flags().StringVar(&o.agentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	completeFlag(c, "agent", agentNames, o)
	c.Flags().DurationVar(&o.within, "expires", 0, "how long a call waits at most; the policy's own limit holds all the same")
	c.Flags().StringVarP(&o.print, "print", "p", "", "say this to the agent, print what it says, and end")
}

func hostCommand() *cobra.Command {
	o := &hosting{}
	c := &cobra.Command{
		Use: "host claude|codex [-- ARGS…]", Args: cobra.MinimumNArgs(1), ValidArgs: []string{"claude", "codex"},
		Short: "Start Claude Code or Codex, and ask about its calls before they run.",
		Long: "Start Claude Code or Codex with ARGS and talk with it in this terminal. It asks a running gateway about its calls and waits for the answer; once this\n" +
			"program is gone it runs nothing more. Claude Code asks about every call, whatever its settings allow; Codex about every command and every change of a\n" +
			"file that its own rules don't allow. docs/agents.md says what each does without asking.",
		Example: "  gateway host claude\n  gateway host codex --print 'Fix the failing test' -- -c model=gpt-5",
		RunE: func(c *cobra.Command, args []string) error {
			switch h := (host.Host{Command: args}); args[0] {
			case "claude":
				h.Agent, _ = hook.Of("claude-code")
				return o.run(c, h, host.Host.Claude)
			case "codex":
				h.Agent = hook.Agent{Name: "codex", NoEdits: true}
				return o.run(c, h, host.Host.Codex)
			}
			return usage("%s can't be started here: want claude or codex, or see: gateway acp --help", args[0])
		},
	}
	o.flags(c)
	return c
}

func acpCommand() *cobra.Command {
	o := &hosting{}
	c := &cobra.Command{
		Use: "acp -- AGENT ARGS…", Args: cobra.MinimumNArgs(1),
		Short: "Start an agent that speaks the Agent Client Protocol, and ask about its calls before they run.",
		Long: "Start an agent that speaks the Agent Client Protocol, such as opencode, Copilot CLI, Gemini CLI or Qwen Code. In a terminal, or with --print, talk with it\n" +
			"here. Otherwise stand between it and the editor that has started this program: what the agent asks the editor to approve, and the files and terminals that\n" +
			"it wants of the editor, are asked at a running gateway; everything else passes unchanged. Once this program is gone, nothing more runs.",
		Example: "  gateway acp -- opencode acp\n  gateway acp --print 'Fix the failing test' -- gemini --acp",
		RunE: func(c *cobra.Command, args []string) error {
			h := host.Host{Command: args, Agent: hook.Agent{Name: filepath.Base(args[0]), NoEdits: true}}
			if o.print == "" && !terminal.Interactive(os.Stdin) {
				return o.run(c, h, func(h host.Host, ctx context.Context) error { return h.ACP(ctx, c.InOrStdin(), os.Stdout) })
			}
			return o.run(c, h, host.Host.Converse)
		},
	}
	o.flags(c)
	return c
}

func (o *hosting) run(c *cobra.Command, h host.Host, start func(host.Host, context.Context) error) (err error) {
	h.Gateway, err = o.client()
	if err != nil {
		return err
	}
	if err := hook.Harmless(c.Context(), h.Gateway); err != nil {
		return err
	}
	if h.Folder, err = os.Getwd(); err != nil {
		return err
	}
	h.Question = client.Question{AgentID: o.agentID}
	if o.within > 0 {
		h.Question.ExpiresIn = o.within.String()
	}
	h.Agent.Host, h.Stderr = true, c.ErrOrStderr()
	said := &talk{print: o.print, in: c.InOrStdin(), out: c.OutOrStdout(), notes: c.ErrOrStderr()}
	h.Talk = said
	fmt.Fprintf(h.Stderr, "%s asks the gateway about its calls: answer in the dashboard, or with gateway approvals.\nWithout asking it %s.\n", h.Agent.Name, h.Unasked())
	if err := start(h, c.Context()); err != nil {
		return err
	}
	if o.print != "" && said.failed != "" {
		return errors.New(said.failed)
	}
	return nil
}

// talk is a conversation in a terminal, or about one thing.
type talk struct {
	print string
	in    io.Reader
	lines chan string
	out   io.Writer
	notes io.Writer

	failed string // why the last turn did
}

// Next implements host.Talk.
func (t *talk) Next(ctx context.Context) (string, error) {
	if t.lines == nil {
		t.lines = make(chan string)
		if t.print != "" {
			close(t.lines)
			return t.print, nil
		}
		go func() { // reading a terminal can't be ended
			defer close(t.lines)
			for lines := bufio.NewScanner(t.in); lines.Scan(); {
				t.lines <- lines.Text()
			}
		}()
	}
	for {
		if t.print == "" {
			fmt.Fprint(t.notes, "> ")
		}
		select {
		case line, more := <-t.lines:
			if !more {
				return "", io.EOF
			}
			if line != "" {
				return line, nil
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// Said implements host.Talk.
func (t *talk) Said(text string) { fmt.Fprint(t.out, text) }

// Note implements host.Talk.
func (t *talk) Note(line string) { fmt.Fprintln(t.notes, "·", cell(oneLine(line), noteWidth)) }

// Failed implements host.Talk.
func (t *talk) Failed(why string) {
	t.failed = oneLine(why)
	t.Note("failed: " + why)
}
