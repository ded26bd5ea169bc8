package policy

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
)

// What of a command line is put before a person one by one.
const (
	maxListed     = 40
	maxListedText = 2000 // of one command, in bytes
)

// listed is what a command line runs, command by command, for people. What two
// readings of a line have alike is told once.
func (c *call) listed() []approval.Command {
	var all []approval.Command
	for part := range c.parts() {
		text := mask.Hidden(part.Text)
		if len(text) > maxListedText {
			text = strings.ToValidUTF8(text[:maxListedText], "") + "…"
		}
		made := approval.Command{Text: text}
		for _, h := range c.hazardsOf(part) {
			if h.level.Rank() > made.Risk.Rank() {
				made.Risk = h.level
			}
			made.Does = append(made.Does, mask.Hidden(h.reason))
		}
		same := func(other approval.Command) bool { return other.Text == made.Text }
		if text != "" && len(all) < maxListed && !slices.ContainsFunc(all, same) {
			all = append(all, made)
		}
	}
	return all
}

// Listed is a rule as people read it.
type Listed struct {
	Rule   string `json:"rule"` // where it stands in the file
	Effect Effect `json:"effect"`
	Scope  string `json:"scope" enum:"gateway,agent"` // whose file it stands in
	Text   string `json:"text"`                       // as YAML
}

// List is what rules there are for an agent, those that deny first.
func (p *Policy) List(agentID string) []Listed {
	rules := (*p.agents.Load())[agentID]
	list := []Listed{}
	add := func(name string, effect Effect, text string) {
		scope := "gateway"
		if strings.HasPrefix(name, "agents.") {
			scope = "agent"
		}
		list = append(list, Listed{Rule: name, Effect: effect, Scope: scope, Text: text})
	}
	for _, pattern := range rules.AlwaysDeny {
		add("toolPolicies.alwaysDeny", Deny, pattern)
	}
	for _, pattern := range rules.AlwaysAllow {
		add("toolPolicies.alwaysAllow", Allow, pattern)
	}
	for _, made := range rules.Rules {
		add(made.rule.Name, made.rule.Effect, made.rule.yaml())
	}
	order := []Effect{Deny, Ask, Allow}
	slices.SortStableFunc(list, func(a, b Listed) int { return slices.Index(order, a.Effect) - slices.Index(order, b.Effect) })
	return list
}

// yaml writes a rule, one line for each of its conditions.
func (r Rule) yaml() string {
	var lines []string
	line := func(name string, value any, given bool) {
		if raw, err := json.Marshal(value, json.Deterministic(true)); given && err == nil {
			lines = append(lines, name+": "+escaped(raw))
		}
	}
	line("tool", r.Tool, true)
	line("args", r.Args, len(r.Args) > 0)
	line("command", r.Command, len(r.Command) > 0)
	line("paths", r.Paths, len(r.Paths) > 0)
	line("writes", r.Writes, len(r.Writes) > 0)
	line("overwrite", r.Overwrite, r.Overwrite)
	if f := r.Sandbox; f != nil && len(f.Read)+len(f.Writes) == 0 && !f.Network {
		line("sandbox", "read-only", true)
	} else {
		line("sandbox", f, f != nil)
	}
	line("when", r.When, r.When != "")
	line("effect", r.Effect, true)
	line("reason", r.Reason, r.Reason != "")
	line("risk", r.Risk, r.Risk != "")
	line("riskAtLeast", r.RiskAtLeast, r.RiskAtLeast != "")
	line("approvers", r.Approvers, r.Approvers.Demands())
	return strings.Join(lines, "\n")
}
