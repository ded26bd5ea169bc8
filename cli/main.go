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
	c.AddCommand(initCommand(), serveCommand(), validateCommand(), policyCommand(), runCommand(), askCommand(), hostCommand(), acpCommand(), mcpCommand(), hookCommand(), promptToolCommand(), installCommand(), uninstallCommand(), approvalsCommand(), sessionsCommand(), grantsCommand(), modesCommand(), haltCommand(), tokensCommand(), loginsCommand(), linkCommand(), loginCommand(), logoutCommand(), doctorCommand(), backupCommand(), restoreCommand(), dataCommand(), auditCommand(), versionCommand())
	return c
}
