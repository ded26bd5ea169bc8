package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/session"
)

func nodesCommand() *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "nodes", Args: cobra.NoArgs,
		Short: "List the gateways of a cluster: which of them work, in how many sessions, and how far behind they are.",
		Long: "List the gateways of a cluster, the one that has worked for the longest first: which of them work, and which answers,\n" +
			"in how many sessions with an open turn, how many commits they have not taken in yet, and their last sign of life.",
		RunE: func(c *cobra.Command, _ []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			nodes, err := gateway.Nodes(c.Context())
			if err != nil {
				return err
			}
			return o.print(c, pageOf(nodes), func(w io.Writer) error { return listNodes(w, nodes) })
		},
	}
	o.remote.flags(c)
	o.printer.flag(c, "")
	return c
}

func listNodes(w io.Writer, nodes []session.Node) error {
	if len(nodes) == 0 {
		_, err := fmt.Fprintln(w, "This gateway is the only one: there is no cluster.")
		return err
	}
	t := table(w, "GATEWAY", "STATE", "SINCE", "SESSIONS", "BEHIND", "LAST SIGN OF LIFE", "VERSION")
	for _, n := range nodes {
		name, sessions, behind := n.Name, strconv.Itoa(n.Sessions), strconv.FormatInt(n.Behind, 10)
		if n.Here {
			name += " (answers)"
		}
		if n.State != session.NodeWorks {
			sessions, behind = "-", "-"
		}
		addRow(t, name, nodeState(n.State), local(n.Since), sessions, behind, span(time.Duration(n.Silent)*time.Second)+" ago", cmp.Or(n.Version, "-"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range nodes {
		for _, d := range n.Differs {
			if _, err := fmt.Fprintf(w, "%s: its file says something else about %s (%s) than what counts (%s): nothing runs there for it.\n", n.Name, d.AgentID, d.Digest, d.Counts); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodeState is a state in words; one of a newer gateway as it is.
func nodeState(s session.NodeState) string {
	if s == session.NodeStandsBy {
		return "stands by"
	}
	return string(s)
}
