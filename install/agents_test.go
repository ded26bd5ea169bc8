//go:build agents

package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/install"
	"github.com/lineclear/lineclear/internal/canary"
)

// real is a home with the real programs in PATH, which LINECLEAR_AGENTS names, and the real gateway.
func real(t *testing.T) place {
	t.Helper()
	agents, env := os.Getenv("LINECLEAR_AGENTS"), os.Environ()
	p := lay(t, "")
	for _, name := range install.Names() {
		c, runs := canary.Of(name)
		if !runs {
			continue
		}
		program, err := filepath.EvalSymlinks(filepath.Join(agents, c.Name))
		if err != nil {
			t.Fatalf("LINECLEAR_AGENTS has to be a folder with %s: %v", c.Name, err)
		}
		if err := os.Remove(filepath.Join(p.home, "bin", c.Name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(p.home, "bin", c.Name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(p.home, "bin/gateway")); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(p.home, "bin/gateway"), "github.com/lineclear/lineclear/cmd/gateway")
	build.Env = env
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return p
}

// runnable are the agents that have a program.
func runnable() (names []string) {
	for _, name := range install.Names() {
		if _, runs := canary.Of(name); runs {
			names = append(names, name)
		}
	}
	return names
}

// settled are the files that an installation may change.
func (p place) settled(s install.Settings) map[string]string {
	found := map[string]string{}
	for name, text := range p.files() {
		if filepath.Join(p.home, name) == s.File || strings.HasPrefix(name, ".config/lineclear/") || name == ".codex/config.toml" {
			found[name] = text
		}
	}
	return found
}

func TestRealAgentsAreInstalledAndUninstalled(t *testing.T) {
	p := real(t)
	for _, name := range runnable() {
		t.Run(name, func(t *testing.T) {
			p.t = t
			s := p.settings(name, "")
			p.put(strings.TrimPrefix(s.File, p.home), "{\n  \"hooks\": {}\n}\n")
			p.put(".codex/config.toml", "# mine\nmodel = \"mine\"\n")
			before := p.settled(s)
			p.install(s)
			p.install(s, "--agent", "demo")
			if state, err := s.State(); err != nil || !state.Installed || len(state.Faults) > 0 {
				t.Errorf("%+v, %v", state, err)
			}
			if err := s.Trusted(t.Context()); err != nil {
				t.Error(err)
			}
			p.uninstall(s)
			if diff := cmp.Diff(before, p.settled(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRealAgentsAreNotInstalledWithAHookThatAllows(t *testing.T) {
	p := real(t)
	p.put("bin/gateway", "#!/bin/sh\ncat > /dev/null\necho '{}'\n")
	for _, name := range runnable() {
		t.Run(name, func(t *testing.T) {
			p.t = t
			s := p.settings(name, "")
			before := p.settled(s)
			if err := p.plan(s).Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "the call ran") || !strings.Contains(err.Error(), "as they were") {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, p.settled(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCodexTakesAProjectsHookOnlyWhereItTrustsTheFolder(t *testing.T) {
	p := real(t)
	project := filepath.Dir(filepath.Dir(p.put("project/.codex/hooks.json", "{}")))
	s := p.settings("codex", project)
	if err := p.plan(s).Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "once its folder is trusted") {
		t.Errorf("in a folder that is not trusted: %v", err)
	}
	p.put(".codex/config.toml", "[projects.'"+project+"']\ntrust_level = \"trusted\"\n")
	before := p.settled(s)
	p.install(s)
	if err := s.Trusted(t.Context()); err != nil {
		t.Error(err)
	}
	p.put(".codex/config.toml", "model = \"mine\"\n"+p.settled(s)[".codex/config.toml"])
	p.uninstall(s)
	if text := p.settled(s)[".codex/config.toml"]; strings.Contains(text, "trusted_hash") || !strings.HasPrefix(text, "model = \"mine\"\n"+before[".codex/config.toml"]) {
		t.Errorf("it is\n%s", text)
	}
}

func TestRealAgentsBlockWhateverFails(t *testing.T) {
	p := real(t)
	for _, name := range runnable() {
		t.Run(name, func(t *testing.T) {
			a, _ := install.Of(name)
			rows := 0
			for f, err := range a.Failures(t.Context(), install.Definition{Program: filepath.Join(p.home, "bin/gateway"), Limits: install.Brief}) {
				if rows++; err != nil || !f.Held {
					t.Errorf("%+v, %v", f, err)
				}
			}
			if rows != 6 {
				t.Errorf("%d rows", rows)
			}
		})
	}
}

// With a guard that outlasts the agent's own limit, these run what was not cleared; the doctor has to see it.
func TestTheDoctorSeesThatACallWouldRun(t *testing.T) {
	p := real(t)
	slow := install.Limits{Request: 20 * time.Second, Guard: 12 * time.Second, Agent: 2 * time.Second}
	for _, name := range []string{"codex", "copilot", "gemini", "qwen"} {
		t.Run(name, func(t *testing.T) {
			a, _ := install.Of(name)
			for f, err := range a.Failures(t.Context(), install.Definition{Program: filepath.Join(p.home, "bin/gateway"), Limits: slow}) {
				if err != nil || f.Held == (f.Gateway == "slow") || !f.Held && f.Result != "WOULD RUN" {
					t.Errorf("%+v, %v", f, err)
				}
				if f.Gateway == "slow" {
					break
				}
			}
		})
	}
}
