package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/tool/mcp"
)

func mcpLoginCommand() *cobra.Command {
	var p location
	var port int
	c := &cobra.Command{
		Use: "login SERVER", Args: cobra.ExactArgs(1),
		Short: "Log in at an MCP server of the configuration, for the agents that have it.",
		Long: "Log in at an MCP server that has oauth with login: true, in a browser on this machine. From then on all agents that have the server act there in your\n" +
			"name, until gateway mcp logout or until its authorization server ends that. The tokens are in the gateway's data folder, or in its cluster's database. A gateway that runs need not be started again.",
		RunE: func(c *cobra.Command, args []string) (err error) {
			server, done, err := serverNamed(c.Context(), &p, args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, done()) }()
			err = server.Login(c.Context(), port, func(address string) {
				fmt.Fprintf(c.OutOrStdout(), "Open this address in a browser on this machine, and allow Lineclear to use %s:\n\n  %s\n\nIt waits until you have; Ctrl+C ends it.\n", args[0], address)
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "You are logged in: all agents that have %s act there in your name.\n", args[0])
			return nil
		},
	}
	p.flags(c)
	c.Flags().IntVar(&port, "port", 0, "the port on this machine to which the browser comes back, if the authorization server wants a certain one (default: any)")
	return c
}

func mcpLogoutCommand() *cobra.Command {
	var p location
	var o printer
	c := &cobra.Command{
		Use: "logout SERVER", Args: cobra.ExactArgs(1),
		Short: "Forget the login at an MCP server.",
		RunE: func(c *cobra.Command, args []string) (err error) {
			server, done, err := serverNamed(c.Context(), &p, args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, done()) }()
			if err := server.Logout(); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("nobody is logged in at %s", args[0])
			} else if err != nil {
				return err
			}
			return o.print(c, map[string]string{"loggedOut": args[0]}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "The login at %s is forgotten. A token that is in use may hold until it expires; its authorization server can end it at once.\n", args[0])
				return err
			})
		},
	}
	p.flags(c)
	o.flag(c, "")
	return c
}

// serverNamed is a server of the configuration at which people log in, until done is called.
func serverNamed(ctx context.Context, p *location, name string) (server *mcp.Server, done func() error, err error) {
	c, err := config.Load(p.config)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.gateway()
	if err != nil {
		return nil, nil, err
	}
	var all []config.MCPServer
	for _, a := range c.Agents {
		all = append(all, a.MCP...)
	}
	for _, a := range c.Programs {
		all = append(all, a.MCP...)
	}
	var names []string
	for _, s := range all {
		if s.OAuth == nil || !s.OAuth.Login {
			continue
		}
		if s.Name == name {
			logins, done, err := gateway.OpenLogins(ctx, g)
			if err != nil {
				return nil, nil, err
			}
			if server, err = mcp.New(s.Config, mcp.Options{Logins: logins}); err != nil {
				return nil, nil, errors.Join(err, done())
			}
			return server, done, nil
		}
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return nil, nil, usage("no agent has an MCP server %q with oauth and login: true (there are: %s)", name, strings.Join(slices.Compact(names), ", "))
}
