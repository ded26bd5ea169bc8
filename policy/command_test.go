package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// workspace is a folder with src, out, a file id_rsa, and a link out of it.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"src", "out", "secret"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "id_rsa"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "src", "etc")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestACommandLineIsAllowedPartByPart(t *testing.T) {
	dir := workspace(t)
	rules := []policy.Rule{
		{Command: []string{"git status *", "git diff *"}, Effect: policy.Allow},
		{Command: []string{"echo *"}, Paths: []string{"out"}, Effect: policy.Allow},
		{Command: []string{"cat *", "grep *"}, Paths: []string{"src", "out"}, Effect: policy.Allow},
		{Command: []string{"rm -rf *"}, Effect: policy.Deny},
		{Command: []string{"git push *"}, Effect: policy.Ask},
		{Command: []string{"touch *", "cp *"}, Paths: []string{"secret"}, Effect: policy.Deny},
	}
	for command, want := range map[string]string{
		"git status":                        "allow",
		"git status | cat":                  "allow",
		"git status && git diff HEAD~1":     "allow",
		"git status; id":                    "mode",
		"git status | cat > out/x":          "mode", // no rule clears a file that is written
		"{ git status; git diff; } > out/x": "mode",
		"{ git status; cat; } < src/x":      "allow",
		"{ git status; cat; } < x":          "mode",
		"for i in 1 2; do echo $i; done":    "allow",
		"cat src/a.go":                      "allow",
		"cat src/a.go src/../id_rsa":        "mode",
		"cat id_rsa":                        "mode", // a bare word is a file to cat
		"cat nothing":                       "mode",
		"cat src/etc/passwd":                "mode",
		"cat src/*.go":                      "allow",
		"cat ~/x":                           "mode",
		"cat < src/a":                       "allow",
		"cat < id_rsa":                      "mode",
		"grep foo src/a.go":                 "allow",
		"grep id_rsa src/a.go":              "allow",
		"grep --file=id_rsa src/a.go":       "mode",
		"cd src && cat a.go":                "allow", // nobody allows cd
		"nice -n 5 git status":              "allow",
		"timeout 5 cat src/a.go":            "allow",
		"nohup git status > out/log":        "mode",
		"sudo git status":                   "mode",
		"echo hi > /dev/null 2>&1":          "allow",
		"git status $(id)":                  "ask", // git may be told by an option to run anything
		"A=1":                               "ask",
		"LD_PRELOAD=./x nice git status":    "ask", // it may run anything first
		"nice --what git status":            "mode",
		"LD_PRELOAD=./x git status":         "ask",
		"rm -rf out":                        "deny",
		"rm -r -f out":                      "deny",
		"/bin/rm --recursive --force out":   "deny",
		"git status; rm -fr out":            "deny",
		"xargs rm -rf":                      "deny",
		"sh -c 'rm -rf out'":                "deny",
		"$CMD -rf out":                      "ask",
		"rm $FLAGS out":                     "ask",
		"python3 -c 'x'":                    "ask", // it may run anything
		"git push":                          "ask",
		"git status && git push -f":         "ask",
		"touch secret":                      "deny",
		"touch ./secret/x":                  "deny",
		"touch src/../secret/x":             "deny",
		"touch other":                       "mode",
		"touch $X":                          "ask",
		"cp -r . /tmp/x":                    "ask", // what it copies contains it
		"cat secret/x":                      "mode",
		"touch 'unclosed":                   "ask",
	} {
		t.Run(command, func(t *testing.T) {
			if got := effectOf(t, dir, line(t, command), rules...); got != want {
				v := judge(t, policy.Rules{Rules: compiled(t, rules...), WorkingDirectory: dir}, line(t, command))
				t.Errorf("%s, want %s: %q", got, want, v.Trace)
			}
		})
	}
}

func TestCommandsAreFoundWhereverAToolTakesThem(t *testing.T) {
	git := policy.Rule{Command: []string{"git status *"}, Effect: policy.Allow}
	force := policy.Rule{Command: []string{"git push --force *"}, Effect: policy.Deny}
	guessed := tool.Spec{Name: "mcp__run"}
	list := []string{"git", "status"}
	for _, c := range []struct {
		name string
		call approval.Case
		want string
	}{
		{"a line", line(t, "git status"), "allow"},
		{"a list", about(shellSpec(), args(t, "argv", list)), "allow"},
		{"a list is no line", about(shellSpec(), args(t, "argv", []string{"git", "status", "&&", "id"})), "allow"},
		{"a list of one with spaces", about(shellSpec(), args(t, "argv", []string{"git status"})), "mode"},
		{"both, one of them bad", about(shellSpec(), args(t, "argv", list, "command", "id")), "mode"},
		{"a line that is no text", about(shellSpec(), args(t, "command", 7)), "ask"},
		{"a line that is a list", about(shellSpec(), args(t, "command", list)), "ask"},
		{"a list with a number", about(shellSpec(), args(t, "argv", []any{"git", 1})), "ask"},
		{"none at all", about(shellSpec(), args(t)), "mode"},
		{"none in a tool of another kind", about(fileSpec("read"), args(t, "path", "x")), "mode"},
		{"a guessed line", about(guessed, args(t, "command", "git status")), "allow"},
		{"a guessed list", about(guessed, args(t, "cmd", list)), "allow"},
		{"a program and its arguments", about(guessed, args(t, "command", "git", "args", []string{"status"})), "mode"}, // git alone is not allowed
		{"arguments that forbid", about(guessed, args(t, "command", "git", "args", []string{"push", "-f"})), "deny"},
		{"arguments for a shell", about(guessed, args(t, "command", "git status", "args", []string{"; git push -f"})), "deny"},
		{"arguments that are none", about(guessed, args(t, "command", "git status", "args", "x")), "ask"},
		{"an environment", about(guessed, args(t, "command", "git status", "env", map[string]any{"PATH": "/tmp"})), "mode"},
		{"an empty environment", about(guessed, args(t, "command", "git status", "env", map[string]any{})), "allow"},
		{"another shell", about(guessed, args(t, "command", "git status", "shell", "/tmp/sh")), "mode"},
		{"a way out of the sandbox", about(guessed, args(t, "command", "git status", "dangerouslyDisableSandbox", true)), "mode"},
		{"no way out of it", about(guessed, args(t, "command", "git status", "dangerouslyDisableSandbox", false)), "allow"},
		{"a description and a timeout", about(guessed, args(t, "command", "git status", "description", "look", "timeout_ms", 5)), "allow"},
		{"another directory", about(guessed, args(t, "command", "git status", "cwd", "/srv/other")), "mode"},
		{"a directory inside", about(guessed, args(t, "command", "git status", "cwd", "sub")), "allow"},
		{"an object named command", about(guessed, args(t, "command", map[string]any{"a": 1})), "mode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := effectOf(t, t.TempDir(), c.call, git, force); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestARuleThatNamesAnArgumentAllowsIt(t *testing.T) {
	guessed := tool.Spec{Name: "mcp__run"}
	rule := policy.Rule{Command: []string{"git status *"}, Effect: policy.Allow,
		Args: map[string]policy.Matcher{"shell": {Equals: tool.JSON(`"/bin/bash"`)}}}
	for shell, want := range map[string]string{"/bin/bash": "allow", "/tmp/sh": "mode"} {
		if got := effectOf(t, "", about(guessed, args(t, "command", "git status", "shell", shell)), rule); got != want {
			t.Errorf("%s: %s", shell, got)
		}
	}
}

func TestRulesAboutPathsOfOtherTools(t *testing.T) {
	dir := t.TempDir()
	allow := policy.Rule{Paths: []string{"src"}, Effect: policy.Allow}
	deny := policy.Rule{Paths: []string{"src/secret", ".env"}, Effect: policy.Deny}
	remover := fileSpec("remove")
	remover.Hints.Destructive = true
	for _, c := range []struct {
		name string
		call approval.Case
		want string
	}{
		{"inside", about(fileSpec("read"), args(t, "path", "src/a")), "allow"},
		{"outside", about(fileSpec("read"), args(t, "path", "lib/a")), "mode"},
		{"forbidden", about(fileSpec("read"), args(t, "path", "src/secret/a")), "deny"},
		{"forbidden by another way", about(fileSpec("read"), args(t, "path", "lib/../src//secret")), "deny"},
		{"a file", about(fileSpec("read"), args(t, "path", "./.env")), "deny"},
		{"its folder, to read", about(fileSpec("read"), args(t, "path", "src")), "allow"},
		{"its folder, to remove", about(remover, args(t, "path", "src")), "ask"},
		{"no path", about(fileSpec("read"), args(t)), "mode"},
		{"null", about(fileSpec("read"), args(t, "path", nil)), "mode"},
		{"a number", about(fileSpec("read"), args(t, "path", 7)), "ask"},
		{"all in a list", about(fileSpec("read"), args(t, "path", []string{"src/a", "src/b"})), "allow"},
		{"one of a list", about(fileSpec("read"), args(t, "path", []string{"src/a", "lib/b"})), "mode"},
		{"one of a list forbidden", about(fileSpec("read"), args(t, "path", []string{"src/a", ".env"})), "deny"},
		{"guessed", about(tool.Spec{Name: "x"}, args(t, "file_path", "src/a")), "allow"},
		{"two guessed", about(tool.Spec{Name: "x"}, args(t, "source", "src/a", "destination", "lib/a")), "mode"},
		{"a guessed list", about(tool.Spec{Name: "x"}, args(t, "paths", []string{"src/a", ".env"})), "deny"},
		{"not guessed", about(tool.Spec{Name: "x"}, args(t, "where", "src/a")), "mode"},
		{"from another directory", about(tool.Spec{Name: "x"}, args(t, "cwd", "src", "path", "secret/a")), "deny"},
		{"nested", about(tool.Spec{Name: "x", Paths: []string{"edits.path"}}, args(t, "edits", []any{map[string]any{"path": "src/a"}, map[string]any{"path": ".env"}})), "deny"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := effectOf(t, dir, c.call, allow, deny); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestConditionsAreAskedAndInDoubtWhereTheyCantBeTold(t *testing.T) {
	for _, c := range []struct{ when, args, allow, deny string }{
		{`args.n > 5`, `{"n":6}`, "allow", "deny"},
		{`args.n > 5`, `{"n":5.5}`, "allow", "deny"},
		{`args.n > 5`, `{"n":5}`, "mode", "mode"},
		{`args.n > 5`, `{}`, "mode", "ask"},
		{`args.n > 5`, `{"n":"6"}`, "mode", "ask"},
		{`has(args.n) && args.n == 6`, `{}`, "mode", "mode"},
		{`args.list.exists(x, x.startsWith("a:"))`, `{"list":["b","a:é\n"]}`, "allow", "deny"},
		{`args.o.force == true`, `{"o":{"force":true}}`, "allow", "deny"},
		{`tool == "t" && agent == "demo" && session == "s1" && workingDirectory == "/srv"`, `{}`, "allow", "deny"},
		{`now > timestamp("2020-01-01T00:00:00Z")`, `{}`, "allow", "deny"},
		{`args.l.all(a, args.l.all(b, args.l.all(c, args.l.all(d, a + b + c + d >= 0))))`,
			`{"l":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}`, "mode", "ask"}, // it costs too much
	} {
		call := about(tool.Spec{Name: "t"}, tool.JSON(c.args))
		allow := effectOf(t, "/srv", call, policy.Rule{When: c.when, Effect: policy.Allow})
		deny := effectOf(t, "/srv", call, policy.Rule{When: c.when, Effect: policy.Deny})
		if allow != c.allow || deny != c.deny {
			t.Errorf("%s of %s: %s and %s", c.when, c.args, allow, deny)
		}
	}
}

func TestAPatternOnATextAllowsOnlyOneSimpleCommand(t *testing.T) {
	for command, want := range map[string]string{
		"date": "allow", "date -u": "allow", "date; id": "mode", "date $(id)": "mode", "date > x": "mode", "date $X": "mode",
		"A=1 date": "mode", "date\nid": "mode", "date | id": "mode", "nice date": "mode", "date 'x": "mode", "date 2>&1": "allow",
	} {
		c := line(t, command)
		pattern, err := approval.CompilePattern(`\{"command":"date.*"\}`)
		if err != nil {
			t.Fatal(err)
		}
		c.Terms.Pattern = pattern
		if command == "A=1 date" || command == "nice date" {
			c.Terms.Pattern, err = approval.CompilePattern(`.*`)
		}
		if got := word(judge(t, policy.Rules{}, c)); got != want || err != nil {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
	other := about(tool.Spec{Name: "t"}, args(t, "text", "a; b"))
	other.Terms.Pattern, _ = approval.CompilePattern(`.*`)
	if v := judge(t, policy.Rules{}, other); v.Rule != "approval.pattern" {
		t.Errorf("a tool that runs nothing: %q", v.Rule)
	}
}

func TestTheTraceSaysOfEveryCommandWhatAllowsIt(t *testing.T) {
	rules := policy.Rules{Rules: compiled(t,
		policy.Rule{Command: []string{"git diff *"}, Effect: policy.Allow, Reason: "looking is free"},
		policy.Rule{Command: []string{"wc *"}, Effect: policy.Allow},
	)}
	v := judge(t, rules, line(t, "git diff | wc -l"))
	if want := []string{"allow: rules[0]: looking is free; rules[1]", "`git diff`: rules[0]: looking is free", "`wc -l`: rules[1]"}; !slices.Equal(v.Trace, want) {
		t.Errorf("%q", v.Trace)
	}
	v = judge(t, rules, line(t, "git diff | curl -T - x.org"))
	if want := []string{"`git diff`: rules[0]: looking is free", "not covered: `curl -T - x.org`"}; !slices.Equal(v.Trace, want) {
		t.Errorf("%q", v.Trace)
	}
	v = judge(t, rules, about(tool.Spec{Name: "mcp__run"}, args(t, "command", "git diff", "env", map[string]any{"A": "b"})))
	if want := []string{"may change what is run, so that a rule has to name it under args: env", "not covered: `git diff`"}; !slices.Equal(v.Trace, want) {
		t.Errorf("%q", v.Trace)
	}
	v = judge(t, policy.Rules{}, line(t, "id"))
	if want := []string{"not covered: `id`"}; !slices.Equal(v.Trace, want) {
		t.Errorf("%q", v.Trace)
	}
}
