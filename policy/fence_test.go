package policy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// fencing is a call of a shell that can run it in a sandbox.
func fencing(t testing.TB, command string) approval.Case {
	c := line(t, command)
	c.Spec.Command.Sandbox = "sandbox"
	return c
}

func readOnly() policy.Rule {
	return policy.Rule{Tool: "shell", Effect: policy.Allow, Sandbox: &tool.Fence{}}
}

func TestAnythingRunsInTheSandboxOfARuleButWhatIsDeniedOrAsked(t *testing.T) {
	dir := workspace(t)
	secret := filepath.Join(dir, "secret")
	for name, c := range map[string]struct {
		rules   []policy.Rule
		command string
		want    string // fence: allowed in it
	}{
		"an unread line":                      {[]policy.Rule{readOnly()}, "echo $(id)", "fence"},
		"code in an argument":                 {[]policy.Rule{readOnly()}, "python3 -c 'x'", "fence"},
		"what is denied":                      {[]policy.Rule{readOnly(), {Command: []string{"rm *"}, Effect: policy.Deny}}, "rm x", "deny"},
		"what is denied in an unread line":    {[]policy.Rule{readOnly(), {Command: []string{"rm *"}, Effect: policy.Deny}}, "rm $(id)", "deny"},
		"what is asked":                       {[]policy.Rule{readOnly(), {Command: []string{"git push"}, Effect: policy.Ask}}, "git push", "ask"},
		"a doubt that it prevents":            {[]policy.Rule{readOnly(), {Command: []string{"rm *"}, Effect: policy.Deny}}, "eval $X", "fence"},
		"a doubt about a folder that is not":  {[]policy.Rule{readOnly(), {Paths: []string{"/srv"}, Effect: policy.Deny}}, "cat $X", "fence"},
		"a doubt about what is of the system": {[]policy.Rule{readOnly(), {Paths: []string{"/etc"}, Effect: policy.Deny}}, "cat $X", "ask"},
		"a doubt about what is hidden":        {[]policy.Rule{readOnly(), {Paths: []string{".env"}, Effect: policy.Deny}}, "cat $X", "fence"},
		"a doubt about a folder that is":      {[]policy.Rule{readOnly(), {Paths: []string{secret}, Effect: policy.Deny}}, "cat $X", "ask"},
		"a doubt about one around the folder": {[]policy.Rule{readOnly(), {Paths: []string{filepath.Dir(dir)}, Effect: policy.Deny}}, "cat $X", "ask"},
		"a doubt with a condition":            {[]policy.Rule{readOnly(), {Command: []string{"rm *"}, When: `tool == "shell"`, Effect: policy.Deny}}, "eval $X", "ask"},
		"a doubt, and it may write": {[]policy.Rule{
			{Tool: "shell", Effect: policy.Allow, Sandbox: &tool.Fence{Writes: []string{"out"}}}, {Command: []string{"rm *"}, Effect: policy.Deny},
		}, "eval $X", "ask"},
		"a doubt, and it has the network": {[]policy.Rule{
			{Tool: "shell", Effect: policy.Allow, Sandbox: &tool.Fence{Network: true}}, {Command: []string{"curl *"}, Effect: policy.Deny},
		}, "eval $X", "ask"},
		"what another rule clears": {[]policy.Rule{readOnly(), {Command: []string{"git status"}, Effect: policy.Allow}}, "git status", "allow"},
		"what another rule clears, where code that nobody has read may write": {[]policy.Rule{
			{Tool: "shell", Effect: policy.Allow, Sandbox: &tool.Fence{Writes: []string{"out"}}}, {Command: []string{"make test"}, Effect: policy.Allow},
		}, "make test", "fence"},
		"a doubt that another rule clears": {[]policy.Rule{
			readOnly(), {Command: []string{"rm *"}, Effect: policy.Deny}, {Tool: "shell", Effect: policy.Allow},
		}, "python3 -c x; strace rm y", "fence"},
		"another tool": {[]policy.Rule{{Tool: "other", Effect: policy.Allow, Sandbox: &tool.Fence{}}}, "ls", "mode"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.rules {
				if c.rules[i].Tool == "" {
					c.rules[i].Tool = "shell"
				}
			}
			v := judge(t, policy.Rules{Rules: compiled(t, c.rules...), WorkingDirectory: dir}, fencing(t, c.command))
			got := word(v)
			if got == "allow" && strings.Contains(string(v.Edit), `"sandbox"`) {
				got = "fence"
			}
			if got != c.want {
				t.Errorf("%s by %q, want %s: %q", got, v.Rule, c.want, v.Trace)
			}
		})
	}
}

func TestASandboxStandsAmongTheArgumentsWithItsPathsWholeAndOnlyWhereThereIsOne(t *testing.T) {
	dir := workspace(t)
	rules := policy.Rules{WorkingDirectory: dir, Rules: compiled(t, policy.Rule{
		Tool: "shell", Effect: policy.Allow, Sandbox: &tool.Fence{Read: []string{"../lib", "~/go"}, Writes: []string{"out"}},
	})}
	v := judge(t, rules, fencing(t, "x"))
	want := `{"sandbox":{"network":false,"read":["` + filepath.Join(filepath.Dir(dir), "lib") + `","` + home + `/go"],"writes":["` + filepath.Join(dir, "out") + `"]}}`
	if v.Effect != approval.Allow || !v.Fenced || string(v.Edit) != want {
		t.Errorf("%v, %s\nwant %s", v.Effect, v.Edit, want)
	}
	if v := judge(t, rules, line(t, "x")); v.Effect != approval.AskPerson {
		t.Errorf("without one it is %v by %q", v.Effect, v.Rule)
	}
	for _, mode := range []approval.Mode{approval.Manual, approval.AutoApprove} {
		leaving := about(fencing(t, "").Spec, args(t, "command", "ls", "sandbox", "none"))
		leaving.Mode = mode
		all := policy.Rules{AlwaysAllow: []string{"*"}, Rules: rules.Rules, WorkingDirectory: dir}
		if v := judge(t, all, leaving); v.Effect != approval.AskPerson || len(v.Scopes) != 1 {
			t.Errorf("%s: to leave it is %v by %q", mode, v.Effect, v.Rule)
		}
	}
}

func TestFilesWithSecretsAreInNoFolder(t *testing.T) {
	dir := workspace(t)
	for _, name := range []string{".env", "src/server.key", "safe/a", "odd/.env.local/x"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	read := fileSpec("read_file")
	read.Hints = tool.Hints{ReadOnly: true, Trusted: true}
	for _, c := range []struct {
		paths []string
		call  approval.Case
		want  string
	}{
		{[]string{"."}, line(t, "cat .env"), "mode"},
		{[]string{"."}, line(t, "cat < .env"), "mode"},
		{[]string{"."}, line(t, "cat src/../.env"), "mode"},
		{[]string{"."}, line(t, "cat src/server.key"), "mode"},
		{[]string{"."}, line(t, "grep -r x ."), "mode"},
		{[]string{"."}, line(t, "grep -r x src"), "mode"},
		{[]string{"."}, line(t, "grep -r x odd"), "mode"},
		{[]string{"."}, line(t, "grep -r x safe"), "allow"},
		{[]string{"."}, line(t, "ls src"), "allow"},
		{[]string{".", ".env"}, line(t, "cat .env"), "allow"},
		{[]string{".", "src/server.key"}, line(t, "grep -r x src"), "allow"},
		{[]string{"."}, about(read, args(t, "path", ".env")), "mode"},
		{[]string{"."}, about(read, args(t, "path", "safe/a")), "allow"},
		{[]string{".env"}, about(read, args(t, "path", ".env")), "allow"},
	} {
		rule := policy.Rule{Tool: "*", Paths: c.paths, Effect: policy.Allow}
		if c.call.Request.ToolName == "shell" {
			rule.Command = []string{"cat *", "grep *", "ls *"}
		}
		if got := effectOf(t, dir, c.call, rule); got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.call.Request.Args, c.paths, got, c.want)
		}
	}
}

func TestAGrantForAllCommandsHoldsInASandboxThatChangesNothing(t *testing.T) {
	dir := workspace(t)
	rules := policy.Rules{WorkingDirectory: dir, Rules: compiled(t, policy.Rule{Tool: "shell", Command: []string{"rm *"}, Effect: policy.Deny})}
	whole := granted(approval.WholeTool("shell"))
	offered := judge(t, rules, fencing(t, "ls"))
	if last := offered.Covers[len(offered.Covers)-1]; last.Kind != approval.CoverTool || !strings.Contains(last.Text, "in a sandbox") {
		t.Errorf("it offers %+v", offered.Covers)
	}
	v := judge(t, rules, fencing(t, "make x"), whole)
	if v.Effect != approval.Allow || v.Grant == nil || v.Grant.ID != whole.ID || string(v.Edit) != `{"sandbox":{"network":false}}` {
		t.Errorf("%v by %q: %s", v.Effect, v.Rule, v.Edit)
	}
	for _, command := range []string{"rm x", "eval $X"} {
		if v := judge(t, rules, fencing(t, command), whole); v.Effect == approval.Allow {
			t.Errorf("%s is allowed by %q", command, v.Rule)
		}
	}
	none := line(t, "make x")
	if v := judge(t, rules, none, whole); v.Effect == approval.Allow {
		t.Errorf("where there is no sandbox it is allowed by %q", v.Rule)
	}
}
