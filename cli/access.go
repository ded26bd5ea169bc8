package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/terminal"
)

// accessFlags set the rights of a token or link.
type accessFlags struct {
	subject string
	roles   []string
	agents  []string
	expires time.Duration
}

func (f *accessFlags) flags(c *cobra.Command, o reacher) {
	c.Flags().StringSliceVar(&f.roles, "role", nil, "viewer, approver, operator, admin or agent; several are allowed")
	c.Flags().StringSliceVar(&f.agents, "agent", nil, "only for this agent; may be given several times; * for all")
	completeWords(c, "role", roles()...)
	completeFlag(c, "agent", agentNames, o)
}

func (f *accessFlags) access(name string) auth.Access {
	a := auth.Access{Name: name, Subject: f.subject, Roles: rolesOf(f.roles), Agents: auth.Scope(f.agents)}
	if f.expires > 0 {
		a.ExpiresAt = time.Now().Add(f.expires)
	}
	return a
}

func rolesOf(names []string) []auth.Role {
	roles := make([]auth.Role, len(names))
	for i, name := range names {
		roles[i] = auth.Role(name) // the gateway says which there are
	}
	return roles
}

func tokensCommand() *cobra.Command {
	c, o := listAccessCommand("tokens", "List the tokens with which programs and people come in; tokens create, set and revoke change them.",
		"No tokens.", (*client.Client).Tokens)
	c.AddCommand(createTokenCommand(o), setAccessCommand(o, "token", (*client.Client).Tokens, (*client.Client).ChangeToken),
		revokeAccessCommand(o, "token", (*client.Client).Tokens, (*client.Client).RevokeToken))
	return c
}

func loginsCommand() *cobra.Command {
	c, o := listAccessCommand("logins", "List the browsers that are logged in; logins set and revoke change them.",
		"Nobody is logged in.", (*client.Client).Logins)
	c.AddCommand(setAccessCommand(o, "login", (*client.Client).Logins, (*client.Client).ChangeLogin),
		revokeAccessCommand(o, "login", (*client.Client).Logins, (*client.Client).RevokeLogin))
	return c
}

func listAccessCommand(use, short, none string, list lister) (*cobra.Command, *output) {
	o := &output{}
	c := &cobra.Command{
		Use: use, Args: cobra.NoArgs, Short: short,
		RunE: func(c *cobra.Command, _ []string) error {
			_, all, err := o.listed(c, list)
			if err != nil {
				return err
			}
			return o.print(c, pageOf(all), func(w io.Writer) error { return printCredentials(w, all, none) })
		},
	}
	o.remote.flags(c)
	o.printer.flag(c, "")
	return c, o
}

func createTokenCommand(o *output) *cobra.Command {
	var f accessFlags
	c := &cobra.Command{
		Use: "create NAME --role ROLE", Args: cobra.ExactArgs(1),
		Short: "Make a token. It is printed this once, on standard output, and can't be had again.",
		RunE: func(c *cobra.Command, args []string) error {
			gateway, err := o.userClient(c.Context())
			if err != nil {
				return err
			}
			made, secret, err := gateway.NewToken(c.Context(), f.access(args[0]))
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(c.OutOrStdout(), map[string]any{"token": made, "secret": secret})
			}
			fmt.Fprintf(c.ErrOrStderr(), "The token %s (%s) of %s is, this once:\n", made.Name, made.ID, made.Subject)
			_, err = fmt.Fprintln(c.OutOrStdout(), secret)
			return err
		},
	}
	f.flags(c, o)
	c.Flags().StringVar(&f.subject, "subject", "", "as whom its bearer is known; the name where left out")
	c.Flags().DurationVar(&f.expires, "expires", 0, "how long it is good, such as 720h; left out, until it is revoked")
	return c
}

func linkCommand() *cobra.Command {
	var o output
	var f accessFlags
	var first bool
	c := &cobra.Command{
		Use: "link (NAME --role ROLE | --first)", Args: cobra.MaximumNArgs(1),
		Short: "Make a link that logs one person in to the dashboard, once.",
		Long: "Make a link that logs one person in to the dashboard, once. With --first it is for the first admin: it needs a terminal and\n" +
			"the user who owns the data folder, and works only while no admin is logged in.",
		RunE: func(c *cobra.Command, args []string) error {
			made, name, err := o.link(c, args, f, first)
			if err != nil {
				return err
			}
			return o.print(c, made, func(w io.Writer) error {
				fmt.Fprintf(c.ErrOrStderr(), "Good for one login as %s, until %s:\n", name, local(made.ExpiresAt))
				_, err := fmt.Fprintln(w, made.URL)
				return err
			})
		},
	}
	o.remote.flags(c)
	f.flags(c, &o)
	o.printer.flag(c, "; the link in it is as good as a password")
	c.Flags().BoolVar(&first, "first", false, "make the first admin's link, while no admin is logged in")
	return c
}

// link makes a login link, and returns whom it is for.
func (o *output) link(c *cobra.Command, args []string, f accessFlags, first bool) (made client.Link, name string, err error) {
	switch {
	case first && (len(args) > 0 || len(f.roles)+len(f.agents) > 0):
		return made, "", usage("--first takes no name, role or agent: it is for an admin")
	case first:
		made, err = o.firstLink(c)
		return made, gateway.Owner, err
	case len(args) == 0:
		return made, "", usage("say who it is for and add --role, or make the first admin's link with --first")
	}
	gateway, err := o.userClient(c.Context())
	if err == nil {
		made, err = gateway.NewLink(c.Context(), f.access(args[0]))
	}
	return made, args[0], err
}

func (o *output) firstLink(c *cobra.Command) (client.Link, error) {
	if !terminal.Interactive(os.Stdin) || !terminal.Interactive(terminal.FileOf(c.OutOrStdout())) {
		return client.Link{}, usage("--first needs a terminal: whoever reads the link can log in as admin")
	}
	data, err := o.running()
	if err != nil {
		return client.Link{}, err
	}
	info, err := os.Stat(data)
	if err != nil {
		return client.Link{}, fmt.Errorf("--first: %w", err)
	}
	if owned, ok := info.Sys().(*syscall.Stat_t); !ok || int(owned.Uid) != os.Geteuid() {
		return client.Link{}, fmt.Errorf("--first is for the user who owns %s: run it as that user", data)
	}
	gateway, err := client.Local(data)
	if err != nil {
		return client.Link{}, err
	}
	made, err := gateway.FirstLink(c.Context())
	var p *client.Problem
	if errors.As(err, &p) && p.Status == http.StatusConflict {
		err = fmt.Errorf("%w; if that login is lost, restart the gateway with --print-link, or wait until it expires", err)
	}
	return made, err
}

type (
	lister  func(*client.Client, context.Context) ([]auth.Credential, error)
	changer func(*client.Client, context.Context, string, auth.Change) (auth.Credential, error)
	ender   func(*client.Client, context.Context, string) (auth.Credential, error)
)

func setAccessCommand(o *output, what string, list lister, set changer) *cobra.Command {
	var f accessFlags
	c := &cobra.Command{
		Use: "set " + strings.ToUpper(what) + " [--role ROLE] [--agent AGENT]", Args: cobra.ExactArgs(1),
		Short: "Change what a " + what + " may. It takes effect at once: open connections reconnect with the new rights.",
		RunE: func(c *cobra.Command, args []string) error {
			return onAccess(c, o, list, args[0], func(gateway *client.Client, id string) (auth.Credential, error) {
				var change auth.Change
				if c.Flags().Changed("role") {
					roles := rolesOf(f.roles)
					change.Roles = &roles
				}
				if c.Flags().Changed("agent") {
					change.Agents = auth.Scope(f.agents)
				}
				return set(gateway, c.Context(), id, change)
			})
		},
	}
	f.flags(c, o)
	c.ValidArgsFunction = complete(o, credentialIDs(list))
	return c
}

func revokeAccessCommand(o *output, what string, list lister, end ender) *cobra.Command {
	return &cobra.Command{
		Use: "revoke " + strings.ToUpper(what), Args: cobra.ExactArgs(1), ValidArgsFunction: complete(o, credentialIDs(list)),
		Short: "End a " + what + " at once, with every connection that came in by it.",
		RunE: func(c *cobra.Command, args []string) error {
			return onAccess(c, o, list, args[0], func(gateway *client.Client, id string) (auth.Credential, error) {
				return end(gateway, c.Context(), id)
			})
		},
	}
}

// listed is a person's client, with the list that it is to work on.
func (o *output) listed(c *cobra.Command, list lister) (*client.Client, []auth.Credential, error) {
	gateway, err := o.userClient(c.Context())
	if err != nil {
		return nil, nil, err
	}
	all, err := list(gateway, c.Context())
	return gateway, all, err
}

// onAccess does something to the credential that has an id or a name, and prints
// what came of it.
func onAccess(c *cobra.Command, o *output, list lister, named string, do func(*client.Client, string) (auth.Credential, error)) error {
	gateway, all, err := o.listed(c, list)
	if err != nil {
		return err
	}
	fits := func(found auth.Credential) bool { return found.ID == named || found.Name == named && named != "" }
	all = slices.DeleteFunc(all, func(found auth.Credential) bool { return !fits(found) })
	switch len(all) {
	case 0:
		return &exit{exitUnknown, fmt.Errorf("there is no %s %q: %s lists them", strings.TrimSuffix(c.Parent().Name(), "s"), named, c.Parent().CommandPath())}
	case 1:
	default:
		var ids []string
		for _, found := range all {
			ids = append(ids, found.ID)
		}
		return usage("%s matches several: use the id:\n  %s", named, strings.Join(ids, "\n  "))
	}
	changed, err := do(gateway, all[0].ID)
	if err != nil {
		return err
	}
	return o.print(c, changed, func(w io.Writer) error { return printCredentials(w, []auth.Credential{changed}, "") })
}

func printCredentials(w io.Writer, list []auth.Credential, none string) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, none)
		return err
	}
	t := table(w, "ID", "NAME", "AS", "ROLES", "AGENTS", "MADE BY", "EXPIRES", "LAST USED", "FROM")
	for _, c := range list {
		addRow(t, c.ID, cmp.Or(c.Name, c.Browser, "-"), c.Subject, auth.RoleWords(c.Roles, ", "), cmp.Or(strings.Join(c.Agents, ","), "all"), cmp.Or(c.By, "-"),
			orNever(c.ExpiresAt), orNever(c.UsedAt), cmp.Or(c.Address, "-"))
	}
	return t.Flush()
}

func orNever(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return local(at)
}
