package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// Listed is a rule, or another thing in the file that decides about calls, as people read it.
type Listed struct {
	Rule     string            `json:"rule"` // its name as the ground of a decision
	Effect   Effect            `json:"effect"`
	Scope    string            `json:"scope" enum:"gateway,agent"` // whose file it stands in
	Sentence approval.Sentence `json:"sentence,omitempty"`         // what it does; left out where there are no words for it
	Reason   string            `json:"reason,omitempty"`           // that the file gives for it
	Place    string            `json:"place,omitempty"`            // the file and the line
	Text     string            `json:"text,omitempty"`             // as YAML
}

// List is what rules there are for an agent, those that deny first.
func (p *Policy) List(agentID string) []Listed {
	rules := (*p.agents.Load())[agentID]
	list := []Listed{}
	for _, l := range []struct {
		key      string
		effect   Effect
		patterns []string
	}{{"alwaysDeny", Deny, rules.AlwaysDeny}, {"alwaysAllow", Allow, rules.AlwaysAllow}} {
		for _, pattern := range l.patterns {
			made, about := rules.placed(PatternName(l.key, pattern), agentID)
			made.Effect, made.Text = l.effect, l.key+": "+quoteList([]string{pattern})
			made.Sentence = subject(about, l.effect).tools(pattern).say(".").parts
			list = append(list, made)
		}
	}
	for _, made := range rules.Rules {
		list = append(list, rules.rule(made, agentID))
	}
	list = append(list, rules.Protected.listed()...)
	order := []Effect{Deny, Ask, Allow}
	slices.SortStableFunc(list, func(a, b Listed) int { return slices.Index(order, a.Effect) - slices.Index(order, b.Effect) })
	return list
}

// rule is one of an agent's rules, listed.
func (r Rules) rule(made *Compiled, agentID string) Listed {
	listed, about := r.placed(made.rule.Name, agentID)
	listed.Effect, listed.Reason, listed.Text, listed.Sentence = made.rule.Effect, made.rule.Reason, made.rule.yaml(), made.sentence(about)
	return listed
}

// placed begins a rule's entry with where it stands; about is the agent that it is for, empty for all.
func (r Rules) placed(name, agentID string) (listed Listed, about string) {
	at := r.Places[name]
	listed = Listed{Rule: name, Scope: "gateway", Place: at.File}
	if at.Own || strings.HasPrefix(name, "agents.") {
		listed.Scope, about = "agent", agentID
	}
	return listed, about
}

// ListTool is what the file says about one of an agent's tools.
func ListTool(agentID, toolName string, t approval.TermsView) (list []Listed) {
	add := func(name string, effect Effect, text string, s *sentence) {
		list = append(list, Listed{Rule: name, Effect: effect, Scope: "agent", Sentence: s.say(".").parts, Text: text})
	}
	about := func(effect Effect) *sentence { return subject(agentID, effect).add(approval.PartName, toolName) }
	key := "tools." + toolName + ".approval."
	switch {
	case t.Required == nil:
	case *t.Required:
		add("approval.required: true", Ask, key+"required: true", about(Ask).say(", whatever the mode, unless a rule or a standing approval allows the call"))
	default:
		add("approval.required: false", Allow, key+"required: false", about(Allow))
	}
	if t.Pattern != "" {
		add("approval.pattern", Allow, key+"pattern: "+quote(t.Pattern), about(Allow).say(" with arguments that match ").add(approval.PartCode, t.Pattern))
	}
	return list
}

// ListMode is what an agent's mode does with the calls that nothing else decides about. What waits for
// an answer is denied after the time given; zero: it waits without limit.
func ListMode(agentID string, mode approval.Mode, wait time.Duration) Listed {
	listed := Listed{Rule: "mode " + string(mode), Effect: Ask, Scope: "agent", Text: "mode: " + string(mode)}
	s := (&sentence{}).add(approval.PartAgent, agentID)
	switch mode {
	case approval.Manual:
		s.say(" must ask before every other call.")
		if wait > 0 {
			s.say(" If nobody answers within " + inWords(wait) + ", the call is denied.")
		}
	case approval.AutoApprove:
		listed.Effect = Allow
		s.say(" may make every other call.")
	case approval.AutoDeny:
		listed.Effect = Deny
		s.say(" may make no other call.")
	default:
		listed.Effect = Deny // as approval.Weigh does
		return listed
	}
	listed.Sentence = s.parts
	return listed
}

// inWords is a time in its largest whole unit.
func inWords(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := d / u.unit; d%u.unit == 0 && n == 1 {
			return "1 " + u.name
		} else if d%u.unit == 0 && n > 1 {
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}
	return d.String()
}

// listed is what holds for the gateway itself, whatever the file says.
func (p Protected) listed() (list []Listed) {
	if len(p.Deny) > 0 {
		s := subject("", Deny).say("any tool on the gateway's own data.")
		list = append(list, Listed{Rule: "protected", Effect: Deny, Scope: "gateway", Sentence: s.parts})
	}
	if len(p.Ask) > 0 {
		s := subject("", Ask).say("any tool on the gateway's configuration, on settings of a coding agent that can switch its hook off, or to run a command of the gateway.")
		list = append(list, Listed{Rule: "protected", Effect: Ask, Scope: "gateway", Sentence: s.parts})
	}
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
