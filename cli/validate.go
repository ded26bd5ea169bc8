package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

// valid is what validate has found in a file without faults.
type valid struct {
	File   string       `json:"file"`
	Agents []validAgent `json:"agents"`
	Notes  []string     `json:"notes"`             // what should be known of it
	Tried  []string     `json:"reached,omitempty"` // with --connect: models and servers
}

type validAgent struct {
	AgentID          string        `json:"agentId"`
	Model            string        `json:"model"`
	Mode             approval.Mode `json:"mode"`
	Tools            int           `json:"tools"`
	MCPServers       int           `json:"mcpServers"`
	WorkingDirectory string        `json:"workingDirectory"`
}

func validateCommand() *cobra.Command {
	var p location
	var o printer
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
			loaded, err := p.load()
			if err != nil {
				return err
			}
			found, err := validated(c, p.config, loaded)
			if err != nil {
				return err
			}
			var failure error
			if connected {
				found.Tried, failure = connect(c.Context(), loaded)
			}
			if err := o.print(c, found, found.words); err != nil {
				return err
			}
			return failure
		},
	}
	p.flags(c)
	o.flag(c, "")
	c.Flags().BoolVar(&schema, "schema", false, "print the file's JSON Schema, for editors, and do nothing else")
	c.Flags().BoolVar(&connected, "connect", false, "reach the models and MCP servers as well, and say what was found")
	return c
}

// validated checks what the file itself can't show, and gathers what should be known.
func validated(c *cobra.Command, path string, loaded *config.Config) (found valid, err error) {
	found.File = path
	for _, a := range loaded.Agents {
		found.Agents = append(found.Agents, validAgent{a.ID, a.Model.Name, a.Mode, len(a.Tools), len(a.MCP), a.WorkingDirectory})
	}
	said := map[string]bool{}
	for _, a := range loaded.Agents {
		if a.Mode == approval.AutoApprove {
			found.Notes = append(found.Notes, fmt.Sprintf("agent %s: %s", a.ID, gateway.AutoApproves))
		}
		for _, r := range a.Rules.Rules {
			if note := r.Note(); note != "" && !said[note] {
				said[note] = true
				found.Notes = append(found.Notes, note)
			}
		}
	}
	if loaded.Gateway.LocalKey == config.LocalKeyAnswers {
		found.Notes = append(found.Notes, gateway.LocalKeyAnswers)
	}
	if err := gateway.Check(loaded, "", zap.NewNop()); err != nil {
		return found, err
	}
	sandboxes, err := confined(c.Context(), loaded)
	found.Notes = append(found.Notes, sandboxes...)
	return found, err
}

func (v valid) words(w io.Writer) error {
	fmt.Fprintf(w, "%s is valid.\n", v.File)
	for _, a := range v.Agents {
		fmt.Fprintf(w, "  agent %s: model %s, mode %s, %d tools, %d MCP servers, works in %s\n", a.AgentID, a.Model, a.Mode, a.Tools, a.MCPServers, a.WorkingDirectory)
	}
	for _, line := range append(v.Notes, v.Tried...) {
		fmt.Fprintln(w, "  "+oneLine(line))
	}
	return nil
}
