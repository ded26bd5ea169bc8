package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/client"
)

// says runs a verb, and returns what it prints and the exit code.
func says(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	c := Root()
	c.SetArgs(args)
	c.SetOut(&out)
	err := execute(t.Context(), c)
	if err != nil {
		out.WriteString(err.Error())
	}
	return out.String(), exitCode(err)
}

func TestTheVerbsInstallAndUninstallAHook(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	t.Chdir(t.TempDir())
	file := filepath.Join(home, ".cursor/hooks.json")
	want := func(code int, words string, args ...string) {
		t.Helper()
		if text, got := says(t, args...); got != code || !strings.Contains(text, words) {
			t.Errorf("%v: %d, %s", args, got, text)
		}
	}
	want(exitUsage, "pass --config FILE, or --data FOLDER", "install", "cursor")
	want(exitUsage, "pass --config FILE, or --data FOLDER", "install", "cursor", "--agent", "demo")
	want(0, "Nothing was written", "install", "cursor", "--dry-run", "--data", "data")
	if _, err := os.Stat(file); err == nil {
		t.Error("--dry-run has written")
	}
	want(0, "Written, and not proven: Cursor can't be run here.", "install", "cursor", "--data", "data", "--agent", "demo")
	access, err := client.AccessFile("data")
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(file); err != nil || !strings.Contains(string(raw), "' hook cursor --access '"+access+"' --agent 'demo' --expires 10m || {") {
		t.Errorf("%s, %v", raw, err)
	}
	want(1, "agents.yaml", "install", "cursor", "--config", "missing/agents.yaml")
	data := filepath.Join(home, "data")
	if err := os.WriteFile("agents.yaml", []byte("gateway: {data: "+data+"}\nmodels: {demo: {provider: scripted}}\nagents: {demo: {model: demo}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if access, err = client.AccessFile(data); err != nil {
		t.Fatal(err)
	}
	want(0, "--access '"+access+"' --expires", "install", "cursor")
	want(0, "There is nothing to change", "install", "cursor")
	want(0, "Uninstalled: Cursor", "uninstall", "cursor")
	want(exitUnknown, "there is no hook", "uninstall", "cursor")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is still there")
	}
	want(exitUsage, "there is no agent", "install", "aider")
	want(1, "leave out --project", "install", "gemini", "--project")
}

func TestTheDoctorOfAgentsSaysHowHooksStand(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "/nowhere")
	if text, code := says(t, "install", "cursor", "--data", "data"); code != 0 {
		t.Fatal(text)
	}
	if text, code := says(t, "doctor", "agents"); code != 0 || !strings.Contains(text, "hooks.json  installed\n") || strings.Contains(text, "gemini") {
		t.Errorf("%d, %s", code, text)
	}
	file := filepath.Join(os.Getenv("HOME"), ".cursor/hooks.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(raw, []byte("720"), []byte("1"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, code := says(t, "doctor", "agents"); code != 1 || !strings.Contains(text, "was changed by somebody") {
		t.Errorf("%d, %s", code, text)
	}
}
