package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// Settings in a project can switch off a coding agent's hook. Reading them is harmless, and a call that only
// might touch them is not asked about for that reason.
func TestACallThatChangesAProjectsSettingsOfAnAgentIsAskedEachTime(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"x": ".claude", "y.json": ".claude/settings.json"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	endings := []string{".claude/settings.json", ".claude/settings.local.json", ".gemini/.env", ".github/hooks"}
	reads := tool.Spec{Name: "view", Paths: []string{"path"}, Writes: []string{}}
	writes := tool.Spec{Name: "put", Writes: []string{"path"}}
	for _, c := range []struct {
		call  approval.Case
		asked bool
	}{
		{line(t, "echo {} > .claude/settings.json"), true},
		{line(t, "echo {} >> sub/project/.claude/./settings.local.json"), true},
		{line(t, "cd .claude && echo {} > settings.json"), true},
		{line(t, "cd sub/.. && tee /elsewhere/.gemini/.env < a"), true},
		{line(t, "rm .claude/settings.json"), true},
		{line(t, "mv a.json .Claude/Settings.json"), true},
		{line(t, "mv .claude/settings.json b"), true},
		{line(t, "cp a .claude/settings.json"), true},
		{line(t, "cp settings.json .claude/"), true},
		{line(t, "mv .claude b"), true},
		{line(t, "rm -rf sub/.claude"), true},
		{line(t, "sed -i s/a/b/ .claude/settings.json"), true},
		{line(t, "touch .github/hooks/a.json"), true},
		{line(t, "sh -c 'echo > .claude/settings.json'"), true},
		{line(t, "prettier --write .claude/settings.json"), true},
		{line(t, "echo {} > x/settings.json"), true},
		{line(t, "echo {} > y.json"), true},
		{line(t, "ln -s .claude z && echo {} > z/settings.json"), true},
		{about(writes, args(t, "path", ".claude/settings.json")), true},
		{about(writes, args(t, "path", dir+"/.github/hooks/a.json")), true},
		{about(fileSpec("edit"), args(t, "path", "sub/.gemini/.env")), true},
		{about(tool.Spec{Name: "undeclared"}, args(t, "path", ".claude/settings.json")), true},
		{about(tool.Spec{Name: "undeclared"}, args(t, "to", []string{".claude/settings.json"})), true},
		{about(tool.Spec{Name: "apply_patch"}, args(t, "input", "*** Begin Patch\n*** Add File: .claude/settings.json\n+{}\n*** End Patch")), true},

		{line(t, "cat .claude/settings.json"), false},
		{line(t, "grep -r hooks .claude"), false},
		{line(t, "ls .github/hooks"), false},
		{line(t, "git pull"), false},
		{line(t, "make"), false},
		{line(t, "mkdir -p .claude"), false},
		{line(t, "echo {} > .claude/settings.json.md"), false},
		{line(t, "echo {} > a.claude/settings.json"), false},
		{line(t, "echo {} > settings.json"), false},
		{line(t, "echo .claude/settings.json"), false},
		{line(t, "rm -rf build"), false},
		{about(reads, args(t, "path", ".claude/settings.json")), false},
		{about(writes, args(t, "path", ".claude/notes.md")), false},
		{about(tool.Spec{Name: "Read"}, args(t, "file_path", ".claude/settings.json")), false},
		{about(tool.Spec{Name: "undeclared"}, args(t, "text", "it is in .claude/settings.json")), false},
	} {
		t.Run(string(c.call.Request.Args), func(t *testing.T) {
			rules := policy.Rules{AlwaysAllow: []string{"*"}, WorkingDirectory: dir, Protected: policy.Protected{Endings: endings}}
			c.call.Mode = approval.AutoApprove
			v := judge(t, rules, c.call)
			why := func(line string) bool {
				return strings.HasPrefix(line, "ask: protected: ") && strings.HasSuffix(line, " says what agents may do")
			}
			if asked := v.Effect == approval.AskPerson && slices.ContainsFunc(v.Trace, why); asked != c.asked || !asked && v.Effect != approval.Allow {
				t.Errorf("%v, %q", v.Effect, v.Trace)
			}
			if c.asked && (!slices.Equal(v.Scopes, []approval.Scope{approval.Once}) || v.Risk.Level != approval.RiskCritical) {
				t.Errorf("scopes %v, %v", v.Scopes, v.Risk)
			}
		})
	}
}
