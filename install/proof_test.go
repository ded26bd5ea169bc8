package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/install"
)

// seen is an agent that copies its settings and environment while it is tried.
func seen(more string) string {
	return strings.Replace(obedient, "IGNORES", `cp "$settings" "$HOME/bin/seen"; env > "$HOME/bin/env"; `+more, 1)
}

// The proof runs the line that is installed. Only the access file differs, and the proof sets no gateway in the
// environment.
func TestTheProofRunsTheLineThatIsInstalled(t *testing.T) {
	p := lay(t, seen(""))
	t.Setenv("LINECLEAR_URL", "http://127.0.0.1:1")
	s := p.settings("qwen", "")
	p.install(s, "--agent", "demo")
	tried, installed := p.read("bin/seen"), p.read(".qwen/settings.json")
	if env := p.read("bin/env"); strings.Contains(env, "LINECLEAR_TOKEN") || !strings.Contains(env, "LINECLEAR_URL=http://127.0.0.1:1\n") {
		t.Errorf("the environment is\n%s", env)
	}
	_, rest, _ := strings.Cut(tried, "--access '")
	access, _, _ := strings.Cut(rest, "'")
	if !strings.Contains(access, "lineclear-canary-") || strings.Contains(installed, "canary") {
		t.Errorf("tried with %s, and installed\n%s", access, installed)
	}
	if diff := cmp.Diff(installed, strings.ReplaceAll(tried, access, filepath.Join(p.home, "access.json"))); diff != "" {
		t.Error(diff)
	}
}

func (p place) read(file string) string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.home, file))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

func TestWhatTheAgentWritesToItsSettingsDuringTheProofStays(t *testing.T) {
	p := lay(t, seen(`sed 's/"mine": 1/"mine": 1, "its": 2/' "$settings" > "$HOME/bin/new"; cat "$HOME/bin/new" > "$settings"`))
	p.put(".qwen/settings.json", `{"mine": 1}`)
	s := p.settings("qwen", "")
	p.install(s)
	text := p.read(".qwen/settings.json")
	if !strings.Contains(text, `"its": 2`) || strings.Contains(text, "canary") || strings.Count(text, "--access '"+p.home+"/access.json'") != 3 {
		t.Error(text)
	}
	if state, err := s.State(); err != nil || !state.Installed || len(state.Faults) > 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestSettingsThatSwitchHooksOffAreToldOfAndNotInstalled(t *testing.T) {
	for _, c := range []struct{ agent, file, text, key string }{
		{"claude-code", ".claude/settings.json", `{"disableAllHooks": true}`, "disableAllHooks: true"},
		{"claude-code", ".claude/settings.local.json", "{ // mine\n\"disableAllHooks\" : true}", "disableAllHooks: true"},
		{"gemini", ".gemini/settings.json", `{"hooksConfig": {"notifications": true, "enabled": false}}`, "hooksConfig.enabled: false"},
		{"qwen", ".qwen/settings.json", `{"disableAllHooks":true}`, "disableAllHooks: true"},
		{"copilot", ".copilot/config.json", `{"disableAllHooks": true}`, "disableAllHooks: true"},
		{"codex", ".codex/config.toml", "a = 1\n[features]\nweb = true\n  hooks = false # mine\n", "features.hooks = false"},
		{"codex", ".codex/config.toml", "features.hooks=false\n", "features.hooks = false"},
		{"codex", ".codex/config.toml", "features = { web = true, hooks = false }\n", "features.hooks = false"},
	} {
		p := lay(t, "")
		file := p.put(c.file, c.text)
		before := p.files()
		_, err := p.settings(c.agent, "").Plan(install.Definition{Program: "/usr/bin/gateway", Limits: install.Usual})
		if !errors.Is(err, install.ErrSwitchedOff) || !strings.Contains(err.Error(), file+" says "+c.key) {
			t.Errorf("%s: %v", c.file, err)
		}
		if diff := cmp.Diff(before, p.files()); diff != "" {
			t.Error(diff)
		}
		for was, is := range map[string]string{"true": "false", "false": "true"} {
			if strings.HasSuffix(c.key, was) {
				p.put(c.file, strings.ReplaceAll(c.text, was, is))
			}
		}
		if _, err := p.settings(c.agent, "").Plan(install.Definition{Program: "/usr/bin/gateway", Limits: install.Usual}); errors.Is(err, install.ErrSwitchedOff) {
			t.Errorf("%s is not switched off: %v", c.file, err)
		}
	}
}

func TestAProjectsSwitchAndTheUsersAreBothSeen(t *testing.T) {
	p := lay(t, strings.Replace(obedient, "IGNORES", "", 1))
	project := filepath.Join(p.home, "project")
	p.put("project/.qwen/settings.json", `{"disableAllHooks": true}`)
	p.plan(p.settings("qwen", "")) // a project's switch doesn't affect the user's hook
	for _, file := range []string{"project/.qwen/settings.json", ".qwen/settings.json"} {
		p.put("project/.qwen/settings.json", "{}")
		p.put(file, `{"disableAllHooks": true}`)
		if _, err := p.settings("qwen", project).Plan(install.Definition{Program: "/usr/bin/gateway", Limits: install.Usual}); !errors.Is(err, install.ErrSwitchedOff) {
			t.Errorf("%s: %v", file, err)
		}
	}
	p.put(".qwen/settings.json", "{}")
	s := p.settings("qwen", project)
	p.install(s)
	p.put(".qwen/settings.json", `{"disableAllHooks": true}`)
	if state, err := s.State(); err != nil || len(state.Faults) != 1 || !strings.Contains(state.Faults[0], "runs no hooks") {
		t.Errorf("afterwards: %+v, %v", state, err)
	}
}

// What is beside the hook in a project's folder takes effect in the proof.
func TestAProjectIsProvenWithItsWholeFolder(t *testing.T) {
	p := lay(t, strings.Replace(obedient, "IGNORES", `ls -A .qwen .qwen/deep > "$HOME/bin/seen"`, 1))
	project := filepath.Join(p.home, "project")
	p.put("project/.qwen/.env", "A=1")
	p.put("project/.qwen/deep/agent.md", "a")
	p.put("project/.qwen/deep/huge", strings.Repeat("x", 2<<20))
	before, s := p.files(), p.settings("qwen", project)
	p.install(s)
	if got := p.read("bin/seen"); got != ".qwen:\n.env\ndeep\nsettings.json\n\n.qwen/deep:\nagent.md\n" {
		t.Errorf("it saw\n%s", got)
	}
	p.uninstall(s)
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Error(diff)
	}
}
