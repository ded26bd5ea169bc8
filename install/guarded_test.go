package install_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lineclear/lineclear/install"
)

func TestAllFilesThatSwitchAHookOffAreGuardedByTheirNamesAndWhereLinksLead(t *testing.T) {
	p := lay(t, "")
	p.put("dotfiles/claude/settings.json", "{}")
	if err := os.Symlink("dotfiles/claude", filepath.Join(p.home, ".claude")); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(p.home, "moved")
	t.Setenv("CODEX_HOME", moved)
	t.Setenv("CLAUDE_CONFIG_DIR", moved)
	guarded := install.Guarded()
	for _, name := range []string{
		".claude/settings.json", ".claude/settings.local.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml",
		".gemini/settings.json", ".gemini/.env", ".gemini/trustedFolders.json", ".qwen/settings.json", ".qwen/.env",
		".copilot/hooks", ".copilot/config.json", ".cursor/hooks.json", ".config/lineclear/installed",
		"dotfiles/claude/settings.json", "dotfiles/claude/settings.local.json",
		"moved/hooks.json", "moved/config.toml", "moved/settings.json", "moved/.claude.json",
	} {
		if !slices.Contains(guarded, filepath.Join(p.home, name)) {
			t.Errorf("%s is not guarded", name)
		}
	}
	want := []string{
		".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".codex/hooks.json", ".cursor/hooks.json", ".gemini/.env", ".gemini/settings.json",
		".github/copilot/settings.json", ".github/copilot/settings.local.json", ".github/hooks", ".qwen/.env", ".qwen/settings.json",
	}
	if got := slices.Sorted(slices.Values(install.GuardedEndings())); !slices.Equal(got, want) {
		t.Errorf("in projects: %q", got)
	}
}
