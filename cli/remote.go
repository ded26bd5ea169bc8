package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

// remote is how a verb reaches a running gateway: by LINECLEAR_URL and
// LINECLEAR_TOKEN, or by its data folder on this machine.
type remote struct{ location }

// client is for looking, talking and asking; userClient is for answering and managing.
func (r *remote) client() (*client.Client, error) {
	if address := os.Getenv("LINECLEAR_URL"); address != "" {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usage("LINECLEAR_URL: want an address such as https://gate.example.com, not %q", address)
		}
		return client.New(address, os.Getenv("LINECLEAR_TOKEN")), nil
	}
	data, err := r.running()
	if err != nil {
		return nil, err
	}
	local, err := client.Local(data)
	if token := os.Getenv("LINECLEAR_TOKEN"); token != "" && err == nil {
		return local.As(token), nil // and not as the gateway's user
	}
	return local, err
}

// running is the data folder of the gateway that is meant: the one that is named, and otherwise
// the only one that runs on this machine as this user.
func (r *remote) running() (string, error) {
	if r.named() {
		data, _, err := r.paths()
		return data, err
	}
	folders, err := client.Running()
	switch {
	case err != nil:
		return "", err
	case len(folders) == 0:
		return "", fmt.Errorf("no gateway is running on this machine as this user, and there is no %s here: write a first one with gateway init, start it with gateway serve, or name yours with --config, --data or LINECLEAR_URL", defaultConfig)
	case len(folders) > 1:
		return "", usage("several gateways run on this machine: name one with --data:\n  %s", strings.Join(folders, "\n  "))
	}
	return folders[0], nil
}

func modesCommand() *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "modes", Args: cobra.NoArgs,
		Short: "List the modes of a running gateway's agents; modes set changes one.",
		RunE: func(c *cobra.Command, _ []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			agents, err := gateway.Agents(c.Context())
			if err != nil {
				return err
			}
			return o.print(c, pageOf(agents), func(w io.Writer) error {
				t := table(w, "AGENT", "MODE", "VERSION", "SET BY")
				for _, a := range agents {
					addRow(t, a.AgentID, string(a.Mode), fmt.Sprint(a.ModeVersion), cmp.Or(a.ModeSetBy, "configuration"))
				}
				return t.Flush()
			})
		},
	}
	o.flags(c)
	c.AddCommand(setModeCommand(o))
	return c
}

func setModeCommand(o *output) *cobra.Command {
	seen := int64(-1)
	c := &cobra.Command{
		Use: "set AGENT manual|auto-approve|auto-deny", Args: cobra.ExactArgs(2),
		Short: "Set an agent's mode. It is refused if somebody has set it since it was seen.",
		RunE: func(c *cobra.Command, args []string) error {
			gateway, err := o.userClient(c.Context())
			if err != nil {
				return err
			}
			version := seen
			if !c.Flags().Changed("seen") {
				if version, err = versionOf(c, gateway, args[0]); err != nil {
					return err
				}
			}
			set, err := gateway.SetMode(c.Context(), args[0], approval.Mode(args[1]), version)
			if err != nil {
				return withMode(err)
			}
			return o.print(c, set, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s is %s now (version %d).\n", set.AgentID, set.Mode, set.Version)
				return err
			})
		},
	}
	c.ValidArgsFunction = complete(o, agentNames, fixed(approval.Manual, approval.AutoApprove, approval.AutoDeny))
	c.Flags().Int64Var(&seen, "seen", -1, "the version at which the mode was seen; left out, the newest is taken")
	return c
}

func versionOf(c *cobra.Command, gateway *client.Client, agentID string) (int64, error) {
	agents, err := gateway.Agents(c.Context())
	if err != nil {
		return 0, err
	}
	var names []string
	for _, a := range agents {
		if a.AgentID == agentID {
			return a.ModeVersion, nil
		}
		names = append(names, a.AgentID)
	}
	return 0, &exit{exitUnknown, fmt.Errorf("there is no agent %q; there are: %s", agentID, strings.Join(names, ", "))}
}

// withMode adds to a conflict what the mode is.
func withMode(err error) error {
	var p *client.Problem
	if errors.As(err, &p) && p.Mode != nil {
		return fmt.Errorf("%w: it is %s at version %d", err, p.Mode.Mode, p.Mode.Version)
	}
	return err
}

func grantsCommand() *cobra.Command {
	o := &output{}
	var session string
	var all bool
	c := &cobra.Command{
		Use: "grants", Args: cobra.NoArgs,
		Short: "List what a running gateway remembers as allowed; grants revoke takes it back.",
		RunE: func(c *cobra.Command, _ []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			grants, err := gateway.Grants(c.Context(), session, all)
			if err != nil {
				return err
			}
			return o.print(c, pageOf(grants), func(w io.Writer) error { return grantTable(w, grants) })
		},
	}
	o.flags(c)
	c.Flags().StringVar(&session, "session", "", "only those of this session")
	completeFlag(c, "session", sessionIDs, o)
	c.Flags().BoolVar(&all, "all", false, "also those that have ended")
	c.AddCommand(&cobra.Command{
		Use: "revoke GRANT", Args: cobra.ExactArgs(1), ValidArgsFunction: complete(o, grantIDs),
		Short: "End a grant. What it cleared and has not been started is asked again.",
		RunE: func(c *cobra.Command, args []string) error {
			gateway, err := o.userClient(c.Context())
			if err != nil {
				return err
			}
			g, err := gateway.Revoke(c.Context(), args[0])
			if err != nil {
				return err
			}
			return o.print(c, g, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s of %s: %s.\n", oneLine(g.Words()), g.AgentID, state(g))
				return err
			})
		},
	})
	return c
}

func grantTable(w io.Writer, grants []approval.Grant) error {
	if len(grants) == 0 {
		_, err := fmt.Fprintln(w, "No grants.")
		return err
	}
	t := table(w, "GRANT", "AGENT", "TOOL", "COVERS", "USES", "GIVEN BY", "STATE")
	for _, g := range grants {
		uses := fmt.Sprint(g.Uses)
		if g.MaxUses > 0 {
			uses = fmt.Sprintf("%d of %d", g.Uses, g.MaxUses)
		}
		addRow(t, g.ID, g.AgentID, g.ToolName, g.Words(), uses, g.GivenBy.Subject, state(g))
	}
	return t.Flush()
}

// state says in words whether a grant holds.
func state(g approval.Grant) string {
	switch {
	case g.Ended.Reason != "":
		return strings.ReplaceAll(string(g.Ended.Reason), "_", " ")
	case g.Standing:
		return "in every session until " + local(g.ExpiresAt)
	case !g.ExpiresAt.IsZero():
		return "until " + local(g.ExpiresAt)
	default:
		return "for the session"
	}
}
