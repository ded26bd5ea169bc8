package config

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"syscall"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/policy"
)

func (r resolver) agent(name string, f agentFile, whole file, models map[string]Model) Agent {
	at := func(names ...string) []string { return append([]string{"agents", name}, names...) }
	own, common := f.ToolConfirmation, whole.ToolConfirmation
	a := Agent{
		ID: name, Description: f.Description, Instructions: f.Instructions,
		WorkingDirectory: r.workdir(f.Workdir, at("workdir")),
		Limits: Limits{
			MaxTurns: int(f.MaxTurns), MaxDenials: int(f.MaxDenials), ContextTokens: int(f.ContextTokens),
			ResultBytes: int(f.ResultBytes), MaxTokens: int64(f.MaxTokens), MaxCost: f.MaxCost,
		},
		Mode:      r.mode(own.Mode, common.Mode),
		Tools:     r.tools(f.Tools, at("tools")),
		Delegates: f.Delegates,
		AsksUser:  slices.Contains(r.doc.keys[id(at("tools"))], agent.AskUserName),
	}
	a.ClientTools = r.clientTools(f.ClientTools, a, at("clientTools"))
	a.Model = r.model(f.Model, models, at("model"))
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
			Name: shellTool, Terms: r.terms(s.Approval, place(shellTool, "approval")),
			Timeout: r.duration(s.Timeout, 0, place(shellTool, "timeout")), OutputLimit: int(s.OutputLimit),
			Sandbox: r.sandbox(s.Sandbox, place(shellTool, "sandbox")),
		})
	}
	for _, plain := range builtin {
		if !has(plain.name) {
			continue
		}
		t := cmp.Or(plain.settings(f), &toolFile{})
		tools = append(tools, Tool{Name: plain.name, Terms: r.terms(t.Approval, place(plain.name, "approval"))})
	}
	return tools
}

// standingFor is how long a standing approval holds unless told otherwise.
const standingFor = 30 * 24 * time.Hour

func (r resolver) terms(f approvalFile, at []string) approval.Terms {
	place := func(name string) []string { return append(slices.Clone(at), name) }
	t := approval.Terms{Message: f.Message}
	if f.Required != nil {
		t.Need = approval.NeedNone
		if *f.Required {
			t.Need = approval.NeedAsk
		}
	}
	if f.Scope != "" && len(f.Options) > 0 {
		r.fault(place("options"), "scope is given as well, and both say what an approval may cover: leave one of them out")
	}
	switch approval.Scope(f.Scope) {
	case approval.Once:
		t.Scopes = []approval.Scope{approval.Once}
	case approval.Always:
		if t.Need == approval.NeedAsk {
			r.fault(place("scope"), "always means that the tool is never asked about, and required: true that it always is: leave one of them out")
		}
		t.Need = approval.NeedNone
	case approval.Session:
	default: // left out
		t.Scopes = r.options(f.Options, place("options"))
	}
	if len(t.Scopes) == 0 {
		t.Scopes = []approval.Scope{approval.Once, approval.Session}
	}
	switch {
	case f.Standing && !slices.Contains(t.Scopes, approval.Session):
		r.fault(place("standing"), "this tool can only be approved once: leave it out, or let approvals cover the session")
	case f.Standing:
		t.Standing = r.duration(f.StandingFor, standingFor, place("standingFor"))
	case f.StandingFor != "":
		r.fault(place("standingFor"), "there are no standing approvals of this tool: add standing: true, or leave it out")
	}
	if f.Pattern != "" {
		p, err := approval.CompilePattern(f.Pattern)
		if err != nil {
			r.fault(place("pattern"), "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		t.Pattern = p
	}
	return t
}

// options are the scopes of the answers that approve.
func (r resolver) options(answers []string, at []string) []approval.Scope {
	var scopes []approval.Scope
	sound := true
	for i, word := range answers {
		place := append(slices.Clone(at), strconv.Itoa(i))
		status, scope, err := approval.ParseWord(word)
		switch {
		case r.doc.spoilt[id(place)]:
			sound = false
		case err != nil:
			r.fault(place, "unknown answer %s: use once, session, deny or cancel", r.doc.given(place))
			sound = false
		case status == approval.Approved && !slices.Contains(scopes, scope):
			scopes = append(scopes, scope)
		}
	}
	if len(answers) > 0 && len(scopes) == 0 && sound {
		r.fault(at, "none of them approves, so the tool could never run: add Once, or deny the tool under toolPolicies.alwaysDeny")
	}
	return scopes
}
