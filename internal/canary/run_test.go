package canary_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/internal/canary"
)

// fake is a program that is a script.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnAgentIsGivenThisModelAndAHomeOfItsOwn(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "mine")
	t.Setenv("OPENAI_BASE_URL", "http://mine")
	t.Setenv("CODEX_HOME", "/mine")
	for _, agent := range canary.Agents() {
		p, _ := canary.Of(agent)
		m, home := serve(t), t.TempDir()
		said, err := p.Try(t.Context(), canary.Run{
			Path: fake(t, `env; echo "$*"`), Model: m, Folder: t.TempDir(), Home: home, Env: []string{"MORE=1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{m.URL(), canary.Prompt, "HOME=" + home + "\n", "MORE=1\n"} {
			if !strings.Contains(string(said), want) {
				t.Errorf("%s: no %s in:\n%s", agent, want, said)
			}
		}
		if strings.Contains(string(said), "mine") {
			t.Errorf("%s: it has what is the user's:\n%s", agent, said)
		}
	}
}

func TestNothingIsLeftOfAnAgent(t *testing.T) {
	p, _ := canary.Of("qwen")
	said, err := p.Try(t.Context(), canary.Run{
		Path: fake(t, "setsid sleep 600 > /dev/null 2>&1 & echo $!"), Model: serve(t), Folder: t.TempDir(), Home: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(said)))
	if err != nil {
		t.Fatal(err)
	}
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if syscall.Kill(pid, 0) == nil && !strings.Contains(string(stat), ") Z") {
		t.Errorf("%d is still there", pid)
	}
}

func TestSettingsThatAreThereAreNotOverwritten(t *testing.T) {
	p, _ := canary.Of("gemini")
	run := canary.Run{Path: fake(t, ""), Model: serve(t), Folder: t.TempDir(), Home: t.TempDir()}
	if _, err := p.Try(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Try(t.Context(), run); !errors.Is(err, canary.ErrFolder) {
		t.Errorf("%v", err)
	}
}
