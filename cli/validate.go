package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

func validateCommand() *cobra.Command {
	var path string
	var schema, connected bool
	c := &cobra.Command{
		Use: "validate", Args: cobra.NoArgs,
		Short: "Check the configuration file and print all its faults at once.",
		RunE: func(c *cobra.Command, _ []string) error {
			if schema {
				raw, err := config.Schema()
				if err != nil {
					return err
				}
				_, err = c.OutOrStdout().Write(raw)
				return err
			}
			loaded, err := config.Load(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s is valid.\n", path)
			for _, a := range loaded.Agents {
				fmt.Fprintf(c.OutOrStdout(), "  agent %s: model %s, mode %s, %d tools, %d MCP servers, works in %s\n",
					a.ID, a.Model.Name, a.Mode, len(a.Tools), len(a.MCP), a.WorkingDirectory)
			}
			said := map[string]bool{}
			for _, a := range loaded.Agents {
				if a.Mode == approval.AutoApprove {
					fmt.Fprintf(c.OutOrStdout(), "  agent %s: %s\n", a.ID, gateway.AutoApproves)
				}
				for _, r := range a.Rules.Rules {
					if note := r.Note(); note != "" && !said[note] {
						said[note] = true
						fmt.Fprintln(c.OutOrStdout(), "  "+note)
					}
				}
			}
			if loaded.Gateway.LocalKey == config.LocalKeyAnswers {
				fmt.Fprintln(c.OutOrStdout(), "  "+gateway.LocalKeyAnswers)
			}
			if err := gateway.Resolve(&loaded.Gateway); err != nil {
				return err
			}
			if err := gateway.CheckSeparate(loaded, zap.NewNop()); err != nil {
				return err
			}
			if err := sayConfined(c.Context(), c.OutOrStdout(), loaded); err != nil {
				return err
			}
			if connected {
				return connect(c.Context(), c.OutOrStdout(), loaded)
			}
			return nil
		},
	}
	configFlag(c, &path)
	c.Flags().BoolVar(&schema, "schema", false, "print the file's JSON Schema, for editors, and do nothing else")
	c.Flags().BoolVar(&connected, "connect", false, "reach the models and MCP servers as well, and say what was found")
	return c
}
