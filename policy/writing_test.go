package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/policy"
)

func TestCommandsWriteWhereARuleSaysSo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/a.go": "package a", "src/empty.go": "", "out/full": "x", ".git/config": "x", "out/.hidden/x": "", "docs/a.md": "x", "linked": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out/etc": "/etc", "out/src": filepath.Join(dir, "src")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "src/empty.go"), filepath.Join(dir, "out/hard")); err != nil {
		t.Fatal(err)
	}
	programs := []string{"ls *", "cat *", "echo *", "tee *", "touch *", "mkdir *", "cp *", "rm *", "sort *", "sed *", "go build *", "unlisted *", "rm -rf build"}
	for _, c := range []struct {
		command, once, over string // what becomes of it, and where the rule says overwrite
	}{
		{"ls > out/new", "allow", "allow"},
		{"ls >> out/new 2>&1", "allow", "allow"},
		{"ls > out/deep/er/new", "allow", "allow"},
		{"ls > top.md", "allow", "allow"},
		{"ls > docs/b.md", "mode", "mode"}, // the * of *.md is no folder
		{"ls > out/full", "mode", "allow"},
		{"ls >> out/full", "mode", "allow"},
		{"ls > src/a.go", "mode", "mode"},
		{"ls > /tmp/x", "mode", "mode"},
		{"ls > out/../src/new", "mode", "mode"},
		{"ls > out/etc/x", "mode", "mode"},
		{"ls > out/src/new.go", "mode", "mode"}, // through a link to where no rule says so
		{"ls > out/hard", "mode", "mode"},
		{"ls > out/.envrc", "mode", "mode"},
		{"ls > out/.hidden/y", "mode", "mode"},
		{"ls > .md", "mode", "mode"},
		{"ls > .git/hooks/x", "mode", "mode"},
		{"echo x | tee out/new", "allow", "allow"},
		{"echo x | tee -a out/full", "mode", "allow"},
		{"touch out/full", "allow", "allow"},
		{"touch src/new", "mode", "mode"},
		{"mkdir -p out/a/b", "allow", "allow"},
		{"mkdir lib", "mode", "mode"},
		{"cp src/a.go out/b.go", "allow", "allow"},
		{"cp src/a.go out", "mode", "allow"},
		{"cp /etc/passwd out/b", "mode", "mode"},
		{"rm out/full", "mode", "allow"},
		{"rm -rf src", "mode", "mode"},
		{"rm -rf build", "allow", "allow"}, // word by word
		{"sort -o out/new src/a.go", "allow", "allow"},
		{"sort -o src/a.go src/a.go", "mode", "mode"},
		{"sed -i s/a/b/ out/full", "mode", "allow"},
		{"go build -o out/app .", "allow", "allow"},
		{"go build -o app .", "mode", "mode"},
		{"for f in a b; do ls > out/$f; done", "allow", "allow"},
		{"cd out && ls > x", "allow", "allow"},
		{"cd src && ls > x", "mode", "mode"},
		{"unlisted out/new", "allow", "allow"},
	} {
		for over, want := range map[bool]string{false: c.once, true: c.over} {
			rule := policy.Rule{Command: programs, Paths: []string{"."}, Writes: []string{"out/**", "*.md"}, Overwrite: over, Effect: policy.Allow}
			if got := effectOf(t, dir, line(t, c.command), rule); got != want {
				t.Errorf("overwrite %v: %s: %s, want %s", over, c.command, got, want)
			}
			rule.Writes, rule.Overwrite = nil, false
			if got := effectOf(t, dir, line(t, c.command), rule); got == "allow" && c.command != "rm -rf build" && c.command != "unlisted out/new" {
				t.Errorf("%s is cleared by a rule without writes", c.command)
			}
		}
	}
}

func TestARuleWithOnlyWritesRunsNothing(t *testing.T) {
	rules := []policy.Rule{{Writes: []string{"**"}, Overwrite: true, Effect: policy.Allow}, {Command: []string{"ls *"}, Effect: policy.Allow}}
	for command, want := range map[string]string{"ls > x": "allow", "id > x": "mode", "> x": "allow", "id": "mode"} {
		if got := effectOf(t, t.TempDir(), line(t, command), rules...); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
