package policy_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

// writers are command lines that write the file main.go below the working
// directory, by a redirection or by an option.
func writers() []string {
	return []string{
		"> main.go", "ls > main.go", "ls >> main.go", "ls >| main.go", "ls 2> main.go", "ls <> main.go", "cat < README.md > main.go",
		"grep -L --label='all: ; touch x' zzzz < README.md > main.go", "git status; ls > main.go", "{ ls; pwd; } > main.go",
		"for i in a; do ls; done > main.go", "(ls) > main.go", "ls | tee main.go", "nohup ls > main.go", "ls > ./main.go", "x=1 > main.go",
		"git diff --output=main.go", "git diff --output main.go", "git log --outp=main.go", "sort -o main.go README.md", "sort -omain.go README.md",
		"go test -coverprofile=main.go ./...", "curl -o main.go https://x.org", "bash -c 'ls > main.go'", "ls $(pwd > main.go)",
	}
}

// readers are the same commands without a file that they write.
func readers() []string {
	return []string{
		"ls", "ls > /dev/null", "ls 2>&1", "ls >/dev/null 2>&1", "cat < README.md", "grep -L --label=x zzzz < README.md", "git status; ls", "ls | tee",
		"{ ls; pwd; } 2>/dev/null", "git diff --stat", "sort README.md", "nohup ls 2>/dev/null", "bash -c 'ls >&2'", "go test ./...",
	}
}

func TestNoRuleAboutCommandsAndNoGrantOfThemClearsWriting(t *testing.T) {
	dir := t.TempDir()
	commands := []string{
		"ls *", "cat *", "grep *", "git status *", "git diff *", "git log *", "tee *", "sort *", "go test *", "curl *", "pwd", "nohup *", "bash *",
	}
	rule := func(r policy.Rule) policy.Rule { r.Effect = policy.Allow; return r }
	form := ofCommands(commands...)
	old := ofCommands(commands...)
	old.Paths = []string{dir, filepath.Join(dir, "main.go")} // as they were given before
	all := ofCommands("*")
	for name, c := range map[string]struct {
		rules  []policy.Rule
		grants []approval.Grant
	}{
		"rules with a folder": {rules: []policy.Rule{
			rule(policy.Rule{Command: commands, Paths: []string{"."}}), rule(policy.Rule{Paths: []string{".", "main.go"}}),
		}},
		"rules with all folders": {rules: []policy.Rule{rule(policy.Rule{Command: commands, Paths: []string{"/"}})}},
		"rules with no folder":   {rules: []policy.Rule{rule(policy.Rule{Command: commands})}},
		"a rule for all":         {rules: []policy.Rule{rule(policy.Rule{Command: []string{"*"}, Paths: []string{"/"}})}},
		"a grant":                {grants: []approval.Grant{granted(form)}},
		"a grant with folders":   {grants: []approval.Grant{granted(old)}},
		"a grant for all":        {grants: []approval.Grant{granted(all)}},
		"a rule and a grant": {
			rules: []policy.Rule{rule(policy.Rule{Command: commands[:3], Paths: []string{"."}})}, grants: []approval.Grant{granted(form)},
		},
	} {
		rules := policy.Rules{Rules: compiled(t, c.rules...), WorkingDirectory: dir}
		for _, command := range writers() {
			v := judge(t, rules, line(t, command), c.grants...)
			if word(v) != "mode" {
				t.Errorf("%s, %q: %s by %q", name, command, word(v), v.Rule)
			}
			if !strings.Contains(strings.Join(v.Trace, "\n"), "main.go") {
				t.Errorf("%s, %q: the trace is %q", name, command, v.Trace)
			}
			if slices.ContainsFunc(v.Covers, func(c approval.Coverage) bool { return c.Kind == approval.CoverCommand }) {
				t.Errorf("%s, %q offers %+v", name, command, v.Covers)
			}
		}
		for _, command := range readers() {
			if got := judge(t, rules, line(t, command), c.grants...); word(got) != "allow" {
				t.Errorf("%s, %q: %s, %q", name, command, word(got), got.Trace)
			}
		}
	}
}

func TestTheTraceSaysWhichFilesAreWritten(t *testing.T) {
	rules := policy.Rules{Rules: compiled(t, policy.Rule{Command: []string{"ls *"}, Paths: []string{"."}, Effect: policy.Allow}), WorkingDirectory: "/srv"}
	for command, want := range map[string]string{
		"ls > main.go":       "not covered: `ls > main.go` (writes main.go: no rule names it under writes, or there is something in it)",
		"ls > a 2> b":        "not covered: `ls > a 2> b` (writes a: no rule names it under writes, or there is something in it)",
		"ls; ls -a > /tmp/x": "not covered: `ls -a > /tmp/x` (writes /tmp/x: no rule names it under writes, or there is something in it)",
	} {
		if v := judge(t, rules, line(t, command)); v.Trace[len(v.Trace)-1] != want {
			t.Errorf("%q: %q, want %q", command, v.Trace, want)
		}
	}
}

func TestWhoeverAllowsATheWholeToolOrThisCallAllowsItsWriting(t *testing.T) {
	dir := t.TempDir()
	exactly := granted(approval.Exactly())
	exactly.Digest = line(t, "ls > main.go").Request.ArgsDigest
	for name, v := range map[string]approval.Verdict{
		"alwaysAllow":           judge(t, policy.Rules{WorkingDirectory: dir, AlwaysAllow: []string{"shell"}}, line(t, "ls > main.go")),
		"a rule for the tool":   judge(t, policy.Rules{WorkingDirectory: dir, Rules: compiled(t, policy.Rule{Tool: "shell", Effect: policy.Allow})}, line(t, "ls > main.go")),
		"a grant for this call": judge(t, policy.Rules{WorkingDirectory: dir}, line(t, "ls > main.go"), exactly),
		"a file tool":           judge(t, policy.Rules{WorkingDirectory: dir, Rules: compiled(t, policy.Rule{Paths: []string{"."}, Effect: policy.Allow})}, about(fileSpec("write_file"), args(t, "path", "main.go"))),
	} {
		if v.Effect != approval.Allow {
			t.Errorf("%s: %v, %q", name, v.Effect, v.Trace)
		}
	}
}

func TestNoWritingIsSuggestedAndCommandsAreSuggestedForTheWorkingDirectory(t *testing.T) {
	p := policy.New(remembered{}, map[string]policy.Rules{"demo": {WorkingDirectory: t.TempDir()}})
	for _, command := range writers() {
		if got := p.Suggest(line(t, command), nil); len(got) > 0 {
			t.Errorf("%q: %+v", command, got)
		}
	}
	for command, want := range map[string]int{"cat README.md": 2, "ls": 2, "cat /etc/passwd": 1, "cat ../x": 1} {
		got := p.Suggest(line(t, command), nil)
		if len(got) != want {
			t.Errorf("%q: %+v", command, got)
		}
		for _, s := range got[1:] {
			if !strings.Contains(s.Rule, `paths: ["."]`) {
				t.Errorf("%q: %s", command, s.Rule)
			}
		}
	}
}
