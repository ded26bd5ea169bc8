package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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
	read, err := c.Request.CanonicalArgs() // which the gate has read before it asks
	if err != nil {
		b.Fatal(err)
	}
	c.Args = read
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

// hostileLines are as long as a line may be, of each kind that could cost more than its length.
func hostileLines() map[string]string {
	const n = 9000
	return map[string]string{
		"names with values": "prog " + strings.Repeat("a=b:c,d@e ", n/10),
		"one word of names": "prog " + strings.Repeat("a=b:", n),
		"slashes":           "prog -x" + strings.Repeat("/a", n),
		"dots":              "cat " + strings.Repeat("../", n) + "x",
		"words":             "rm " + strings.Repeat("a ", n),
		"options":           "rm " + strings.Repeat("-r ", n),
		"letters":           "rm -" + strings.Repeat("r", n),
		"a program nobody knows, and words of a rule": "prog " + strings.Repeat("bad0 --force ", n/13),
		"code":                   "prog '" + strings.Repeat("bad0;", n) + "'",
		"commands":               strings.Repeat("ls;", n),
		"pipes":                  strings.TrimSuffix(strings.Repeat("cat x|", 2000), "|"),
		"pipes beyond the limit": strings.TrimSuffix(strings.Repeat("cat x|", n), "|"),
		"groups":                 strings.Repeat("(", n) + "ls" + strings.Repeat(")", n),
		"loops":                  strings.Repeat("for f in a b c d e f; do ", 40) + "cat $f" + strings.Repeat("; done", 40),
		"braces":                 "cat " + strings.Repeat("{a,b}", 12),
		"stars":                  "cat " + strings.Repeat("/*", 20),
		"links":                  strings.Repeat("ln -s a b; cat b/c; ", n/20),
		"copies":                 strings.Repeat("cp a b; ", n/8),
		"changes of a folder":    strings.Repeat("cd a; ", n/6),
		"substitutions":          strings.Repeat("$(", n/4) + "ls" + strings.Repeat(")", n/4),
		"quotes":                 "echo " + strings.Repeat(`'a'"b"`, n/6),
		"shells":                 strings.Repeat("bash -c '", 30) + "ls",
		"wrappers":               strings.Repeat("env ", n/4) + "ls",
		"assignments":            strings.Repeat("x=1 ", n/4) + "ls",
		"redirections":           "ls " + strings.Repeat("> a ", n/4),
		"finds":                  "find . " + strings.Repeat(`-exec cat {} \; `, n/16),
		"a long path and a link": "ln -s a b; cat < a" + strings.Repeat("/a", 3*n),
		"a loop over numbers":    "for f in {1..990}; do cat " + strings.Repeat(`"$f/0" `, n/9) + "; done",
		"here-documents":         strings.Repeat("cat <<E\nE1\nE\n", n/12),
		"a path as the program":  strings.Repeat("/a", 3*n),
		"dots as the program":    strings.Repeat("../", 2*n) + "x",
		"URLs as the program":    strings.Repeat("http://a/", n/2),
		"URLs":                   "curl " + strings.Repeat("file:///a ", n/10),
	}
}

// BenchmarkHostileLines judges each line once for each round; ms/worst is the slowest.
func BenchmarkHostileLines(b *testing.B) {
	rules := map[string]policy.Rules{"demo": {Rules: hundred(b), WorkingDirectory: b.TempDir(), Protected: policy.Protected{Deny: []string{"/srv/data"}}}}
	worst, which := time.Duration(0), ""
	for b.Loop() {
		for name, text := range hostileLines() {
			p := policy.New(held{}, rules)
			call := line(b, text)
			start := time.Now()
			if _, err := p.Judge(b.Context(), call); err != nil {
				b.Fatal(err)
			}
			took := time.Since(start)
			b.Logf("%s: %v", name, took)
			if took > worst {
				worst, which = took, name
			}
		}
	}
	b.ReportMetric(float64(worst)/float64(time.Millisecond), "ms/worst")
	b.Log("the worst: ", which)
}
