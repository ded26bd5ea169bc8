package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/internal/mask"
)

// Main runs the program with the arguments it was started with, and returns its exit
// code. The verbs are given writers that let no control sequence through: much of what
// they print was written by others.
func Main() int {
	out, failures := mask.NewWriter(os.Stdout), mask.NewWriter(os.Stderr)
	c := Root()
	c.SetOut(out)
	c.SetErr(failures)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := execute(ctx, c)
	stop()
	if err != nil && err.Error() != "" && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(failures, wording(err))
	}
	code := exitCode(err)
	if errors.Join(out.Flush(), failures.Flush()) != nil && code == 0 {
		code = exitError
	}
	return code
}

// wording says which program speaks, except for the faults of a file: each of
// their lines begins with its place, as editors expect it.
func wording(err error) string {
	var faults config.Faults
	if errors.As(err, &faults) {
		return faults.Error()
	}
	return "gateway: " + words(err)
}

// words are an error's, without the program's name before them.
func words(err error) string {
	if isUnauthorized(err) {
		return "this login or token is not valid, or has expired: log in again with: gateway login\n" +
			"(a program needs a valid token in LINECLEAR_TOKEN)"
	}
	return err.Error()
}

// care is the group of the verbs that look after a gateway, and of those that every program has.
const care = "Care"

// Root is the command line.
func Root() *cobra.Command {
	c := &cobra.Command{
		Use:     "gateway",
		Short:   "An approval gateway for AI agents: a risky tool call waits until a person clears it.",
		Version: versionLine(),
		// A fault of the work is no fault of the command line.
		SilenceUsage: true, SilenceErrors: true,
	}
	c.SetVersionTemplate("{{.Version}}\n")
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Begin", []*cobra.Command{initCommand(), serveCommand(), validateCommand(), reloadCommand(), loginCommand(), logoutCommand()}},
		{"Talk and answer", []*cobra.Command{runCommand(), approvalsCommand(), sessionsCommand(), haltCommand()}},
		{"Rules and access", []*cobra.Command{policyCommand(), modesCommand(), grantsCommand(), tokensCommand(), loginsCommand(), linkCommand()}},
		{"Programs and coding agents", []*cobra.Command{
			askCommand(), hostCommand(), acpCommand(), mcpCommand(), hookCommand(), promptToolCommand(), installCommand(), uninstallCommand(),
		}},
		{care, []*cobra.Command{doctorCommand(), nodesCommand(), backupCommand(), restoreCommand(), migrateCommand(), dataCommand(), auditCommand(), versionCommand()}},
	} {
		c.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, verb := range g.verbs {
			verb.GroupID = g.title
			c.AddCommand(verb)
		}
	}
	c.SetHelpCommandGroupID(care)
	c.SetCompletionCommandGroupID(care)
	return c
}
