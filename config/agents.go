package config

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/policy"
)

func (r resolver) agent(name string, f agentFile, whole file, models map[string]Model) Agent {
	at := func(names ...string) []string { return append([]string{"agents", name}, names...) }
	own, common := f.ToolConfirmation, whole.ToolConfirmation
	a := Agent{
		ID: name, Description: f.Description, Instructions: f.Instructions, Digest: r.doc.digestOf(name), Nodes: f.Nodes,
		WorkingDirectory: r.workdir(f.Workdir, at("workdir")), Anywhere: f.Kind == external && f.Workdir == "",
		Limits: Limits{
			MaxTurns: int(f.MaxTurns), MaxDenials: int(f.MaxDenials), ContextTokens: int(f.ContextTokens), ContextBytes: int(f.ContextBytes),
			ResultBytes: int(f.ResultBytes), MaxTokens: int64(f.MaxTokens), MaxCost: f.MaxCost,
		},
		Mode:      r.mode(own.Mode, common.Mode),
		Tools:     r.tools(f.Tools, at("tools")),
		Delegates: f.Delegates,
		AsksUser:  slices.Contains(r.doc.keys[id(at("tools"))], agent.AskUserName),
	}
	if len(f.Nodes) > 0 && whole.Cluster == (clusterFile{}) {
		r.fault(at("nodes"), "there is no cluster: leave this out, or say under cluster where gateways share a database")
	}
	a.ClientTools = r.clientTools(f.ClientTools, a, at("clientTools"))
	if a.Model = r.model(f.Model, models, at("model")); f.Model == "" && f.Kind != external && !r.doc.spoilt[id(at("model"))] && !r.doc.spoilt[id(at("kind"))] {
		r.found.add(r.doc.keyAt(at()...), "%s has no model, and needs one: the name of one of the models, or kind: external for a program that asks", words(at()))
	}
	a.MCP = r.mcpServers(a, f.MCP, whole.MCPServers, at("mcp"))
	if p := a.Model.Prices; f.MaxCost > 0 && p.Input+p.Output == 0 && a.Model.Model != nil {
		r.fault(at("maxCost"), "the model %s has no prices, so nothing could be counted: give them under models.%s.prices", a.Model.Name, a.Model.Name)
	}

	a.Timeout = gate.DefaultTimeout
	if d, ok := r.timeout(common.Timeout, []string{"toolConfirmation", "timeout"}); ok {
		a.Timeout = d
	}
	a.MaxPending = int(cmp.Or(own.MaxPending, common.MaxPending, defaultMaxPending))
	if d, ok := r.timeout(own.Timeout, at("toolConfirmation", "timeout")); ok {
		a.Timeout = d
	}

	a.Rules = policy.Rules{
		AlwaysAllow: slices.Concat(common.ToolPolicies.AlwaysAllow, own.ToolPolicies.AlwaysAllow),
		AlwaysDeny:  slices.Concat(common.ToolPolicies.AlwaysDeny, own.ToolPolicies.AlwaysDeny),
	}
	a.ObserveUntil = r.observeUntil(f.ObserveUntil, at("observeUntil"))
	a.DenyUnattended = cmp.Or(own.OnNoApprover, common.OnNoApprover) == denyAtOnce
	a.Forgetful = cmp.Or(own.AllowedToolsStorage, common.AllowedToolsStorage) == inMemory
	return a
}

// toolsAreSound reports whether it is certain which tools an agent has. Where
// it is not, a rule about a tool is not blamed.
func (r resolver) toolsAreSound(agent string) bool {
	at := []string{"agents", agent, "tools"}
	return !r.doc.spoilt[id(at)] && !slices.ContainsFunc(r.doc.keys[id(at)], func(name string) bool {
		return r.doc.spoilt[id(append(slices.Clone(at), name))]
	})
}

func (r resolver) model(name string, models map[string]Model, at []string) Model {
	if m, ok := models[name]; ok || name == "" || r.doc.spoilt[id([]string{"models"})] {
		return m
	}
	known := slices.Sorted(maps.Keys(models))
	if len(known) == 0 {
		r.fault(at, "there is no model %s, nor any other: add it, as in models: {demo: {provider: scripted}}", r.doc.given(at))
		return Model{}
	}
	r.fault(at, "there is no model %s%s (there are: %s)", r.doc.given(at), meant(name, known), strings.Join(known, ", "))
	return Model{}
}

func (r resolver) workdir(path string, at []string) string {
	absolute := r.path(cmp.Or(path, "."))
	info, err := os.Stat(absolute)
	switch {
	case path == "":
	case err != nil:
		r.fault(at, "%s can't be used: %s; paths start at the folder of this file", r.doc.given(at), reason(err))
	case !info.IsDir():
		r.fault(at, "%s is a file: want a directory", r.doc.given(at))
	}
	return absolute
}

// reason is why a file can't be used, without its name, which may hold the
// values of environment variables.
func reason(err error) string {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.As(err, &number):
		return number.Error()
	default:
		return "the name can't be used"
	}
}

// tools lists an agent's tools, always in the same order.
func (r resolver) tools(f toolsFile, at []string) []Tool {
	var tools []Tool
	has := func(name string) bool { return slices.Contains(r.doc.keys[id(at)], name) }
	place := func(names ...string) []string { return append(slices.Clone(at), names...) }
	if has(shellTool) {
		s := f.Shell
		if s == nil {
			s = &shellFile{}
		}
		tools = append(tools, Tool{
			Name: shellTool, Terms: r.terms(s.Approval, in(place(shellTool, "approval"))),
			Timeout: r.duration(s.Timeout, 0, place(shellTool, "timeout")), OutputLimit: int(s.OutputLimit),
			Sandbox: r.sandbox(s.Sandbox, place(shellTool, "sandbox")),
		})
	}
	for _, plain := range builtin {
		if !has(plain.name) {
			continue
		}
		t := cmp.Or(plain.settings(f), &toolFile{})
		tools = append(tools, Tool{Name: plain.name, Terms: r.terms(t.Approval, in(place(plain.name, "approval")))})
	}
	return tools
}

// maxObserved is for how many days an agent can be observed.
const maxObserved = 14

// observeUntil is the end of a day.
func (r resolver) observeUntil(day string, at []string) time.Time {
	if day == "" {
		return time.Time{}
	}
	begins, err := time.ParseInLocation(time.DateOnly, day, time.Local)
	ends := begins.AddDate(0, 0, 1)
	switch {
	case err != nil:
		r.fault(at, "%s is no day: write it like 2026-12-10", r.doc.given(at))
	case ends.After(time.Now().AddDate(0, 0, maxObserved+1)):
		r.fault(at, "%s is too far off: an agent can be observed for %d days", r.doc.given(at), maxObserved)
	}
	return ends
}
