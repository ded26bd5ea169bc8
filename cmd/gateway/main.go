// Command gateway is Lineclear: an approval gateway for AI agents. It wires
// the packages of this module together; `gateway help` lists its verbs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "gateway: "+err.Error())
		os.Exit(1)
	}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "gateway",
		Short: "An approval gateway for AI agents: a risky tool call waits until a person clears it.",
		// A fault of the work is no fault of the command line.
		SilenceUsage: true, SilenceErrors: true,
	}
	c.AddCommand(serveCommand(), validateCommand(), versionCommand())
	return c
}

// configFlag adds --config.
func configFlag(c *cobra.Command, path *string) {
	c.Flags().StringVarP(path, "config", "c", "agents.yaml", "the configuration file")
}
