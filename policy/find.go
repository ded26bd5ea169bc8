package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/programs"
)

// matches are all that rules and grants have to say about a call, each in the
// order of its certainty.
type matches struct {
	deny, ask, allow []ground
	grant            *approval.Grant
	clearings        []clearing // the allow rules that speak about commands
	parts            []string   // what allows each command
	raised           []raise    // by the rules that are, or may be, about the call
	approvers        []approval.Approvers
	person           bool   // a denial may apply, or the gateway's own files are touched: observing does not run it
	unknown          bool   // what the call runs can't be determined
	fence            *fence // in which the call may run
	onlyFenced       bool   // a doubt was dropped because the fence prevents it, so the call may run nowhere else
}

// open reports whether no rule decides.
func (f *matches) open() bool { return len(f.deny)+len(f.ask)+len(f.allow) == 0 }

// fenced returns the fence's title; empty: there is none.
func (f *matches) fenced() string {
	if f.fence == nil {
		return ""
	}
	return f.fence.title.text
}

// weighed are the findings as approval.Weigh takes them.
func (f *matches) weighed() approval.Findings {
	first := func(list []ground) string {
		if len(list) == 0 {
			return ""
		}
		return list[0].text
	}
	return approval.Findings{Deny: first(f.deny), Ask: first(f.ask), Allow: first(f.allow), Grant: f.grant, Unknown: f.unknown, Fence: f.fenced()}
}

// trace writes down what was found, in the order of its weight.
func (f *matches) trace() []string {
	var lines []string
	add := func(what string, rules ...ground) {
		for _, rule := range rules {
			lines = append(lines, what+": "+rule.text)
		}
	}
	add("deny", f.deny...)
	add("ask", f.ask...)
	add("allow", f.allow...)
	if f.fence != nil {
		add("allow", f.fence.title)
	}
	if f.grant != nil {
		lines = append(lines, "grant: "+f.grant.Rule())
	}
	lines = append(lines, f.parts...)
	for i := range lines {
		lines[i] = mask.Hidden(lines[i]) // commands and paths stand in them
	}
	return lines
}

// find asks all rules.
func find(c *call) matches {
	var f matches
	if pattern, hit := covering(c.rules.AlwaysDeny, c.Request.ToolName); hit {
		f.deny = append(f.deny, deniedByName(pattern))
	}
	if pattern, hit := covering(c.rules.AlwaysAllow, c.Request.ToolName); hit {
		f.allow = append(f.allow, allowedByName(pattern))
	}
	if c.Terms.Pattern.Covers(c.canonical.String()) && (!c.runs() || c.plainLine()) {
		f.allow = append(f.allow, allowedByPattern())
	}
	f.findFence(c)
	if c.leaves() {
		f.ask = append(f.ask, leavesSandbox())
	}
	var doubts []ground
	for _, r := range c.rules.Rules {
		if r.rule.RiskAtLeast == "" && Covers(r.rule.Tool, c.Request.ToolName) {
			doubts = append(doubts, f.ruled(c, r)...)
		}
	}
	before := len(f.ask)
	own := f.guarded(c)
	f.person = f.person || len(own) > 0 || len(f.ask) > before
	doubts = append(doubts, own...)
	doubts = append(doubts, f.byRisk(c)...)
	f.ask = append(f.ask, doubts...)
	f.unknown = len(f.deny) == 0 && c.unknown()
	if f.onlyFenced {
		f.allow = nil // outside the fence the doubt remains
	} else if f.open() && c.runs() && len(f.clearings) > 0 {
		out := c.clear(f.clearings)
		f.parts = out.notes
		if out.ok {
			f.allow = append(f.allow, together(out.by))
		}
	}
	return f
}

// byRisk asks the rules that are about calls of some risk: what all the others
// find is known by then.
func (f *matches) byRisk(c *call) (doubts []ground) {
	risk := approval.Risk{}
	for _, r := range c.rules.Rules {
		if r.rule.RiskAtLeast == "" || !Covers(r.rule.Tool, c.Request.ToolName) {
			continue
		}
		if risk.Level == "" {
			risk = c.risk(*f, true)
		}
		if risk.Level.Rank() >= r.rule.RiskAtLeast.Rank() {
			doubts = append(doubts, f.ruled(c, r)...)
		}
	}
	return doubts
}

// ruled takes up what one rule says; what it may say is returned.
func (f *matches) ruled(c *call, r *Compiled) (doubts []ground) {
	if r.rule.Effect == Allow {
		if r.holds(c) {
			f.allowed(c, r)
		} else if r.rule.Risk != "" {
			if answer, _ := r.matches(c); answer != programs.No {
				f.raise(r)
			}
		}
		return nil
	}
	answer, why := r.matches(c)
	if answer == programs.No {
		return nil
	}
	if answer == programs.Maybe && f.fence.prevents(c, r) {
		f.onlyFenced = true
		return nil
	}
	f.raise(r)
	if who := r.rule.Approvers; r.rule.Effect == Ask && who.Demands() {
		who.Rule = r.title()
		f.approvers = append(f.approvers, who)
	}
	switch {
	case answer == programs.Maybe:
		f.person = f.person || r.rule.Effect == Deny
		return []ground{mayMatch(r, why)}
	case r.rule.Effect == Deny:
		f.deny = append(f.deny, matched(r))
	default: // what is not deny is to ask, should it be a word that Compile did not see
		f.ask = append(f.ask, matched(r))
	}
	return nil
}

// allowed takes up an allow rule whose conditions on the call as a whole hold.
func (f *matches) allowed(c *call, r *Compiled) {
	switch {
	case r.judgesWhole(), len(r.patterns) == 0 && !c.runs() && c.filesAllowed(r):
		f.allow = append(f.allow, matched(r))
		f.raise(r)
	case c.runs():
		f.clearings = append(f.clearings, r.clearing())
		if r.rule.Risk != "" {
			if answer, _ := r.matches(c); answer != programs.No {
				f.raise(r)
			}
		}
	}
}

func (f *matches) raise(r *Compiled) {
	if r.rule.Risk != "" {
		f.raised = append(f.raised, raise{r.rule.Risk, r.title()})
	}
}

// holds reports whether the tool, the arguments and the condition of an allow
// rule hold for certain. What a command's text looks like is no such condition.
func (r *Compiled) holds(c *call) bool {
	var blind []string
	if c.runs() && r.rule.Effect == Allow {
		blind = c.named
	}
	for _, a := range r.args {
		if a.match.kind != "equals" && slices.Contains(blind, a.path[0]) || a.matches(c, toAllow) != programs.Yes {
			return false
		}
	}
	if r.when == nil {
		return true
	}
	if slices.ContainsFunc(blind, r.when.mentions) {
		return false
	}
	yes, err := r.when.holds(c)
	return yes && err == nil
}

// matches asks whether the rule is, or may be, about the call, and why it is
// not certain.
func (r *Compiled) matches(c *call) (programs.Answer, string) {
	answer, why := programs.Yes, ""
	weaken := func(to programs.Answer, of string) {
		if to < answer {
			answer, why = to, of
		}
	}
	for _, a := range r.args {
		weaken(a.matches(c, toForbid), "the argument "+strings.Join(a.path, ".")+" can't be compared")
		if answer == programs.No {
			return answer, ""
		}
	}
	if r.when != nil {
		if yes, err := r.when.holds(c); err != nil {
			weaken(programs.Maybe, "its condition can't be told: "+err.Error())
		} else if !yes {
			return programs.No, ""
		}
	}
	if len(r.patterns) > 0 || len(r.rule.Paths) > 0 {
		weaken(r.matchesWork(c))
	}
	return answer, why
}

// matchesWork asks the rule's commands and paths.
func (r *Compiled) matchesWork(c *call) (programs.Answer, string) {
	best, why := programs.No, ""
	if c.runs() {
		best, why = r.forbidsCommand(c)
	}
	if len(r.patterns) > 0 {
		if best == programs.No && r.mayRun(c) {
			best, why = programs.Maybe, "its arguments may be such a command"
		}
		return best, why
	}
	if answer, of := c.argsWithin(r.rule.Paths); answer > best {
		best, why = answer, of
	}
	return best, why
}

// argsWithin asks, to forbid, whether a path among the arguments is inside the
// folders, or, for a tool that may delete, around them.
func (c *call) argsWithin(folders []string) (programs.Answer, string) {
	best, why := programs.No, ""
	bases := c.bases()
	for _, p := range c.pathArgs() {
		answer, of := programs.Maybe, "a path is not a text"
		switch {
		case p.maybe:
			answer, of = programs.No, "an argument may name something there"
			if slices.ContainsFunc(folders, func(folder string) bool { return c.mayName(folder, bases, p.text) }) {
				answer = programs.Maybe
			}
		case p.known:
			answer, of = c.withinAny(folders, bases, p.text, toForbid), "where "+p.text+" leads is not known"
			around := func(folder string) bool { return c.around(folder, bases, p.text, false) }
			if answer == programs.No && c.Spec.Hints.Destructive && slices.ContainsFunc(folders, around) {
				answer, of = programs.Maybe, p.text+" contains a folder of the rule"
			}
		}
		if answer > best {
			best, why = answer, of
		}
	}
	return best, why
}

// plainLine reports whether the call runs one simple command of which all is
// known, and which writes no file: only then can a pattern on its text be
// trusted.
func (c *call) plainLine() bool {
	lines := c.lines()
	if len(lines) != 1 || lines[0].unknown != "" || len(lines[0].line.Parts) != 1 {
		return false
	}
	part := lines[0].line.Parts[0]
	return len(part.Words) > 0 && len(part.Sets) == 0 && !c.partWrites(part) && !c.about(part).doubt
}

// findGrant looks for the narrowest grant that covers the call, together with
// the rules that allow some of its commands.
func (p *Policy) findGrant(ctx context.Context, c *call, f *matches) error {
	held, err := p.grants.Held(ctx, c.Request.SessionID, c.Request.AgentID, c.Request.ToolName)
	if err != nil {
		return fmt.Errorf("policy: grants: %w", err)
	}
	for _, kind := range []approval.CoverageKind{approval.CoverExact, approval.CoverCommand, approval.CoverPath, approval.CoverTool} {
		for i := range held {
			g := &held[i]
			if g.Covers.Kind != kind || !g.Fits(c.Case, c.now) {
				continue
			}
			if kind == approval.CoverTool && c.runs() { // the grant holds in a sandbox
				if c.fenceable() && f.fence == nil {
					f.fence = &fence{title: inSandbox(g.Rule()), grant: g}
				}
				continue
			}
			if notes, ok := c.grantCovers(f.clearings, *g); ok {
				f.grant = g
				f.parts = notes
				return nil
			}
		}
	}
	return nil
}

// grantCovers reports whether a grant takes in the call, and how it goes with
// the rules.
func (c *call) grantCovers(rules []clearing, g approval.Grant) (notes []string, ok bool) {
	if g.CoversPlainly(c.Request) {
		return nil, true
	}
	return c.coverageCovers(rules, g.Rule(), g.Covers)
}

// coverageCovers is grantCovers for a coverage that needs judgement. One of
// folders is about tools that run nothing, which no rule clears by halves.
func (c *call) coverageCovers(rules []clearing, title string, covers approval.Coverage) ([]string, bool) {
	switch covers.Kind {
	case approval.CoverCommand:
		own, ok := c.clearingOf(title, covers)
		if !ok || !c.runs() {
			return nil, false
		}
		out := c.clear(append(slices.Clip(rules), own))
		return out.notes, out.ok
	case approval.CoverPath:
		return nil, !c.runs() && c.pathsWithin(covers.Paths) == programs.Yes
	case approval.CoverExact, approval.CoverTool:
		return nil, false
	default:
		return nil, false
	}
}

// explain says of each command that no rule covers it.
func (f *matches) explain(c *call) {
	if c.runs() && len(f.parts) == 0 {
		f.parts = c.clear(nil).notes
	}
}

func covering(patterns []string, name string) (string, bool) {
	for _, p := range patterns {
		if Covers(p, name) {
			return p, true
		}
	}
	return "", false
}
