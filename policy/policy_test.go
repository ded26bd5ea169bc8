package policy_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// remembered is a store that holds grants, newest first, or fails.
type remembered struct {
	grants  []approval.Grant
	refused []approval.Refusal
	err     error
}

func (r remembered) Refused(context.Context, string) ([]approval.Refusal, error) {
	return r.refused, r.err
}

func (r remembered) Held(_ context.Context, sessionID, agentID, toolName string) ([]approval.Grant, error) {
	return slices.DeleteFunc(slices.Clone(r.grants), func(g approval.Grant) bool {
		return g.SessionID != sessionID || g.AgentID != agentID || g.ToolName != toolName
	}), r.err
}

// shellSpec is a tool that runs commands.
func shellSpec() tool.Spec {
	return tool.Spec{
		Name: "shell", Command: tool.CommandArgs{Line: "command", Argv: "argv"}, Hints: tool.Hints{Destructive: true, Trusted: true},
		Schema: tool.JSON(`{"type":"object","properties":{"command":{"type":"string"},"argv":{"type":"array","items":{"type":"string"}},` +
			`"timeoutSeconds":{"type":"integer"}},"additionalProperties":false}`),
	}
}

// fileSpec is a tool that works with one file.
func fileSpec(name string) tool.Spec {
	return tool.Spec{Name: name, Paths: []string{"path"}}
}

func args(t testing.TB, pairs ...any) tool.JSON {
	t.Helper()
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		object[pairs[i].(string)] = pairs[i+1]
	}
	data, err := json.Marshal(object, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// about is a call of a tool by agent demo in session s1.
func about(spec tool.Spec, args tool.JSON) approval.Case {
	return approval.Case{Spec: spec, Request: approval.Request{
		ToolDigest: "sha256:tool",
		Type:       approval.ToolConfirmation, AgentID: "demo", SessionID: "s1", ToolName: spec.Name, Args: args,
		ArgsDigest: "sha256:" + string(args),
	}}
}

func line(t testing.TB, command string) approval.Case {
	return about(shellSpec(), args(t, "command", command))
}

// compiled makes rules ready; each is named after its place.
func compiled(t testing.TB, rules ...policy.Rule) []*policy.Compiled {
	t.Helper()
	made := make([]*policy.Compiled, 0, len(rules))
	for i, r := range rules {
		r.Name = fmt.Sprintf("rules[%d]", i)
		if r.Tool == "" {
			r.Tool = "*"
		}
		c, faults := policy.Compile(r, nil)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", r.Name, faults)
		}
		made = append(made, c)
	}
	return made
}

// home is what ~ stands for, unless a test says otherwise.
const home = "/home/ada"

func TestMain(m *testing.M) {
	if err := os.Setenv("HOME", home); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func judge(t testing.TB, rules policy.Rules, c approval.Case, grants ...approval.Grant) approval.Verdict {
	t.Helper()
	p := policy.New(remembered{grants: grants}, map[string]policy.Rules{"demo": rules})
	p.Home = os.Getenv("HOME")
	v, err := p.Judge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// effectOf is what rules alone make of a call; what no rule decides is asked.
func effectOf(t testing.TB, dir string, c approval.Case, rules ...policy.Rule) string {
	t.Helper()
	v := judge(t, policy.Rules{Rules: compiled(t, rules...), WorkingDirectory: dir}, c)
	return word(v)
}

// word is a verdict in one word; mode is the question that no rule asks.
func word(v approval.Verdict) string {
	switch {
	case v.Effect == approval.Allow:
		return "allow"
	case v.Effect == approval.Deny:
		return "deny"
	case v.Rule == "mode manual":
		return "mode"
	default:
		return "ask"
	}
}

// finding is a way to make one kind of finding speak about `id`.
type finding struct {
	name string
	add  func(*policy.Rules, *[]policy.Rule)
}

func matches() []finding {
	addRule := func(r policy.Rule) func(*policy.Rules, *[]policy.Rule) {
		return func(_ *policy.Rules, list *[]policy.Rule) { *list = append(*list, r) }
	}
	return []finding{
		{"deny", addRule(policy.Rule{Command: []string{"id"}, Effect: policy.Deny})},
		{"deny", func(r *policy.Rules, _ *[]policy.Rule) { r.AlwaysDeny = []string{"sh*"} }},
		{"nothing", addRule(policy.Rule{Command: []string{"id -n x"}, When: "args.nothing == 1", Effect: policy.Ask})},
		{"ask", addRule(policy.Rule{When: "args.nothing == 1", Effect: policy.Deny})},
		{"ask", addRule(policy.Rule{Command: []string{"id"}, Effect: policy.Ask})},
		{"allow", addRule(policy.Rule{Command: []string{"id"}, Effect: policy.Allow})},
		{"allow", func(r *policy.Rules, _ *[]policy.Rule) { r.AlwaysAllow = []string{"shell"} }},
	}
}

func TestThePrecedenceHoldsOverEveryCombination(t *testing.T) {
	all := matches()
	grant := granted(approval.Exactly())
	grant.Digest = line(t, "id").Request.ArgsDigest
	for set := range 1 << len(all) {
		has := map[string]bool{}
		var rules policy.Rules
		var list []policy.Rule
		for i, f := range all {
			if set&(1<<i) != 0 {
				f.add(&rules, &list)
				has[f.name] = true
			}
		}
		rules.Rules = compiled(t, list...)
		for _, need := range []approval.Need{approval.NeedByMode, approval.NeedAsk, approval.NeedNone} {
			for _, mode := range []approval.Mode{"", approval.Manual, approval.AutoApprove, approval.AutoDeny, "yolo"} {
				for _, grants := range [][]approval.Grant{nil, {grant}} {
					c := line(t, "id")
					c.Terms.Need, c.Mode = need, mode
					v := judge(t, rules, c, grants...)
					if want := expected(has, need, mode, len(grants) > 0); v.Effect != want {
						t.Fatalf("%v, need %v, mode %q, %d grants: %v by %q, want %v", has, need, mode, len(grants), v.Effect, v.Rule, want)
					}
					if v.Effect == approval.AskPerson && has["ask"] && !slices.Equal(v.Scopes, []approval.Scope{approval.Once}) {
						t.Fatalf("%v: an ask rule offers %v", has, v.Scopes)
					}
				}
			}
		}
	}
}

// expected is the order, said once more and otherwise than in approval.Weigh.
func expected(has map[string]bool, need approval.Need, mode approval.Mode, grant bool) approval.Effect {
	if has["deny"] {
		return approval.Deny
	}
	if has["ask"] {
		return approval.AskPerson
	}
	if has["allow"] || need == approval.NeedNone || grant {
		return approval.Allow
	}
	if need == approval.NeedAsk {
		return approval.AskPerson
	}
	return map[approval.Mode]approval.Effect{
		"": approval.AskPerson, approval.Manual: approval.AskPerson, approval.AutoApprove: approval.Allow,
		approval.AutoDeny: approval.Deny, "yolo": approval.Deny,
	}[mode]
}

func TestAVerdictNamesItsRuleAndTheTraceAllFindings(t *testing.T) {
	rules := policy.Rules{AlwaysAllow: []string{"sh*"}, Rules: compiled(t,
		policy.Rule{Command: []string{"git push --force *"}, Effect: policy.Deny, Reason: "no force pushes"},
		policy.Rule{Command: []string{"git push *"}, Effect: policy.Ask, Reason: "a push is seen by others"},
	)}
	v := judge(t, rules, line(t, "git push -f origin main"))
	want := []string{
		"deny: rules[0]: no force pushes", "ask: rules[1]: a push is seen by others", "allow: toolPolicies.alwaysAllow: sh*",
	}
	if v.Rule != "rules[0]: no force pushes" || !slices.Equal(v.Trace, want) {
		t.Errorf("rule %q\ntrace %q", v.Rule, v.Trace)
	}
	v = judge(t, rules, line(t, `git push "$HOW" origin`))
	if v.Effect != approval.AskPerson || v.Rule != "rules[1]: a push is seen by others" ||
		!strings.HasPrefix(v.Trace[1], "ask: rules[0] may match, since the line has $HOW") {
		t.Errorf("a push of who knows what: %q\ntrace %q", v.Rule, v.Trace)
	}
}

func TestAnAgentWithoutRulesABrokenStoreAndOddArgumentsAreErrors(t *testing.T) {
	rules := map[string]policy.Rules{"demo": {AlwaysAllow: []string{"allowed"}}}
	working := policy.New(remembered{}, rules)
	broken := policy.New(remembered{err: errors.New("no disk")}, rules)
	stranger, question := line(t, "id"), line(t, "id")
	stranger.Request.AgentID, question.Request.Type = "stranger", approval.Elicitation
	for name, c := range map[string]struct {
		policy *policy.Policy
		of     approval.Case
	}{
		"an agent without rules": {working, stranger},
		"a store that fails":     {broken, line(t, "id")},
		"a duplicate name":       {working, about(tool.Spec{Name: "allowed"}, tool.JSON(`{"a":1,"a":2}`))},
		"no object":              {working, about(tool.Spec{Name: "allowed"}, tool.JSON(`[1]`))},
		"null":                   {working, about(tool.Spec{Name: "allowed"}, tool.JSON(`null`))},
		"no JSON":                {working, about(tool.Spec{Name: "allowed"}, tool.JSON(`{"a":`))},
		"a number nobody keeps":  {working, about(tool.Spec{Name: "allowed"}, tool.JSON(`{"a":9007199254740993}`))},
		"a question":             {working, question},
	} {
		t.Run(name, func(t *testing.T) {
			if v, err := c.policy.Judge(t.Context(), c.of); err == nil || v.Effect != 0 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

func TestReplacedRulesHoldAtOnceAndAreACopy(t *testing.T) {
	rules := map[string]policy.Rules{"demo": {AlwaysAllow: []string{"*"}}}
	p := policy.New(remembered{}, rules)
	rules["demo"] = policy.Rules{AlwaysDeny: []string{"*"}}
	for _, want := range []approval.Effect{approval.Allow, approval.Deny} {
		v, err := p.Judge(t.Context(), line(t, "id"))
		if err != nil || v.Effect != want {
			t.Errorf("effect %v, want %v, %v", v.Effect, want, err)
		}
		p.Replace(rules)
	}
}

func TestPatternsCoverNames(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"shell", "shell", true}, {"shell", "shell2", false}, {"*", "anything/at:all", true}, {"*", "", true},
		{"a*c", "abbbc", true}, {"a*c", "ac", true}, {"a*c", "acb", false}, {"*__write*", "fs__write_file", true},
		{"", "x", false}, {"", "", true}, {"a?c", "abc", false}, {"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-c-b", false},
		{"**x", "yx", true}, {"*ab", "aab", true}, {"a*a", "a", false},
		{strings.Repeat("*a", 40) + "b", strings.Repeat("a", 4000), false}, // and that within this century
	} {
		if got := policy.Covers(c.pattern, c.name); got != c.want {
			t.Errorf("%.20q covers %.20q: %v", c.pattern, c.name, got)
		}
	}
}
