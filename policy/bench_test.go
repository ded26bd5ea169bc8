package policy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// held is a store that always holds the same grants.
type held []approval.Grant

func (held) Refused(context.Context, string) ([]approval.Refusal, error) { return nil, nil }

func (h held) Held(context.Context, string, string, string) ([]approval.Grant, error) { return h, nil }

func run(b *testing.B, p *policy.Policy, c approval.Case, want approval.Effect) {
	b.Helper()
	for b.Loop() {
		if v, err := p.Judge(b.Context(), c); err != nil || v.Effect != want {
			b.Fatal(v, err)
		}
	}
}

func BenchmarkRemembered(b *testing.B) {
	call := line(b, "git status --short")
	exact := granted(approval.Exactly())
	exact.Digest = call.Request.ArgsDigest
	for name, g := range map[string]approval.Grant{"exact": exact, "command": granted(ofCommands("git status *"))} {
		b.Run(name, func(b *testing.B) {
			run(b, policy.New(held{g}, map[string]policy.Rules{"demo": {WorkingDirectory: "/srv"}}), call, approval.Allow)
		})
	}
}

// hundred are rules of all kinds, ten of them with a condition.
func hundred(b *testing.B) []*policy.Compiled {
	var list []policy.Rule
	for i := range 10 {
		n := fmt.Sprint(i)
		list = append(list,
			policy.Rule{Tool: "shell", Command: []string{"tool" + n + " *"}, Effect: policy.Allow},
			policy.Rule{Tool: "shell", Command: []string{"bad" + n + " --force *"}, Effect: policy.Deny},
			policy.Rule{Tool: "shell", Command: []string{"push" + n + " *"}, Effect: policy.Ask},
			policy.Rule{Tool: "shell", Paths: []string{"/srv/secret" + n}, Effect: policy.Deny},
			policy.Rule{Tool: "shell", When: `has(args.level) && args.level > ` + n, Effect: policy.Deny},
			policy.Rule{Tool: "mcp__*", Args: map[string]policy.Matcher{"path": {PathWithin: ptr("src" + n)}}, Effect: policy.Allow},
			policy.Rule{Tool: "*", Args: map[string]policy.Matcher{"url": {HostWithin: ptr("h" + n + ".org")}}, Effect: policy.Ask},
			policy.Rule{Tool: "*", Args: map[string]policy.Matcher{"command": {Regex: ptr("x" + n + ".*")}}, Effect: policy.Deny},
			policy.Rule{Tool: "*", Args: map[string]policy.Matcher{"description": {Glob: ptr("*danger" + n + "*")}}, Effect: policy.Ask},
			policy.Rule{Tool: "*", Args: map[string]policy.Matcher{"mode": {Equals: tool.JSON(n)}}, Effect: policy.Deny},
		)
	}
	list[0].Command, list[10].Command = []string{"git status *"}, []string{"wc *"}
	return compiled(b, list...)
}

func Benchmark100Rules(b *testing.B) {
	rules := map[string]policy.Rules{"demo": {Rules: hundred(b), WorkingDirectory: "/srv"}}
	run(b, policy.New(held{}, rules), line(b, "git status --short | wc -l"), approval.Allow)
}

func Benchmark100RulesOfOtherTools(b *testing.B) {
	rules := map[string]policy.Rules{"demo": {Rules: hundred(b), WorkingDirectory: "/srv", AlwaysAllow: []string{"read_file"}}}
	run(b, policy.New(held{}, rules), about(fileSpec("read_file"), args(b, "path", "src/a.go")), approval.Allow)
}

func BenchmarkAsked(b *testing.B) {
	run(b, policy.New(held{}, map[string]policy.Rules{"demo": {WorkingDirectory: "/srv"}}), line(b, "go test ./... | tail -5"), approval.AskPerson)
}
