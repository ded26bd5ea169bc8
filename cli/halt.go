package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

func haltCommand() *cobra.Command {
	o := &output{}
	var lift, show bool
	c := &cobra.Command{
		Use: "halt [AGENT]", Args: cobra.MaximumNArgs(1),
		Short: "Halt an agent of a running gateway, or all of them, until an admin lifts it.",
		Long: "Halt an agent of a running gateway, or, without a name, all of them: what waits is denied, and nothing more is\n" +
			"approved or run, also after a restart. Running calls go on. Whoever may ask or answer may halt; only an admin lifts a halt.\n\n" + exitHelp,
		Example: "  gateway halt\n  gateway halt demo\n  gateway halt --show\n  gateway halt --lift",
		RunE: func(c *cobra.Command, args []string) error {
			agentID := ""
			if len(args) > 0 {
				agentID = args[0]
			}
			if lift && show {
				return usage("--lift and --show: use one of them")
			}
			reach := o.client
			if lift {
				reach = func() (*client.Client, error) { return o.userClient(c.Context()) }
			}
			gateway, err := reach()
			if err != nil {
				return err
			}
			if show {
				halts, err := gateway.Halts(c.Context())
				if err != nil {
					return err
				}
				return o.print(c, pageOf(halts), func(w io.Writer) error { return listHalts(w, halts) })
			}
			set := gateway.Halt
			if lift {
				set = gateway.Lift
			}
			h, err := set(c.Context(), agentID)
			if err != nil {
				return err
			}
			return o.print(c, h, func(w io.Writer) error {
				if lift {
					_, err := fmt.Fprintf(w, "%s no longer halted.\n", haltedAgents(agentID))
					return err
				}
				_, err := fmt.Fprintf(w, "%s halted: nothing is approved or run until an admin lifts it with: gateway halt --lift%s\n",
					haltedAgents(agentID), spaced(agentID))
				return err
			})
		},
	}
	o.flags(c)
	c.Flags().BoolVar(&lift, "lift", false, "lift the halt")
	c.Flags().BoolVar(&show, "show", false, "list the halts that are on")
	c.ValidArgsFunction = complete(o, agentNames)
	return c
}

func listHalts(w io.Writer, halts []approval.Halt) error {
	if len(halts) == 0 {
		_, err := fmt.Fprintln(w, "Nothing is halted.")
		return err
	}
	t := table(w, "AGENT", "HALTED BY", "SINCE")
	for _, h := range halts {
		addRow(t, cmp.Or(h.AgentID, "all agents"), h.By.Subject, local(h.At))
	}
	return t.Flush()
}

func haltedAgents(agentID string) string {
	if agentID == "" {
		return "All agents are"
	}
	return oneLine(agentID) + " is"
}

func spaced(agentID string) string {
	if agentID == "" {
		return ""
	}
	return " " + oneLine(agentID)
}
