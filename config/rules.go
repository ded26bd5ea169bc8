package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// rulesOf compiles a list of rules about tools with the given specs; whose says
// to whom the tools belong. A rule with a fault is left out.
func (r resolver) rulesOf(list []ruleFile, at []string, whose string, specs []tool.Spec) []*policy.Compiled {
	var rules []*policy.Compiled
	for i, f := range list {
		place := append(slices.Clone(at), strconv.Itoa(i))
		if r.spoiltWithin(place) || f.Tool == "" || f.Effect == "" {
			continue // which has been said
		}
		if text, given := r.doc.at(append(slices.Clone(place), "when")).(string); given && text == "" {
			r.fault(append(slices.Clone(place), "when"), "it says nothing: write a condition, or leave it out")
			continue
		}
		about := specs
		if mayBeServed(f.Tool, specs) {
			about = append(slices.Clone(specs), tool.Spec{Name: f.Tool}) // of which nothing more is known yet
		}
		someOf(r, f.Approvers.Subjects, append(slices.Clone(place), "approvers", "subjects"))
		someOf(r, f.Approvers.Roles, append(slices.Clone(place), "approvers", "roles"))
		compiled, faults := policy.Compile(f.rule(words(place)), about)
		for _, fault := range faults {
			r.fault(append(slices.Clone(place), fault.At...), "%s", fault.Text)
		}
		if len(faults) > 0 {
			continue
		}
		rules = append(rules, compiled)
		r.aboutSome(append(place, "tool"), f.Tool, whose, specs)
	}
	return rules
}

// someOf refuses a list that is there and empty, where leaving it out means all.
func someOf[T any](r resolver, list []T, at []string) {
	if list != nil && len(list) == 0 {
		r.fault(at, "nothing is in it: name some, or leave it out for all")
	}
}

func (f ruleFile) rule(name string) policy.Rule {
	var args map[string]policy.Matcher
	if f.Args != nil { // one that is there and empty is a fault
		args = map[string]policy.Matcher{}
	}
	for path, m := range f.Args {
		args[path] = policy.Matcher(m)
	}
	var roles []auth.Role
	for _, r := range f.Approvers.Roles {
		roles = append(roles, auth.Role(r))
	}
	made := policy.Rule{
		RiskAtLeast: approval.RiskLevel(f.RiskAtLeast),
		Approvers:   approval.Approvers{Subjects: f.Approvers.Subjects, Roles: roles, NotSender: f.Approvers.NotSender},
		Tool:        f.Tool, Args: args, Command: f.Command, Paths: f.Paths, Writes: f.Writes, Overwrite: f.Overwrite, When: f.When,
		Effect: policy.Effect(f.Effect), Reason: f.Reason, Risk: approval.RiskLevel(f.Risk), Name: name,
	}
	if f.Sandbox != nil {
		fence := tool.Fence(*f.Sandbox)
		made.Sandbox = &fence
	}
	return made
}

// spoiltWithin reports whether anything at or below a place has a fault.
func (r resolver) spoiltWithin(at []string) bool {
	prefix := id(at)
	for place := range r.doc.spoilt {
		if place == prefix || strings.HasPrefix(place, prefix+"\x00") {
			return true
		}
	}
	return false
}

// aboutSome finds fault with a pattern that is about none of the tools.
func (r resolver) aboutSome(at []string, pattern, whose string, specs []tool.Spec) {
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	// Programs ask about tools that nobody has declared, and * is about these too.
	if pattern == "*" || mayBeServed(pattern, specs) || slices.ContainsFunc(names, func(name string) bool { return policy.Covers(pattern, name) }) {
		return
	}
	there := "there are no tools"
	if len(names) > 0 {
		there = "there are " + strings.Join(names, ", ")
	}
	r.fault(at, "%s matches no tool of %s%s (%s)", r.doc.given(at), whose, meant(pattern, names), there)
}

// served stands among an agent's tools for those of an MCP server, which are
// known once it runs.
func served(server string) tool.Spec { return tool.Spec{Name: server + servedTools} }

const servedTools = "__*"

// mayBeServed reports whether a pattern may be about the tools of a server.
func mayBeServed(pattern string, specs []tool.Spec) bool {
	fixed, _, open := strings.Cut(pattern, "*")
	return slices.ContainsFunc(specs, func(s tool.Spec) bool {
		prefix, ok := strings.CutSuffix(s.Name, "*")
		return ok && (strings.HasPrefix(fixed, prefix) && len(pattern) > len(prefix) || open && strings.HasPrefix(prefix, fixed))
	})
}

// listed checks that each entry of toolPolicies is about a tool that there is.
func (r resolver) listed(f policiesFile, at []string, whose string, specs []tool.Spec) {
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"alwaysAllow", f.AlwaysAllow}, {"alwaysDeny", f.AlwaysDeny}} {
		for i, pattern := range list.patterns {
			place := append(slices.Clone(at), list.name, strconv.Itoa(i))
			if !r.doc.spoilt[id(place)] {
				r.aboutSome(place, pattern, whose, specs)
			}
		}
	}
}

// judgement fills in what is said about the calls of each agent: its own rules
// and those for all. Where it is not certain which tools there are, a rule
// about a tool is not blamed.
func (r resolver) judgement(f file, c *Config) {
	certain := true
	var all []tool.Spec
	for _, a := range c.judged() {
		specs, ok := r.specs(*a)
		certain = certain && ok
		all = append(all, specs...)
		own := f.Agents[a.ID].ToolConfirmation
		at := []string{"agents", a.ID, "toolConfirmation"}
		a.Rules.Places = map[string]policy.Place{}
		r.placed(a.Rules.Places, own, at, true)
		r.placed(a.Rules.Places, f.ToolConfirmation, at[2:], false)
		if ok {
			r.messages(*a, specs)
			r.listed(own.ToolPolicies, append(slices.Clone(at), "toolPolicies"), "agent "+a.ID, specs)
			a.Rules.Rules = r.rulesOf(own.Rules, append(at, "rules"), "agent "+a.ID, specs)
		}
	}
	if !certain {
		return
	}
	common := f.ToolConfirmation
	r.listed(common.ToolPolicies, []string{"toolConfirmation", "toolPolicies"}, "any agent", all)
	shared := r.rulesOf(common.Rules, []string{"toolConfirmation", "rules"}, "any agent", all)
	for _, a := range c.judged() {
		a.Rules.Rules = append(a.Rules.Rules, shared...)
	}
}

// placed notes where the rules at a place of the file stand.
func (r resolver) placed(places map[string]policy.Place, f confirmationFile, at []string, own bool) {
	note := func(name string, at []string) {
		places[name] = policy.Place{File: fmt.Sprintf("%s, line %d", filepath.Base(r.file), r.doc.nearest(at).line), Own: own}
	}
	for i := range f.Rules {
		place := slices.Concat(at, []string{"rules", strconv.Itoa(i)})
		note(words(place), place)
	}
	for key, patterns := range map[string][]string{"alwaysAllow": f.ToolPolicies.AlwaysAllow, "alwaysDeny": f.ToolPolicies.AlwaysDeny} {
		for i, pattern := range patterns {
			note(policy.PatternName(key, pattern), slices.Concat(at, []string{"toolPolicies", key, strconv.Itoa(i)}))
		}
	}
}

func (c *Config) judged() (all []*Agent) {
	for _, list := range [][]Agent{c.Agents, c.Programs} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

// specs are those of an agent's tools, delegates included; false where the
// file's faults leave open which these are.
func (r resolver) specs(a Agent) ([]tool.Spec, bool) {
	if !r.toolsAreSound(a.ID) || r.spoiltWithin([]string{"agents", a.ID, "delegates"}) {
		return nil, false
	}
	specs, err := a.Specs()
	return specs, err == nil // a workdir that can't be used has its fault already
}

// Specs lists what the agent's tools are, delegates included.
func (a Agent) Specs() (specs []tool.Spec, err error) { return a.specs(Confined{}) }

func (a Agent) specs(in Confined) (specs []tool.Spec, err error) {
	box, err := a.Open(in)
	if err != nil {
		return nil, err
	}
	for _, t := range box.Tools {
		specs = append(specs, t.Tool.Spec())
	}
	for _, t := range a.ClientTools {
		specs = append(specs, t.Spec)
	}
	if a.AsksUser {
		specs = append(specs, agent.AskUser(nil).Tool.Spec())
	}
	for _, to := range a.Delegates {
		specs = append(specs, tool.Spec{Name: agent.DelegateName(to)})
	}
	for _, s := range a.MCP {
		specs = append(specs, served(s.Name))
	}
	return specs, box.Close()
}

// Find returns what is known of a tool of the agent, and its terms; false where
// it has none of that name. Of an MCP server's tool nothing is known but that it
// may do anything.
func (a Agent) Find(toolName string) (spec tool.Spec, terms approval.Terms, ok bool, err error) {
	in := Confined{}
	if a.HasShell() && fencesWork() == nil {
		in.Fences = &sandbox.Fence{}
	}
	specs, err := a.specs(in)
	if err != nil {
		return spec, terms, false, err
	}
	i := slices.IndexFunc(specs, func(s tool.Spec) bool { return s.Name == toolName && !strings.HasSuffix(s.Name, servedTools) })
	if i >= 0 {
		spec, ok = specs[i], true
	}
	for _, t := range a.Tools {
		if t.Name == toolName {
			terms = t.Terms
		}
	}
	for _, t := range a.ClientTools {
		if t.Spec.Name == toolName {
			terms = t.Terms
		}
	}
	for _, s := range a.MCP {
		if name, is := strings.CutPrefix(toolName, strings.TrimSuffix(served(s.Name).Name, "*")); is && name != "" && !ok {
			spec, terms, ok = tool.Spec{Name: toolName, Hints: tool.Hints{Destructive: true, OpenWorld: true}}, s.TermsOf(name), true
		}
	}
	return spec, terms, ok, nil
}
