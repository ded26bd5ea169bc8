package policy_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

func editSpec() tool.Spec {
	return tool.Spec{Name: "edit_file", Schema: tool.JSON(`{"type":"object","additionalProperties":false,"properties":{
		"path":{"type":"string"},"a.b":{"type":"string"},
		"edits":{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"old":{"type":"string"}}}},
		"free":{"type":"object"},"either":{"anyOf":[{"type":"string"},{"type":"object"}]}}}`)}
}

func TestARuleThatCouldNotWorkIsAFaultWithARemedy(t *testing.T) {
	on := func(path string, m policy.Matcher) map[string]policy.Matcher {
		return map[string]policy.Matcher{path: m}
	}
	a, empty := "a", ""
	ask := policy.Rule{Tool: "edit_file", Effect: policy.Ask}
	shell := policy.Rule{Tool: "shell", Effect: policy.Allow}
	with := func(r policy.Rule, change func(*policy.Rule)) policy.Rule { change(&r); return r }
	for name, c := range map[string]struct {
		rule     policy.Rule
		at, text string
	}{
		"no tool":        {policy.Rule{Effect: policy.Deny}, "tool", "which tool"},
		"no effect":      {policy.Rule{Tool: "*"}, "effect", "allow, ask or deny"},
		"another effect": {policy.Rule{Tool: "*", Effect: "Deny"}, "effect", `unknown effect "Deny"`},
		"another risk":   {policy.Rule{Tool: "*", Effect: policy.Ask, Risk: "huge"}, "risk", "low, medium, high or critical"},
		"no matcher":     {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{}) }), "args path", "exactly one of"},
		"two matchers":   {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Glob: &a, Prefix: &a}) }), "args path", "exactly one of"},
		"equals what is no JSON": {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Equals: tool.JSON(`{`)}) }),
			"args path equals", ""},
		"an empty glob":        {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Glob: &empty}) }), "args path glob", `equals: ""`},
		"a glob with brackets": {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Glob: ptr("[ab]*")}) }), "args path glob", "regex"},
		"a glob with braces":   {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Glob: ptr("*.{go,md}")}) }), "args path glob", "regex"},
		"an empty prefix":      {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Prefix: &empty}) }), "args path prefix", "leave"},
		"a broken regex":       {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Regex: ptr("a(")}) }), "args path regex", "missing closing"},
		"a regex that closes too much": {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{Regex: ptr("a)|(b")}) }),
			"args path regex", "unexpected )"},
		"an empty folder": {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{PathWithin: &empty}) }), "args path pathWithin", `"."`},
		"a host with a path": {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{HostWithin: ptr("https://a.b/")}) }),
			"args path hostWithin", "bare name"},
		"a host with a star":    {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{HostWithin: ptr("*.a.b")}) }), "args path hostWithin", "bare name"},
		"an international host": {with(ask, func(r *policy.Rule) { r.Args = on("path", policy.Matcher{HostWithin: ptr("bücher.de")}) }), "args path hostWithin", "xn--"},
		"an argument that is not there": {with(ask, func(r *policy.Rule) { r.Args = on("pth", policy.Matcher{Glob: &a}) }),
			"args pth", "edit_file has no argument pth; there are a.b, edits, either, free, path"},
		"one inside a list":               {with(ask, func(r *policy.Rule) { r.Args = on("edits.new", policy.Matcher{Glob: &a}) }), "args edits.new", "no argument new"},
		"one inside a text":               {with(ask, func(r *policy.Rule) { r.Args = on("path.x", policy.Matcher{Glob: &a}) }), "args path.x", "no argument x"},
		"a dot in a name":                 {with(ask, func(r *policy.Rule) { r.Args = on("a.b", policy.Matcher{Glob: &a}) }), "args a.b", "/a.b"},
		"an empty name":                   {with(ask, func(r *policy.Rule) { r.Args = on("a..b", policy.Matcher{Glob: &a}) }), "args a..b", "JSON Pointer"},
		"a broken pointer":                {with(ask, func(r *policy.Rule) { r.Args = on("/a~2", policy.Matcher{Glob: &a}) }), "args /a~2", "~0"},
		"an empty path":                   {with(ask, func(r *policy.Rule) { r.Paths = []string{"src", ""} }), "paths 1", `"."`},
		"a NUL in a path":                 {with(ask, func(r *policy.Rule) { r.Paths = []string{"a\x00"} }), "paths 0", "NUL"},
		"a star in a path":                {with(ask, func(r *policy.Rule) { r.Paths = []string{"src/*"} }), "paths 0", "leave the * out"},
		"another's home":                  {with(ask, func(r *policy.Rule) { r.Paths = []string{"~ada/x"} }), "paths 0", "absolute"},
		"commands of a tool without any":  {with(ask, func(r *policy.Rule) { r.Command = []string{"ls"} }), "command", "edit_file runs no commands"},
		"a sandbox of a rule that denies": {with(shell, func(r *policy.Rule) { r.Effect, r.Sandbox = policy.Deny, &tool.Fence{} }), "sandbox", "allow rule"},
		"a sandbox beside commands":       {with(shell, func(r *policy.Rule) { r.Command, r.Sandbox = []string{"ls"}, &tool.Fence{} }), "command", "leave command out"},
		"a star in a sandbox":             {with(shell, func(r *policy.Rule) { r.Sandbox = &tool.Fence{Writes: []string{"out/**"}} }), "sandbox writes 0", "leave the * out"},
		"a sandbox of a tool without any": {policy.Rule{Tool: "edit_file", Effect: policy.Allow, Sandbox: &tool.Fence{}}, "sandbox", "runs no commands"},
		"two commands in one":             {with(shell, func(r *policy.Rule) { r.Command = []string{"ls", "a && b"} }), "command 1", "no part of one command"},
		"a glob on a command":             {with(shell, func(r *policy.Rule) { r.Args = on("command", policy.Matcher{Glob: ptr("git *")}) }), "args command glob", "use command:"},
		"a regex on a list of words":      {with(shell, func(r *policy.Rule) { r.Args = on("argv", policy.Matcher{Regex: ptr("git")}) }), "args argv regex", "use command:"},
		"a condition on a command":        {with(shell, func(r *policy.Rule) { r.When = `args.command.startsWith("git")` }), "when", "use command:"},
		"a condition on all arguments":    {with(shell, func(r *policy.Rule) { r.When = `args.exists(k, k == "command")` }), "when", "use command:"},
		"a condition by index":            {with(shell, func(r *policy.Rule) { r.When = `args["argv"][0] == "git"` }), "when", "use command:"},
		"CEL that is not valid":           {with(ask, func(r *policy.Rule) { r.When = `args.path ==` }), "when", "column"},
		"CEL about nothing there is":      {with(ask, func(r *policy.Rule) { r.When = `user == "ada"` }), "when", "there are tool, args"},
		"CEL that is a text":              {with(ask, func(r *policy.Rule) { r.When = `"x" + tool` }), "when", "true or false"},
		"CEL that may be anything":        {with(ask, func(r *policy.Rule) { r.When = `args.force` }), "when", "args.force == true"},
		"CEL with a broken regex":         {with(ask, func(r *policy.Rule) { r.When = `tool.matches("a(")` }), "when", ""},
		"CEL without end":                 {with(ask, func(r *policy.Rule) { r.When = strings.Repeat("true || ", 1000) + "true" }), "when", "split"},
	} {
		t.Run(name, func(t *testing.T) {
			made, faults := policy.Compile(c.rule, []tool.Spec{shellSpec(), editSpec()})
			if made != nil || len(faults) != 1 || strings.Join(faults[0].At, " ") != c.at || !strings.Contains(faults[0].Text, c.text) ||
				faults[0].Text == "" || strings.Contains(faults[0].Text, "\n") {
				t.Errorf("%v, %q", made != nil, faults)
			}
		})
	}
}

func ptr(s string) *string { return &s }

func TestAllFaultsOfARuleAreToldAtOnce(t *testing.T) {
	_, faults := policy.Compile(policy.Rule{Args: map[string]policy.Matcher{"a": {}, "b": {}}, Paths: []string{""}, When: "1"}, nil)
	if len(faults) != 6 {
		t.Errorf("%q", faults)
	}
}

func TestRulesThatWorkHaveNoFaults(t *testing.T) {
	a := policy.Matcher{Glob: ptr("a*")}
	for name, r := range map[string]policy.Rule{
		"an argument in a list":          {Tool: "edit_file", Args: map[string]policy.Matcher{"edits.old": a, "edits.0.old": a, "/edits/0/old": a}},
		"one in what is open":            {Tool: "edit_file", Args: map[string]policy.Matcher{"free.x.y": a, "either.x": a}},
		"one that some tool has":         {Tool: "*", Args: map[string]policy.Matcher{"timeoutSeconds": {Equals: tool.JSON("1")}}},
		"a pointer to a name with a dot": {Tool: "edit_file", Args: map[string]policy.Matcher{"/a.b": a}},
		"equals on a command":            {Tool: "shell", Effect: policy.Allow, Args: map[string]policy.Matcher{"command": {Equals: tool.JSON(`"id"`)}}},
		"a glob on a command, to deny":   {Tool: "shell", Effect: policy.Deny, Args: map[string]policy.Matcher{"command": a}},
		"a condition on another":         {Tool: "shell", Effect: policy.Allow, When: `args.timeoutSeconds < 10 && "timeoutSeconds" in args`},
		"a condition about the rest":     {Tool: "shell", Effect: policy.Allow, When: `agent == "demo" && session != "" && workingDirectory != "" && now > timestamp("2020-01-01T00:00:00Z")`},
		"a tool nobody has":              {Tool: "later__*", Args: map[string]policy.Matcher{"anything": a}, Command: []string{"ls *"}},
		"a risk":                         {Tool: "*", Risk: approval.RiskHigh},
		"a home":                         {Tool: "*", Paths: []string{"~/.ssh", "~", "/", "."}},
	} {
		if r.Effect == "" {
			r.Effect = policy.Ask
		}
		if made, faults := policy.Compile(r, []tool.Spec{shellSpec(), editSpec()}); made == nil || len(faults) > 0 {
			t.Errorf("%s: %q", name, faults)
		}
	}
}

func TestATextPatternNeverAllowsACommandEvenWhereCompileDidNotSeeTheTool(t *testing.T) {
	for name, r := range map[string]policy.Rule{
		"a glob":         {Effect: policy.Allow, Args: map[string]policy.Matcher{"command": {Glob: ptr("git *")}}},
		"a condition":    {Effect: policy.Allow, When: `args.command.startsWith("git ")`},
		"all arguments":  {Effect: policy.Allow, When: `size(args) == 1`},
		"a guessed name": {Effect: policy.Allow, Args: map[string]policy.Matcher{"command": {Regex: ptr("git .*")}}},
	} {
		for _, call := range []approval.Case{line(t, "git status"), about(tool.Spec{Name: "mcp__run"}, args(t, "command", "git status"))} {
			if got := effectOf(t, "", call, r); got != "mode" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	if got := effectOf(t, "", line(t, "id"), policy.Rule{Effect: policy.Allow, Args: map[string]policy.Matcher{"command": {Equals: tool.JSON(`"id"`)}}}); got != "allow" {
		t.Errorf("equals: %s", got)
	}
}
