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
		Protected: policy.Protected{Deny: []string{"/srv/gateway"}},
		Places: map[string]policy.Place{
			"toolPolicies.alwaysDeny: drop_*": {File: "agents.yaml, line 3"}, "toolPolicies.alwaysAllow: read_*": {File: "agents.yaml, line 9", Own: true},
		},
	}})
	want := []policy.Listed{
		{
			Rule: "toolPolicies.alwaysDeny: drop_*", Effect: policy.Deny, Scope: "gateway", Place: "agents.yaml, line 3", Text: `alwaysDeny: ["drop_*"]`,
			Sentence: approval.Sentence{{Text: "No agent", Kind: approval.PartName}, {Text: " may use tools named "}, {Text: "drop_*", Kind: approval.PartCode}, {Text: "."}},
		},
		{
			Rule: "protected", Effect: policy.Deny, Scope: "gateway",
			Sentence: approval.Sentence{{Text: "No agent", Kind: approval.PartName}, {Text: " may use any tool on the gateway's own data."}},
		},
		{
			Rule: "toolConfirmation.rules[3]", Effect: policy.Ask, Scope: "gateway",
			Text: "tool: \"*\"\nargs: {\"text\":{\"glob\":\"*$${X}*\"}}\nwhen: \"tool != \\\"x\\\"\"\neffect: \"ask\"\nrisk: \"high\"",
			Sentence: approval.Sentence{
				{Text: "Every agent", Kind: approval.PartName}, {Text: " must ask before using any tool with "}, {Text: "text", Kind: approval.PartCode}, {Text: " like "},
				{Text: "*${X}*", Kind: approval.PartCode}, {Text: " if "}, {Text: `tool != "x"`, Kind: approval.PartCode}, {Text: ". Such a call counts as "},
				{Text: "high risk", Kind: approval.PartName}, {Text: " at least."},
			},
		},
		{
			Rule: "toolPolicies.alwaysAllow: read_*", Effect: policy.Allow, Scope: "agent", Place: "agents.yaml, line 9", Text: `alwaysAllow: ["read_*"]`,
			Sentence: approval.Sentence{{Text: "demo", Kind: approval.PartAgent}, {Text: " may use tools named "}, {Text: "read_*", Kind: approval.PartCode}, {Text: "."}},
		},
		{
			Rule: "agents.demo.toolConfirmation.rules[0]", Effect: policy.Allow, Scope: "agent", Reason: "harmless",
			Text: "tool: \"shell\"\ncommand: [\"git status *\"]\neffect: \"allow\"\nreason: \"harmless\"",
			Sentence: approval.Sentence{
				{Text: "demo", Kind: approval.PartAgent}, {Text: " may use "}, {Text: "shell", Kind: approval.PartName}, {Text: " to run "},
				{Text: "git status …", Kind: approval.PartCode}, {Text: "."},
			},
		},
	}
	if diff := cmp.Diff(want, p.List("demo")); diff != "" {
		t.Error(diff)
	}
	if got := p.List("nobody"); len(got) != 0 {
		t.Errorf("an agent that is not there has %v", got)
	}
}
