package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// repository is a workspace with a .git, and a link to it.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{".git/hooks", "src", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../.git", filepath.Join(dir, "src", "link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	return dir
}

// codePlaces are files from which programs run code.
func codePlaces() []string {
	return []string{
		".git/config", ".git/hooks/pre-commit", "src/.git", "./src/../.git/config", "src/link/config", ".GIT/config", ".g\u200cit/config",
		".hg/hgrc", ".svn/x", ".jj/x", ".vscode/tasks.json", ".idea/x", ".devcontainer/x", ".devcontainer.json", ".nvim.lua", "lefthook.yml", ".mise.toml", ".pnpmfile.mjs", ".yarn/releases/yarn.cjs", ".gemini/settings.json", ".clinerules", ".windsurf/x", ".husky/pre-push", ".githooks/x", ".envrc", "src/.envrc",
		".bashrc", ".profile", ".zshenv", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".gitattributes", "src/.gitattributes", ".gitconfig",
		".cargo/config.toml", ".mvn/jvm.config", "node_modules/.bin/tsc", "web/node_modules/.bin", ".pre-commit-config.yaml", ".claude/x", ".mcp.json",
		"bare/HEAD", "home/.config/x", "home/.anything",
	}
}

func TestPlacesThatCodeIsRunFromAreNeverWrittenUnderAWiderFolder(t *testing.T) {
	dir := repository(t)
	rules := []policy.Rule{
		{Tool: "shell", Command: []string{"grep *", "cat *", "cp *", "touch *", "cd *", "ln *"}, Paths: []string{"."}, Effect: policy.Allow},
		{Tool: "*file", Paths: []string{"."}, Effect: policy.Allow},
	}
	reader := fileSpec("read_file")
	reader.Hints = tool.Hints{ReadOnly: true, Trusted: true}
	stranger := fileSpec("their_file") // it says itself that it only reads
	stranger.Hints = tool.Hints{ReadOnly: true}
	for _, place := range codePlaces() {
		q := "'" + place + "'"
		for _, c := range []struct {
			call approval.Case
			want string
		}{
			{line(t, "cp src/a "+q), "mode"},
			{line(t, "touch "+q), "mode"},
			{line(t, "ln -s "+q+" x"), "mode"},
			{line(t, "cp src/a "+dir+"/"+q), "mode"},
			{about(fileSpec("write_file"), args(t, "path", place)), "mode"},
			{about(stranger, args(t, "path", place)), "mode"},
		} {
			if got := effectOf(t, dir, c.call, rules...); got != c.want {
				t.Errorf("%s: %s, want %s", c.call.Request.Args, got, c.want)
			}
		}
		if place == "src/link/config" || place == ".g\u200cit/config" || paths.Secret(filepath.Base(place)) {
			continue
		}
		for _, call := range []approval.Case{line(t, "cat "+q), line(t, "grep x < "+q), about(reader, args(t, "path", place))} {
			if got := effectOf(t, dir, call, rules...); got != "allow" {
				t.Errorf("to read: %s: %s", call.Request.Args, got)
			}
		}
	}
	for command, want := range map[string]string{
		"cd .git && touch config": "mode", "cd src && touch ../.git/config": "mode", "cd .git && cat config": "allow", "cp -r .git/hooks out": "mode",
	} {
		if got := effectOf(t, dir, line(t, command), rules...); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestARuleThatNamesSuchAPlaceItselfAllowsIt(t *testing.T) {
	dir := repository(t)
	for _, c := range []struct{ folder, path, want string }{
		{".git", ".git/config", "allow"}, {".git/hooks", ".git/hooks/x", "allow"}, {".git/hooks", ".git/config", "mode"},
		{".git", ".git/modules/a/.git/config", "mode"}, {".npmrc", ".npmrc", "allow"}, {"src/link", "src/link/config", "allow"},
		{"~/.cache", "home/.cache/x", "allow"}, {"~/.cache", "home/.bashrc", "mode"}, {"~", "home/x", "allow"}, {"/", "home/.x", "mode"},
	} {
		in := c.folder
		matching := policy.Rule{Args: map[string]policy.Matcher{"path": {PathWithin: &in}}, Effect: policy.Allow}
		for _, rule := range []policy.Rule{matching, {Paths: []string{c.folder}, Effect: policy.Allow}} {
			if got := effectOf(t, dir, about(fileSpec("write"), args(t, "path", c.path)), rule); got != c.want {
				t.Errorf("write %s in %s: %s, want %s", c.path, c.folder, got, c.want)
			}
		}
	}
}

func TestAGrantNeverCoversWritingWhereCodeIsRunFrom(t *testing.T) {
	dir := repository(t)
	rules := policy.Rules{WorkingDirectory: dir}
	files := granted(approval.Coverage{Kind: approval.CoverPath, Paths: []string{dir}})
	files.ToolName = "write_file"
	for _, place := range codePlaces() {
		for call, g := range map[*approval.Case]approval.Grant{
			ptrTo(line(t, "cp src/a '"+place+"'")):                               granted(ofCommands("cp *")),
			ptrTo(about(fileSpec("write_file"), args(t, "path", place))):         files,
			ptrTo(about(fileSpec("write_file"), args(t, "path", dir+"/"+place))): files,
		} {
			v := judge(t, rules, *call, g)
			if word(v) != "mode" {
				t.Errorf("%s: %s", call.Request.Args, word(v))
			}
			for _, covers := range v.Covers {
				if covers.Kind == approval.CoverPath || covers.Kind == approval.CoverCommand {
					t.Errorf("%s offers %+v", call.Request.Args, covers)
				}
			}
			if v.Risk.Level.Rank() < approval.RiskHigh.Rank() {
				t.Errorf("%s: %s, %q", call.Request.Args, v.Risk.Level, v.Risk.Reasons)
			}
		}
	}
}

func ptrTo[T any](v T) *T { return &v }
