// Package policy is the gateway's judge: it holds each agent's rules and says
// what they find about a call. Their order, deny before everything, is
// approval.Weigh's; a call of an agent without rules is denied.
package policy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
)

// Rules are what agents.yaml says about an agent's tools under toolPolicies.
// Each entry is a tool's name; * stands for any characters.
type Rules struct {
	AlwaysAllow []string
	AlwaysDeny  []string
	Forgetful   bool // grants given before this policy was made don't count
}

// Policy judges the calls of all agents.
type Policy struct {
	grants approval.Grants
	agents map[string]Rules
	since  time.Time
}

// New makes a policy from each agent's rules.
func New(grants approval.Grants, agents map[string]Rules) *Policy {
	return &Policy{grants: grants, agents: agents, since: time.Now()}
}

// Judge implements approval.Judge.
func (p *Policy) Judge(ctx context.Context, c approval.Case) (approval.Verdict, error) {
	rules, ok := p.agents[c.Request.AgentID]
	if !ok {
		return approval.Verdict{}, fmt.Errorf("policy: no rules for agent %q", c.Request.AgentID)
	}
	grants := p.grants
	if rules.Forgetful {
		grants = recent{grants, p.since}
	}
	f, err := approval.Find(ctx, c, grants)
	if err != nil {
		return approval.Verdict{}, err
	}
	if pattern, hit := covering(rules.AlwaysDeny, c.Request.ToolName); hit {
		f.Deny = "toolPolicies.alwaysDeny: " + pattern
	}
	if pattern, hit := covering(rules.AlwaysAllow, c.Request.ToolName); hit {
		f.Allow = "toolPolicies.alwaysAllow: " + pattern
	}
	v := approval.Weigh(f, c.Terms.Need, c.Mode)
	v.Trace = trace(f)
	return v, nil
}

// recent is those of some grants that were given since a time.
type recent struct {
	grants approval.Grants
	since  time.Time
}

// Granted implements approval.Grants. The newest grant is the one returned, so
// that an old one hides none.
func (r recent) Granted(ctx context.Context, request approval.Request) (approval.Grant, bool, error) {
	g, ok, err := r.grants.Granted(ctx, request)
	return g, ok && !g.GivenAt.Before(r.since), err
}

// trace writes down what was found, in the order of its weight.
func trace(f approval.Findings) []string {
	var lines []string
	for _, found := range []struct{ what, rule string }{
		{"deny", f.Deny}, {"ask", f.Ask}, {"allow", f.Allow}, {"grant", f.Grant},
	} {
		if found.rule != "" {
			lines = append(lines, found.what+": "+found.rule)
		}
	}
	return lines
}

func covering(patterns []string, name string) (string, bool) {
	for _, p := range patterns {
		if Covers(p, name) {
			return p, true
		}
	}
	return "", false
}

// Covers reports whether a tool pattern covers a name: letter by letter, with
// * for any characters, none included.
func Covers(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for i := 0; i <= len(name); i++ {
		if Covers(rest, name[i:]) {
			return true
		}
	}
	return false
}
