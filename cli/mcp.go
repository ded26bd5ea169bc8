package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/internal/process"
	"github.com/lineclear/lineclear/mcpgate"
	"github.com/lineclear/lineclear/tool/mcp"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// mcpMark marks what is started for a server, so that all of it is ended.
const mcpMark = "LINECLEAR_MCP_SERVER"

type gating struct {
	remote
	options mcpgate.Options
}

func mcpCommand() *cobra.Command {
	o := &gating{}
	c := &cobra.Command{
		Use: "mcp [--agent NAME] [--name SERVER] -- COMMAND ARGS…", Args: cobra.MinimumNArgs(1),
		Short: "Start an MCP server for an MCP client, and ask about the client's tool calls before they run.",
		Long: "Start an MCP server on stdin and stdout, and stand between it and the client that has started this program. The client's tool calls, and the server's\n" +
			"requests to the client's model, are asked at a running gateway; everything else passes unchanged. Once this program is gone, no further call runs; if it is killed, so is\n" +
			"the server on Linux, and elsewhere a busy server ends after its call.\n" +
			"A client that asks for progress hears every few seconds that its call waits. Another is answered after --answer-within that the approval is pending,\n" +
			"and gets the decision when it calls again with the same arguments. docs/mcp.md says how clients are pointed at it.",
		Example: "  gateway mcp -- npx -y @modelcontextprotocol/server-filesystem ~/notes\n  gateway mcp --agent desk --name notes -- notes-server",
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.flags(c)
	c.Flags().StringVar(&o.options.AgentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	completeFlag(c, "agent", agentNames, o)
	c.Flags().StringVar(&o.options.Server, "name", "", "the server's name: its tools are asked about as NAME__TOOL (default: made from COMMAND)")
	c.Flags().DurationVar(&o.options.AnswerWithin, "answer-within", mcpgate.AnswerWithin, "how long a client waits that asks for no progress; shorter than its own limit")
	c.Flags().DurationVar(&o.options.KeepFor, "keep", mcpgate.KeepFor, "how long a decision is kept for a client that has to call again")
	c.AddCommand(mcpLoginCommand(), mcpLogoutCommand())
	c.Flags().DurationVar(&o.options.Expires, "expires", 0, "how long a call waits at most; the policy's own limit holds all the same")
	return c
}

func (o *gating) run(c *cobra.Command, command []string) (err error) {
	ours := mcpgate.NewStdio(c.InOrStdin(), os.Stdout)
	defer ours.Close()
	if err := o.check(c.Context(), command); err != nil {
		return errors.Join(err, mcpgate.Refuse(c.Context(), ours, err)) // most clients show the answer, and not stderr
	}
	server := transport.NewStdio(transport.Program{
		Command: command, Directory: o.options.Folder, Environ: withoutAccess(os.Environ()),
		Family: process.Family{Mark: process.Mark{Name: mcpMark, Value: rand.Text()}},
	}, func(_, text string) { fmt.Fprintln(c.ErrOrStderr(), text) })
	o.options.Note = func(text string) { fmt.Fprintln(c.ErrOrStderr(), "gateway mcp: "+text) }
	theirs, err := server.Raw(c.Context())
	if err != nil {
		err = fmt.Errorf("the MCP server can't be started: %w", err)
		return errors.Join(err, mcpgate.Refuse(c.Context(), ours, err))
	}
	defer server.Shutdown(func() {})
	err = mcpgate.New(o.options, ours, theirs).Run(c.Context())
	if errors.Is(err, mcpgate.ErrClientEnded) {
		return nil
	}
	return err
}

// check fills in the options, and says what is missing before anything is started.
func (o *gating) check(ctx context.Context, command []string) (err error) {
	if o.options.Server == "" {
		o.options.Server = serverNameOf(command)
	}
	if err := mcp.CheckName(o.options.Server); err != nil {
		return usage("--name %q: %s", o.options.Server, err)
	}
	for _, limit := range []time.Duration{o.options.AnswerWithin, o.options.KeepFor} {
		if limit <= 0 {
			return usage("--answer-within and --keep have to be longer than 0s")
		}
	}
	if o.options.Folder, err = os.Getwd(); err != nil {
		return err
	}
	if o.options.Gateway, err = o.client(); err != nil {
		return err
	}
	return hook.Harmless(ctx, o.options.Gateway)
}

// withoutAccess is an environment without what leads to the gateway: a server has no use for it.
func withoutAccess(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "LINECLEAR_TOKEN=") || strings.HasPrefix(entry, "LINECLEAR_URL=")
	})
}

var (
	runners  = []string{"npx", "bunx", "uvx", "uv", "node", "python", "python3", "deno", "bun", "docker"}
	versions = regexp.MustCompile(`@[^/@]*$`)
	notNames = regexp.MustCompile(`[^a-z0-9-]+`)
)

// serverNameOf makes a server's name from its command line: of npx -y @scope/server-files@1
// it is server-files.
func serverNameOf(command []string) string {
	name := command[0]
	if slices.Contains(runners, filepath.Base(name)) {
		for _, arg := range command[1:] {
			if !strings.HasPrefix(arg, "-") && arg != "run" && arg != "exec" {
				name = arg
				break
			}
		}
	}
	name = versions.ReplaceAllString(filepath.Base(name), "")
	for _, suffix := range []string{".js", ".mjs", ".py", ".ts", ".exe"} {
		name = strings.TrimSuffix(name, suffix)
	}
	name = notNames.ReplaceAllString(strings.ToLower(name), "_")
	name = strings.TrimLeft(name, "0123456789_-")
	return cmp.Or(strings.TrimRight(name[:min(len(name), 32)], "_"), "server")
}
