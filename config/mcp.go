package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool/mcp"
)

// MCPServer is an MCP server as an agent has it.
type MCPServer struct {
	mcp.Config
	Terms approval.Terms // of each of its tools
}

// mcpServers lists an agent's, in the file's order.
func (r resolver) mcpServers(a Agent, files map[string]*agentServerFile, servers map[string]serverFile, at []string) []MCPServer {
	var made []MCPServer
	known := r.doc.keys["mcpServers"]
	for _, name := range r.doc.keys[id(at)] {
		place := func(names ...string) []string { return append(append(slices.Clone(at), name), names...) }
		f := servers[name]
		own := files[name]
		if own == nil {
			own = &agentServerFile{}
		}
		switch {
		case !slices.Contains(known, name):
			r.fault(place(), "there is no MCP server of that name%s (there are: %s)", meant(name, known), strings.Join(known, ", "))
			continue
		case r.spoiltWithin([]string{"mcpServers", name}), r.spoiltWithin(place()):
			continue // which has been said
		}
		s := MCPServer{
			Terms: r.terms(own.Approval, place("approval")),
			Config: mcp.Config{
				Name: name, URL: f.URL, Headers: f.Headers, Env: f.Env, WorkingDirectory: a.WorkingDirectory,
				Trusted: f.Trusted, Only: own.Only, Except: own.Except, ResultLimit: int(f.ResultLimit),
				StartTimeout: r.duration(f.StartTimeout, 0, []string{"mcpServers", name, "startTimeout"}),
				CallTimeout:  r.duration(f.Timeout, 0, []string{"mcpServers", name, "timeout"}),
				Idle:         r.duration(f.Idle, 0, []string{"mcpServers", name, "idle"}),
			},
		}
		if f.Command != "" {
			s.Command = append([]string{f.Command}, f.Args...)
		}
		if _, err := mcp.New(s.Config, mcp.Options{}); err != nil {
			if len(own.Only)+len(own.Except) == 0 { // otherwise the file's own part is to blame, or may be
				place = func(...string) []string { return []string{"mcpServers", name} }
			}
			r.fault(place(), "%s", told(err))
			continue
		}
		made = append(made, s)
	}
	return made
}

// unusedServers finds fault with the servers that can't be used, also if no
// agent has them.
func (r resolver) unusedServers(servers map[string]serverFile, agents []Agent) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		used := slices.ContainsFunc(agents, func(a Agent) bool {
			return slices.Contains(r.doc.keys[id([]string{"agents", a.ID, "mcp"})], name)
		})
		if used || r.spoiltWithin([]string{"mcpServers", name}) {
			continue
		}
		f := servers[name]
		c := mcp.Config{Name: name, URL: f.URL, Headers: f.Headers, Env: f.Env}
		if f.Command != "" {
			c.Command = append([]string{f.Command}, f.Args...)
		}
		if _, err := mcp.New(c, mcp.Options{}); err != nil {
			r.fault([]string{"mcpServers", name}, "%s", told(err))
		}
	}
}

// told is what is wrong with a server, without what the place says already.
func told(err error) string {
	_, text, ok := strings.Cut(err.Error(), ": ")
	for range 2 {
		if _, rest, more := strings.Cut(text, ": "); more && strings.HasPrefix(text, "config of server") {
			text = rest
		}
	}
	if !ok {
		return err.Error()
	}
	return text
}
