package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidateSaysWhatOldRulesDoNotLetAndWhatAutoApproveLets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "agents.yaml")
	text := `
models: {demo: {provider: scripted}}
toolConfirmation: {rules: [{tool: shell, command: ["touch *", "ls *"], effect: allow}, {tool: shell, command: ["rm *"], effect: deny}]}
agents:
  one: {model: demo, tools: {shell: }, mode: auto-approve}
  two: {model: demo, tools: {shell: }, toolConfirmation: {rules: [{tool: shell, command: ["cp *"], writes: ["out/**"], effect: allow}]}}
`
	if err := os.WriteFile(file, []byte(strings.Replace(text, ", mode: auto-approve", ", toolConfirmation: {mode: auto-approve}", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gateway", "validate", "--config", file)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	raw, err := cmd.CombinedOutput()
	out := string(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := strings.Count(out, `toolConfirmation.rules[0]: touch * writes files, which the rule does not name, so that it is asked about: add writes: ["**"]`); n != 1 {
		t.Errorf("it says it %d times: %s", n, out)
	}
	if strings.Contains(out, "cp *") || !strings.Contains(out, "agent one: mode auto-approve: every call that no rule denies or asks about runs unasked") || strings.Contains(out, "agent two: mode auto") {
		t.Errorf("it says %s", out)
	}
}
