package policy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

// remembered is a store of grants that holds one for everything, or fails.
type remembered struct {
	grant bool
	err   error
}

func (r remembered) Granted(context.Context, approval.Request) (approval.Grant, bool, error) {
	return approval.Grant{Scope: approval.Session, GivenBy: approval.By{Subject: "ada"}}, r.grant, r.err
}

func about(agent, tool string) approval.Case {
	return approval.Case{Request: approval.Request{AgentID: agent, ToolName: tool, Args: jsontext.Value(`{"command":"id"}`)}}
}

func TestRulesDecideInTheirOrderAndSayWhichOneDid(t *testing.T) {
	rules := map[string]policy.Rules{"demo": {
		AlwaysAllow: []string{"read_*", "both"},
		AlwaysDeny:  []string{"both", "rm*"},
	}}
	for name, c := range map[string]struct {
		tool   string
		grant  bool
		effect approval.Effect
		rule   string
	}{
		"an allowed tool":                {"read_file", false, approval.Allow, "toolPolicies.alwaysAllow: read_*"},
		"a denied tool":                  {"rm_all", false, approval.Deny, "toolPolicies.alwaysDeny: rm*"},
		"deny beats allow":               {"both", false, approval.Deny, "toolPolicies.alwaysDeny: both"},
		"deny beats a grant":             {"rm", true, approval.Deny, "toolPolicies.alwaysDeny: rm*"},
		"a grant where no rule speaks":   {"shell", true, approval.Allow, "granted for this session by ada"},
		"the mode where nothing speaks":  {"shell", false, approval.AskPerson, "mode manual"},
		"a name is not another's prefix": {"read", false, approval.AskPerson, "mode manual"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := policy.New(remembered{grant: c.grant}, rules).Judge(t.Context(), about("demo", c.tool))
			if err != nil || v.Effect != c.effect || v.Rule != c.rule {
				t.Errorf("effect %v by %q, %v", v.Effect, v.Rule, err)
			}
		})
	}
}

func TestAnAgentWithoutRulesAndAStoreThatFailsAreErrors(t *testing.T) {
	if v, err := policy.New(remembered{}, nil).Judge(t.Context(), about("stranger", "shell")); err == nil || v.Effect == approval.Allow {
		t.Errorf("a stranger got %+v, %v", v, err)
	}
	broken := policy.New(remembered{grant: true, err: errors.New("no disk")}, map[string]policy.Rules{"demo": {}})
	if v, err := broken.Judge(t.Context(), about("demo", "shell")); err == nil || v.Effect == approval.Allow {
		t.Errorf("with a broken store: %+v, %v", v, err)
	}
}

func TestAForgetfulAgentsGrantsDieWithTheProcess(t *testing.T) {
	for forgetful, want := range map[bool]approval.Effect{true: approval.AskPerson, false: approval.Allow} {
		rules := map[string]policy.Rules{"demo": {Forgetful: forgetful}}
		v, err := policy.New(remembered{grant: true}, rules).Judge(t.Context(), about("demo", "shell"))
		if err != nil || v.Effect != want {
			t.Errorf("forgetful %v: effect %v, %v", forgetful, v.Effect, err)
		}
	}
}

func TestPatternsCoverNames(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"shell", "shell", true}, {"shell", "shell2", false}, {"*", "anything/at:all", true}, {"*", "", true},
		{"a*c", "abbbc", true}, {"a*c", "ac", true}, {"a*c", "acb", false}, {"*__write*", "fs__write_file", true},
		{"", "x", false}, {"a?c", "abc", false},
	} {
		if got := policy.Covers(c.pattern, c.name); got != c.want {
			t.Errorf("%q covers %q: %v", c.pattern, c.name, got)
		}
	}
}
