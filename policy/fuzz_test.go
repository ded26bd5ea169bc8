package policy_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// FuzzJudge judges any line and any arguments: nothing panics, and a line that
// holds a forbidden command is never allowed.
func FuzzJudge(f *testing.F) {
	for _, seed := range [][2]string{
		{"git status", `{}`}, {"rm -rf /; ls > out", `{"path":"../../x"}`}, {"for f in *; do cat \"$f\"; done", `{"path":["a",1]}`},
		{"cd x && cat a\x00b", `{"command":"ls","args":["a"],"cwd":"/"}`}, {"`", `[`}, {"sh -c 'a > b'", `{"url":"http://a@b"}`},
	} {
		f.Add(seed[0], seed[1])
	}
	dir := f.TempDir()
	rules := corpusRules(f, dir)
	rules.Rules = append(rules.Rules, compiled(f,
		policy.Rule{Paths: []string{"src"}, Effect: policy.Allow},
		policy.Rule{Paths: []string{"secret"}, Effect: policy.Deny},
		policy.Rule{Args: map[string]policy.Matcher{"url": {HostWithin: ptr("example.com")}, "a.b": {Glob: ptr("*")}}, Effect: policy.Allow},
		policy.Rule{When: `args.n > 1`, Effect: policy.Ask},
	)...)
	rules.Protected = policy.Protected{Deny: []string{dir + "/data"}, Ask: []string{dir + "/agents.yaml"}}
	p := policy.New(remembered{grants: []approval.Grant{granted(ofCommands("make *"))}}, map[string]policy.Rules{"demo": rules})
	f.Fuzz(func(t *testing.T, command, object string) {
		text, err := jsontext.AppendQuote(nil, command)
		if err == nil {
			call := about(shellSpec(), tool.JSON(`{"command":`+string(text)+`}`))
			if v, err := p.Judge(t.Context(), call); err != nil || v.Effect == 0 || v.Rule == "" {
				t.Errorf("%q: %+v, %v", command, v, err)
			}
			p.Suggest(call, []approval.Approval{approval.New(call.Request)})
			// Behind a separator it is still a command of its own.
			text, _ = jsontext.AppendQuote(nil, "rm -rf x\n"+command)
			call = about(shellSpec(), tool.JSON(`{"command":`+string(text)+`}`))
			if v, err := p.Judge(t.Context(), call); err == nil && v.Effect == approval.Allow {
				t.Errorf("%q was allowed: %q", "rm -rf x\n"+command, v.Trace)
			}
		}
		for _, spec := range []tool.Spec{{Name: "mcp"}, fileSpec("read"), shellSpec()} {
			call := about(spec, tool.JSON(object))
			v, err := p.Judge(t.Context(), call)
			if (err == nil) != (v.Effect != 0) {
				t.Errorf("%s: %+v, %v", object, v, err)
			}
			p.Suggest(call, nil)
		}
	})
}

// drawRule is any rule for the shell.
func drawRule(t *rapid.T, i int, effects ...policy.Effect) policy.Rule {
	r := policy.Rule{Tool: rapid.SampledFrom([]string{"shell", "*", "sh*", "other"}).Draw(t, fmt.Sprint("tool", i))}
	r.Effect = rapid.SampledFrom(effects).Draw(t, fmt.Sprint("effect", i))
	r.Command = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"*", "rm *", "rm -rf *", "git *", "ls", "cat *", "cd *"}), 0, 2, rapid.ID).Draw(t, fmt.Sprint("command", i))
	if len(r.Command) == 0 {
		r.Command = nil // left out: an empty list is a fault
	}
	r.Paths = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{".", "src", "secret", "/", "/etc"}), 0, 2, rapid.ID).Draw(t, fmt.Sprint("paths", i))
	if len(r.Paths) == 0 {
		r.Paths = nil
	}
	if rapid.Bool().Draw(t, fmt.Sprint("when", i)) {
		r.When = rapid.SampledFrom([]string{`tool == "shell"`, `tool == "none"`, "args.n > 1", `agent == "demo"`}).Draw(t, fmt.Sprint("cel", i))
	}
	return r
}

func TestNothingAllowsWhatADenyRuleMatches(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		command := rapid.SampledFrom([]string{"rm -rf x", "git push", "ls", "cat src/a", "cat secret/a > src/b", "sudo rm -r -f /etc"}).Draw(rt, "command")
		command += rapid.SampledFrom([]string{"", "; ls", " | cat", " > src/x", " && rm -rf secret", " $X", "\ncd src"}).Draw(rt, "more")
		call := line(t, command)
		call.Mode = rapid.SampledFrom([]approval.Mode{approval.Manual, approval.AutoApprove, approval.AutoDeny}).Draw(rt, "mode")
		call.Terms.Need = rapid.SampledFrom([]approval.Need{approval.NeedByMode, approval.NeedAsk, approval.NeedNone}).Draw(rt, "need")
		call.Terms.Pattern, _ = approval.CompilePattern(".*")
		deny := compiled(t, drawRule(rt, 0, policy.Deny))
		alone := judge(t, policy.Rules{Rules: deny, WorkingDirectory: dir}, line(t, command))
		rules := policy.Rules{Rules: deny, WorkingDirectory: dir, AlwaysAllow: []string{"*"}}
		for i := range rapid.IntRange(0, 4).Draw(rt, "others") {
			rules.Rules = append(rules.Rules, compiled(t, drawRule(rt, i+1, policy.Allow, policy.Ask, policy.Deny))...)
		}
		if rapid.Bool().Draw(rt, "behind") {
			rules.Rules = append(rules.Rules[1:], rules.Rules[0]) // where a rule stands does not matter
		}
		whole, exact := granted(approval.WholeTool("shell")), granted(approval.Exactly())
		exact.Digest = call.Request.ArgsDigest
		v := judge(t, rules, call, whole, exact, granted(ofCommands("*")))
		if alone.Effect == approval.Deny && v.Effect != approval.Deny {
			rt.Fatalf("%q: denied by %q, then %v by %q", command, alone.Rule, v.Effect, v.Rule)
		}
		if word(alone) == "ask" && v.Effect == approval.Allow {
			rt.Fatalf("%q: asked by %q, then allowed by %q", command, alone.Rule, v.Rule)
		}
	})
}

func TestJudgingAndReplacingGoTogether(t *testing.T) {
	rules := corpusRules(t, t.TempDir())
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": rules})
	done := make(chan error)
	for range 4 {
		go func() {
			for range 50 {
				v, err := p.Judge(t.Context(), line(t, "git status | wc -l"))
				if err == nil && v.Effect != approval.Allow {
					err = fmt.Errorf("%v by %q", v.Effect, v.Rule)
				}
				if err != nil {
					done <- err
					return
				}
				p.Replace(map[string]policy.Rules{"demo": rules})
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
