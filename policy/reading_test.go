package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

// placed is a policy that finds programs in a folder of its own, and its agent's rules.
func placed(t testing.TB, rules ...policy.Rule) (p *policy.Policy, workdir, bin string) {
	workdir, bin = t.TempDir(), filepath.Join(t.TempDir(), "bin")
	for _, name := range []string{"ls", "git", "wc", "head", "cat"} {
		program(t, filepath.Join(bin, name))
	}
	p = policy.New(remembered{}, map[string]policy.Rules{"demo": {Rules: compiled(t, rules...), WorkingDirectory: workdir}})
	p.Path, p.Home = bin+string(os.PathListSeparator)+filepath.Join(workdir, "bin"), home
	return p, workdir, bin
}

func program(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestWhatRunsUnaskedIsPrintedFromWhatWasRead(t *testing.T) {
	// Temporary folders are the agent's to write to; these programs lie in one.
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "elsewhere"))
	p, workdir, bin := placed(t, policy.Rule{Tool: "shell", Command: []string{"ls *", "head *", "cat *", "make *"}, Effect: policy.Allow})
	program(t, filepath.Join(workdir, "bin", "make"))
	for command, want := range map[string]string{
		`ls   -la # all`:       bin + "/ls -la",
		`ls "a b" | head -n 3`: bin + "/ls 'a b' | " + bin + "/head -n 3",
		`cat ~/x`:              bin + "/cat /home/ada/x",
		`/bin/ls x`:            "asked",
		`make test`:            "asked", // the agent may have put it there
		`ls $(id)`:             "asked",
		`head x | wc`:          "asked",
		`ls; missing`:          "asked",
	} {
		v, err := p.Judge(t.Context(), line(t, command))
		if err != nil {
			t.Fatal(err)
		}
		got := "asked"
		if v.Effect == approval.Allow {
			args, err := approval.MergePatch(args(t, "command", command), v.Edit)
			if err != nil {
				t.Fatal(err)
			}
			got = strings.TrimSuffix(strings.TrimPrefix(string(args), `{"command":"`), `"}`)
		}
		if got != want {
			t.Errorf("%q runs as %q, want %q: %q", command, got, want, v.Trace)
		}
	}
}

func TestTheTextOfAnotherMachinesToolIsNotChanged(t *testing.T) {
	p, _, _ := placed(t, policy.Rule{Tool: "shell", Command: []string{"ls *", "missing *"}, Effect: policy.Allow})
	c := line(t, "ls  x; missing y")
	c.Spec.Hints.Trusted = false
	if v, err := p.Judge(t.Context(), c); err != nil || v.Effect != approval.Allow || v.Edit != nil {
		t.Errorf("it is %+v, %v", v, err)
	}
}

func TestALineThatShellsReadOtherwiseThanWeIsNeverCleared(t *testing.T) {
	rules := compiled(t, policy.Rule{Tool: "shell", Command: []string{"*", "pwd", "head *", "ls *", "echo *"}, Effect: policy.Allow},
		policy.Rule{Tool: "shell", Command: []string{"rm -rf *"}, Effect: policy.Deny})
	whole := granted(approval.WholeTool("shell"))
	for _, command := range []string{
		`x="${y:-'$(id > PWNED)'}"; pwd`, `x="${y:-'$(rm -rf docs)'}"; pwd`, "head <<E\n${y:-'$(touch PWNED)'}\nE", "x=`ls \"\"#;touch PWNED`; ls",
		`echo "${x:="$\(touch PWNED)"}"`, `echo "${y:-'$(rm -rf keep)'}"`, "echo `ls '`id`'`", `if ls; then pwd; fi`, `while ls; do pwd; done`, `ls "${y:-'` + "`id`" + `'}"`,
	} {
		v := judge(t, policy.Rules{Rules: rules, WorkingDirectory: t.TempDir()}, line(t, command), whole)
		if v.Effect == approval.Allow {
			t.Errorf("%q is cleared by %s", command, v.Rule)
		}
		c := line(t, command)
		c.Mode = approval.AutoApprove
		if v := judge(t, policy.Rules{Rules: rules, WorkingDirectory: t.TempDir()}, c); v.Effect == approval.Allow {
			t.Errorf("%q, which may be what a rule denies, is cleared by %s", command, v.Rule)
		}
	}
}
