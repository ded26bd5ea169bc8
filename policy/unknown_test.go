package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// unknownLines are command lines of which it is not known what they run.
func unknownLines() []string {
	return []string{
		"x=\"${y:-'$(id)'}\"; pwd", "head <<E\n${y:-'$(id)'}\nE", "x=`ls \"\"#;id`; ls", "echo \"${x:=\"$\\(id)\"}\"",
		"echo `id`", "echo $'a'", "echo \"$(id)\"", "echo 'unclosed", "diff <(ls) <(ls -a)", "eval $X", "alias ls=id", "echo \u202e",
	}
}

// clearance is a way to clear every call of the shell.
type clearance struct {
	rules  policy.Rules
	grants []approval.Grant
	terms  approval.Terms
}

func clearances(t *testing.T, command string) map[string]clearance {
	t.Helper()
	everything, err := approval.CompilePattern("(?s).*")
	if err != nil {
		t.Fatal(err)
	}
	text, err := jsontext.AppendQuote(nil, command)
	if err != nil {
		t.Fatal(err)
	}
	exactly := granted(approval.Exactly())
	exactly.Digest = line(t, command).Request.ArgsDigest
	rule := func(r policy.Rule) clearance {
		r.Effect = policy.Allow
		return clearance{rules: policy.Rules{Rules: compiled(t, r)}}
	}
	return map[string]clearance{
		"alwaysAllow":                         {rules: policy.Rules{AlwaysAllow: []string{"shell"}}},
		"alwaysAllow of all tools":            {rules: policy.Rules{AlwaysAllow: []string{"*"}}},
		"a rule that names the tool":          rule(policy.Rule{Tool: "shell"}),
		"a rule with a condition":             rule(policy.Rule{Tool: "shell", When: `agent == "demo"`}),
		"a rule that names the very call":     rule(policy.Rule{Args: map[string]policy.Matcher{"command": {Equals: text}}}),
		"a rule for all commands":             rule(policy.Rule{Command: []string{"*"}}),
		"a rule for all commands and folders": rule(policy.Rule{Command: []string{"*"}, Paths: []string{"/"}}),
		"a pattern of the tool":               {terms: approval.Terms{Pattern: everything}},
		"a grant for this call":               {grants: []approval.Grant{exactly}},
		"a grant for all commands":            {grants: []approval.Grant{granted(ofCommands("*"))}},
	}
}

func TestALineThatIsNotKnownIsClearedByNoRuleAndNoGrant(t *testing.T) {
	for _, command := range unknownLines() {
		for name, c := range clearances(t, command) {
			for _, need := range []approval.Need{approval.NeedByMode, approval.NeedAsk} {
				call := line(t, command)
				call.Terms, call.Terms.Need = c.terms, need
				v := judge(t, c.rules, call, c.grants...)
				if v.Effect != approval.AskPerson || v.Grant != nil || !slices.Equal(v.Scopes, []approval.Scope{approval.Once}) || v.Covers != nil {
					t.Errorf("%q by %s: %v by %q, scopes %v, offers %v", command, name, v.Effect, v.Rule, v.Scopes, v.Covers)
				}
				if !slices.ContainsFunc(v.Trace, func(s string) bool {
					return strings.HasPrefix(s, "not known what it runs, so no rule or grant clears it: ")
				}) {
					t.Errorf("%q by %s: the trace is %q", command, name, v.Trace)
				}
			}
		}
	}
}

func TestAKnownLineIsClearedAsBefore(t *testing.T) {
	for name, c := range clearances(t, "id") {
		call := line(t, "id")
		call.Terms = c.terms
		if v := judge(t, c.rules, call, c.grants...); v.Effect != approval.Allow {
			t.Errorf("%s: %v, %q", name, v.Effect, v.Trace)
		}
	}
}

func TestATextWithMarksOfAShellIsNoCommandToAToolThatRunsNone(t *testing.T) {
	note := tool.Spec{Name: "note"}
	call := about(note, args(t, "text", "`id` ${x:-y} $("))
	whole := granted(approval.WholeTool("note"))
	whole.ToolName = "note"
	if v := judge(t, policy.Rules{AlwaysAllow: []string{"note"}}, call); v.Effect != approval.Allow {
		t.Errorf("a rule: %v", v.Effect)
	}
	if v := judge(t, policy.Rules{}, call, whole); v.Grant == nil || v.Effect != approval.Allow {
		t.Errorf("a grant: %v", v.Effect)
	}
}

func TestAModeDecidesAboutALineThatIsNotKnownUnlessARuleDoubtsIt(t *testing.T) {
	deny := policy.Rule{Command: []string{"rm *"}, Effect: policy.Deny}
	allow := policy.Rules{AlwaysAllow: []string{"shell"}}
	doubting := policy.Rules{AlwaysAllow: []string{"shell"}, Rules: compiled(t, deny)}
	for _, command := range unknownLines() {
		for mode, want := range map[approval.Mode]approval.Effect{
			approval.Manual: approval.AskPerson, approval.AutoApprove: approval.Allow, approval.AutoDeny: approval.Deny,
		} {
			call := line(t, command)
			call.Mode = mode
			if v := judge(t, allow, call); v.Effect != want {
				t.Errorf("%q, %s: %v by %q", command, mode, v.Effect, v.Rule)
			}
			if v := judge(t, doubting, call); v.Effect != approval.AskPerson {
				t.Errorf("%q, %s and a deny rule: %v by %q", command, mode, v.Effect, v.Rule)
			}
		}
	}
}

func TestNoRuleIsSuggestedForALineThatIsNotKnown(t *testing.T) {
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": {}})
	for _, command := range unknownLines() {
		if got := p.Suggest(line(t, command), nil); len(got) > 0 {
			t.Errorf("%q: %+v", command, got)
		}
	}
}
