package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

func TestACommandLineIsToldCommandByCommand(t *testing.T) {
	for command, want := range map[string][]approval.Command{
		"ls -l": {{Text: "ls -l"}},
		"cd src && rm -rf build > log": {
			{Text: "cd src"},
			{Text: "rm -rf build > log", Risk: approval.RiskHigh, Does: []string{"deletes files recursively (rm -r)", "writes a file (log)"}},
		},
		"echo '\u202e'": {{Text: "echo '⟨U+202E⟩'"}},
	} {
		if diff := cmp.Diff(want, judge(t, policy.Rules{}, line(t, command)).Commands); diff != "" {
			t.Errorf("%s:\n%s", command, diff)
		}
	}
	many := "echo " + strings.Repeat("x", 3000)
	for i := range 60 {
		many += fmt.Sprintf("; echo %d", i)
	}
	all := judge(t, policy.Rules{}, line(t, many)).Commands
	if len(all) != 40 || !strings.HasSuffix(all[0].Text, "x…") || len(all[0].Text) != 2003 {
		t.Errorf("of %d bytes %d are told", len(many), len(all))
	}
	denied := policy.Rules{Rules: compiled(t, policy.Rule{Command: []string{"rm *"}, Effect: policy.Deny})}
	if v := judge(t, denied, line(t, "ls && rm x")); v.Effect != approval.Deny || len(v.Commands) != 2 {
		t.Errorf("of what is denied %+v are told", v.Commands)
	}
	allowed := policy.Rules{Rules: compiled(t, policy.Rule{Command: []string{"ls *"}, Effect: policy.Allow})}
	if v := judge(t, allowed, line(t, "ls -l")); len(v.Commands) > 0 {
		t.Errorf("nobody is asked, and %+v are told", v.Commands)
	}
}

func TestTheRulesOfAnAgentAreListedInTheWordsOfTheFile(t *testing.T) {
	glob := "*${X}*"
	one, faults := policy.Compile(policy.Rule{
		Name: "agents.demo.toolConfirmation.rules[0]", Tool: "shell", Command: []string{"git status *"}, Effect: policy.Allow, Reason: "harmless",
	}, nil)
	other, more := policy.Compile(policy.Rule{
		Name: "toolConfirmation.rules[3]", Tool: "*", Args: map[string]policy.Matcher{"text": {Glob: &glob}}, When: `tool != "x"`, Effect: policy.Ask, Risk: approval.RiskHigh,
	}, nil)
	if len(faults)+len(more) > 0 {
		t.Fatal(faults, more)
	}
	p := policy.New(nil, map[string]policy.Rules{"demo": {
		AlwaysAllow: []string{"read_*"}, AlwaysDeny: []string{"drop_*"}, Rules: []*policy.Compiled{one, other},
	}})
	want := []policy.Listed{
		{Rule: "toolPolicies.alwaysDeny", Effect: policy.Deny, Scope: "gateway", Text: "drop_*"},
		{Rule: "toolConfirmation.rules[3]", Effect: policy.Ask, Scope: "gateway", Text: "tool: \"*\"\nargs: {\"text\":{\"glob\":\"*$${X}*\"}}\nwhen: \"tool != \\\"x\\\"\"\neffect: \"ask\"\nrisk: \"high\""},
		{Rule: "toolPolicies.alwaysAllow", Effect: policy.Allow, Scope: "gateway", Text: "read_*"},
		{Rule: "agents.demo.toolConfirmation.rules[0]", Effect: policy.Allow, Scope: "agent", Text: "tool: \"shell\"\ncommand: [\"git status *\"]\neffect: \"allow\"\nreason: \"harmless\""},
	}
	if diff := cmp.Diff(want, p.List("demo")); diff != "" {
		t.Error(diff)
	}
	if got := p.List("nobody"); len(got) != 0 {
		t.Errorf("an agent that is not there has %v", got)
	}
}
