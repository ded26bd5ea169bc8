package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// connectTime bounds how long a model or a server is waited for.
const connectTime = time.Minute

// errConnect is returned where a model or a server can't be used.
var errConnect = errors.New("not everything can be used; see above")

// connect reaches every model that an agent has, and every MCP server, and says in a line
// for each what it found.
func connect(ctx context.Context, c *config.Config) (lines []string, err error) {
	failed := false
	logins, done, err := loginsFor(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	say := func(what, found string, err error) {
		if err != nil {
			failed, found = true, "FAILED: "+err.Error()
		}
		lines = append(lines, what+": "+oneLine(found))
	}
	seen := map[string]bool{}
	for _, a := range c.Programs {
		for _, s := range a.MCP {
			found, err := checkServer(ctx, s, logins)
			say(fmt.Sprintf("agent %s offers the MCP server %s", a.ID, s.Name), found, err)
		}
	}
	for _, a := range c.Agents {
		if !seen[a.Model.Name] {
			seen[a.Model.Name] = true
			found, err := checkModel(ctx, a.Model)
			say("model "+a.Model.Name, found, err)
		}
		for _, s := range a.MCP {
			found, err := checkServer(ctx, s, logins)
			say(fmt.Sprintf("agent %s, MCP server %s", a.ID, s.Name), found, err)
		}
	}
	if failed {
		err = errConnect
	}
	return lines, err
}

// loginsFor opens people's logins at servers, where a server wants one.
func loginsFor(ctx context.Context, c *config.Config) (logins mcp.Logins, done func() error, err error) {
	var all []config.MCPServer
	for _, a := range slices.Concat(c.Agents, c.Programs) {
		all = append(all, a.MCP...)
	}
	if !slices.ContainsFunc(all, func(s config.MCPServer) bool { return s.OAuth != nil && s.OAuth.Login }) {
		return nil, func() error { return nil }, nil
	}
	return gateway.OpenLogins(ctx, c.Gateway)
}

func checkModel(ctx context.Context, m config.Model) (string, error) {
	checker, ok := m.Model.(model.Checker)
	if !ok {
		return "needs no connection", nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	return checker.Check(ctx)
}

func checkServer(ctx context.Context, s config.MCPServer, logins mcp.Logins) (found string, err error) {
	var said []string
	server, err := mcp.New(s.Config, mcp.Options{
		Logins: logins,
		// As in a session: a server may show other tools to whoever can't be asked.
		Ask: func(context.Context, mcp.Question) (mcp.Answer, error) { return mcp.Answer{}, nil },
		Log: func(_, level, text string) {
			if level == "warning" {
				said = append(said, text)
			}
		},
	})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	report, err := server.Check(ctx)
	if err != nil {
		return "", err
	}
	if misfits := append(s.Unmatched(report.Names), s.Misfits(report.Tools)...); len(misfits) > 0 {
		return "", fmt.Errorf("what the file says does not fit the server: %s", strings.Join(misfits, "; "))
	}
	found = fmt.Sprintf("%s %s, MCP %s, %d tools: %s", report.ServerName, report.Version, report.Protocol, len(report.Tools), namesOf(report.Tools))
	return strings.Join(append([]string{found}, said...), "; "), nil
}

func namesOf(tools []tool.Spec) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
