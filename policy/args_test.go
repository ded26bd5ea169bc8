package policy_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// elsewhere is a call of a program that is not ours.
func elsewhere(name string, args tool.JSON) approval.Case {
	c := about(tool.Spec{}, args)
	c.Request.ToolName = name
	return c
}

func TestArgumentsAreWhatTheirToolDeclares(t *testing.T) {
	dir := workspace(t)
	rules := []policy.Rule{
		{Tool: "*", Paths: []string{"src"}, Writes: []string{"out/**"}, Effect: policy.Allow},
		{Tool: "*", Paths: []string{"secret", "~/.ssh"}, Effect: policy.Deny},
		{Tool: "*", Command: []string{"rm -rf *"}, Effect: policy.Deny},
	}
	declared := func(a tool.Arguments) tool.Spec { return tool.Spec{Name: "x"}.With(a) }
	both := declared(tool.Arguments{Reads: []string{"from"}, Writes: []string{"to"}})
	patch := "*** Begin Patch\n*** Update File: %\n@@\n-a\n+b\n*** End Patch"
	for name, c := range map[string]struct {
		call approval.Case
		want string
	}{
		"what is read":                      {about(both, args(t, "from", "src/a")), "allow"},
		"what is read, elsewhere":           {about(both, args(t, "from", "out/a")), "mode"},
		"what is written":                   {about(both, args(t, "to", "out/new")), "allow"},
		"what is written where it reads":    {about(both, args(t, "to", "src/new")), "mode"},
		"a dot under a star":                {about(both, args(t, "to", "out/.envrc")), "mode"},
		"both":                              {about(both, args(t, "from", "src/a", "to", "out/new")), "allow"},
		"forbidden, read":                   {about(both, args(t, "from", "secret/x")), "deny"},
		"forbidden, written":                {about(both, args(t, "to", "secret/x")), "deny"},
		"a text that is not declared":       {about(both, args(t, "from", "src/a", "note", "secret/x rm -rf /")), "allow"},
		"a command line":                    {about(declared(tool.Arguments{Command: "script"}), args(t, "script", "rm -rf /")), "deny"},
		"a command line, quietly":           {about(declared(tool.Arguments{Command: "script"}), args(t, "script", "eval $X")), "ask"},
		"a patch":                           {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", strings.ReplaceAll(patch, "%", "out/new"))), "allow"},
		"a patch elsewhere":                 {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", strings.ReplaceAll(patch, "%", "src/a"))), "mode"},
		"a patch of what is forbidden":      {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "--- a/src/a\n+++ b/secret/x\t2026\n@@ -1 +1 @@\n")), "deny"},
		"a patch that moves it":             {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "*** Update File: out/a\n*** Move to: secret/x\n")), "deny"},
		"a patch that names nothing":        {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "x")), "ask"},
		"undeclared, a deep text":           {about(tool.Spec{Name: "x"}, args(t, "o", map[string]any{"list": []any{"a", "secret/x"}})), "ask"},
		"undeclared, in a sentence":         {about(tool.Spec{Name: "x"}, args(t, "o", "please read ./secret/x.")), "ask"},
		"undeclared, a command":             {about(tool.Spec{Name: "x"}, args(t, "code", "cd /\nrm -rf tmp")), "ask"},
		"undeclared, nothing of the kind":   {about(tool.Spec{Name: "x"}, args(t, "o", "secrets are fun")), "mode"},
		"undeclared, inside and a text":     {about(tool.Spec{Name: "x"}, args(t, "path", "src/a", "o", "/etc/x")), "mode"},
		"undeclared, a bare name":           {about(tool.Spec{Name: "x"}, args(t, "target", "secret")), "ask"},
		"undeclared, a key":                 {about(tool.Spec{Name: "x"}, args(t, "contents", map[string]any{"secret/x": "y"})), "ask"},
		"undeclared, by HOME":               {about(tool.Spec{Name: "x"}, args(t, "o", "$HOME/.ssh/id")), "ask"},
		"undeclared, escaped":               {about(tool.Spec{Name: "x"}, args(t, "o", "%73ecret/x")), "ask"},
		"undeclared, words in a list":       {about(tool.Spec{Name: "x"}, args(t, "argv", []any{"rm", "-rf", "v"})), "ask"},
		"undeclared, words in two texts":    {about(tool.Spec{Name: "x"}, args(t, "program", "/bin/rm", "arguments", []any{"-rf", "v"})), "ask"},
		"undeclared, another language":      {about(tool.Spec{Name: "x"}, args(t, "code", "os.system('rm -rf v')")), "ask"},
		"undeclared, beside a command":      {about(tool.Spec{Name: "x"}, args(t, "command", "view", "target", "secret/x")), "ask"},
		"undeclared, code beside a command": {about(tool.Spec{Name: "x"}, args(t, "command", "ls", "script", "rm -rf v")), "ask"},
		"undeclared, words about it":        {about(tool.Spec{Name: "x"}, args(t, "o", "the arm of the law")), "mode"},
		"a quoted patch":                    {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "--- \"a/src/a\"\n+++ \"b/\\163ecret/x\"\n")), "deny"},
		"an indented patch":                 {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "  --- secret/x\n  +++ secret/x\n")), "deny"},
		"a patch with a date":               {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "--- secret/x 2026-01-01\n+++ secret/x 2026-01-01\n")), "deny"},
		"a patch of modes":                  {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "diff --git a/secret/x b/secret/x\nold mode 100644\n")), "deny"},
		"a patch with blanks":               {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "*** Update File:  secret/x \n")), "deny"},
		"a patch that makes a link":         {about(declared(tool.Arguments{Patches: []string{"p"}}), args(t, "p", "diff --git a/out/l b/out/l\nnew file mode 120000\n+++ b/out/l\n")), "ask"},
		"of an agent elsewhere":             {elsewhere("Read", args(t, "file_path", "secret/x")), "deny"},
		"of an agent elsewhere, a command":  {elsewhere("Bash", args(t, "command", "rm -rf /", "description", "secret/x")), "deny"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := effectOf(t, dir, c.call, rules...); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
