package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// MCPServer is an MCP server as an agent has it.
type MCPServer struct {
	mcp.Config
	Terms approval.Terms            // of each of its tools
	Tools map[string]approval.Terms // of single tools, by the server's own names
}

// TermsOf are those of the tool with this name of the server's own.
func (s MCPServer) TermsOf(name string) approval.Terms {
	if t, ok := s.Tools[name]; ok {
		return t
	}
	return s.Terms
}

// Misfits says which of the terms don't fit the tools that the server turns out to
// have, each with its place below the agent's.
func (s MCPServer) Misfits(specs []tool.Spec) []string {
	at := []string{"mcp", s.Name}
	var names, found []string
	for _, spec := range specs {
		names = append(names, strings.TrimPrefix(spec.Name, s.Name+"__"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		if !slices.Contains(names, name) {
			found = append(found, fmt.Sprintf("%s: the server has no such tool%s (there are %s)",
				words(append(slices.Clone(at), "tools", name)), meant(name, names), strings.Join(names, ", ")))
		}
	}
	for i, name := range names {
		place := append(slices.Clone(at), "approval", "message")
		terms := s.TermsOf(name)
		if terms.Message != s.Terms.Message {
			place = append(slices.Clone(at), "tools", name, "approval", "message")
		}
		for _, text := range unknownArguments(terms, specs[i], name) {
			found = append(found, words(place)+": "+text)
		}
	}
	return found
}

// Unmatched says which names and patterns of the file match none of the tools that
// the server turns out to have, each with its place below the agent's.
func (s MCPServer) Unmatched(names []string) []string {
	var found []string
	say := func(list, pattern string) {
		found = append(found, fmt.Sprintf("%s: %q matches no tool of the server%s (there are %s)",
			words([]string{"mcp", s.Name, list}), pattern, meant(pattern, names), strings.Join(names, ", ")))
	}
	for _, pattern := range mcp.Unmatched(s.Only, names) {
		say("only", pattern)
	}
	for _, pattern := range mcp.Unmatched(s.Except, names) {
		say("except", pattern)
	}
	return found
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
		someOf(r, own.Only, place("only"))
		s := MCPServer{
			Terms: r.terms(own.Approval, in(place("approval"))),
			Config: mcp.Config{
				Name: name, URL: f.URL, Headers: f.Headers, OAuth: f.OAuth.of(), Env: f.Env, WorkingDirectory: a.WorkingDirectory,
				Trusted: f.Trusted, Only: own.Only, Except: own.Except, ResultLimit: int(f.ResultLimit),
				StartTimeout: r.duration(f.StartTimeout, 0, []string{"mcpServers", name, "startTimeout"}),
				CallTimeout:  r.duration(f.Timeout, 0, []string{"mcpServers", name, "timeout"}),
				Idle:         r.duration(f.Idle, 0, []string{"mcpServers", name, "idle"}),
			},
		}
		for of, known := range f.Arguments {
			if s.Arguments == nil {
				s.Arguments = map[string]tool.Arguments{}
			}
			s.Arguments[of] = r.arguments(known, []string{"mcpServers", name, "arguments", of})
		}
		if f.Sandbox != nil {
			s.Sandbox = f.Sandbox.of(a.WorkingDirectory)
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
		s.Tools = r.serverTools(s.Config, own, place)
		made = append(made, s)
	}
	return made
}

// serverTools are the terms of single tools of a server.
func (r resolver) serverTools(c mcp.Config, f *agentServerFile, place func(names ...string) []string) map[string]approval.Terms {
	terms := map[string]approval.Terms{}
	for _, name := range r.doc.keys[id(place("tools"))] {
		at := place("tools", name)
		not := func(why string) { r.found.add(r.doc.keyAt(at...), "%s: %s", words(at), why) }
		switch {
		case !mask.IsToolName(name):
			not("no tool of a server can be named so: write the server's own name, letters, digits and _ . / : -")
			continue
		case !mcp.Config{Except: c.Except}.Takes(name):
			not("the agent does not have this tool: except leaves it out")
			continue
		case !c.Takes(name):
			not("the agent does not have this tool: it is not among only")
			continue
		}
		own := cmp.Or(f.Tools[name], &serverToolFile{})
		terms[name] = r.terms(r.over(f.Approval, own.Approval, place("approval"), place("tools", name, "approval")))
	}
	return terms
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
		c := mcp.Config{Name: name, URL: f.URL, Headers: f.Headers, OAuth: f.OAuth.of(), Env: f.Env}
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
