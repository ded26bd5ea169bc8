package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

func observedCommand() *cobra.Command {
	o := &output{}
	var days int
	c := &cobra.Command{
		Use: "observed", Args: cobra.NoArgs,
		Short: "Say what would have been asked of the agents that a running gateway observes (observeUntil).",
		RunE: func(c *cobra.Command, _ []string) error {
			if days < 1 {
				return usage("--days: want 1 or more")
			}
			gateway, err := o.client()
			if err != nil {
				return err
			}
			agents, err := gateway.Observed(c.Context(), time.Now().AddDate(0, 0, -days))
			if err != nil {
				return err
			}
			return o.print(c, pageOf(agents), func(w io.Writer) error {
				if len(agents) == 0 {
					fmt.Fprintf(w, "No call has run in the last %d days because its agent is observed.\n", days)
				}
				for _, a := range agents {
					fmt.Fprintf(w, "%s: would have asked %d; denied %d\n", oneLine(a.AgentID), a.WouldAsk, a.Denied)
				}
				return nil
			})
		},
	}
	o.flags(c)
	c.Flags().IntVar(&days, "days", 14, "how far back")
	return c
}
