package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/config"
)

const unitAgents = unlimited + `
models: {demo: {provider: scripted}}
agents: {demo: {model: demo, tools: {shell: {approval: {required: true}}}}}
`

// unitCommand is what the unit of systemd starts, with a configuration of the test's own.
func unitCommand(t *testing.T, file string) []string {
	t.Helper()
	unit, err := os.ReadFile("../../deploy/systemd/lineclear.service")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/gateway (.*) /etc/lineclear/agents.yaml (.*)$`).FindSubmatch(unit)
	if m == nil {
		t.Fatal("the unit does not start the gateway with a configuration")
	}
	return append(append(strings.Fields(string(m[1])), file), strings.Fields(string(m[2]))...)
}

// runUnit starts what the unit starts. Both streams are read whole.
func runUnit(t *testing.T, dir, yaml string, more ...string) (p *process, out *logBuffer) {
	t.Helper()
	file := filepath.Join(dir, "agents", "agents.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	p, out = &process{t: t, dir: dir, stderr: newLogBuffer()}, newLogBuffer()
	p.cmd = exec.Command("gateway", append(unitCommand(t, file), append([]string{"--data", filepath.Join(dir, "data")}, more...)...)...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = out, p.stderr, p.environment()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p, out
}

// lines are those of a stream, each of which has to be JSON.
func jsonLines(t *testing.T, stream string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(stream) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%q is no JSON: %v", line, err)
		}
		lines = append(lines, entry)
	}
	return lines
}

func TestNoStreamOfTheUnitHasASecretAndEachLineIsJSON(t *testing.T) {
	t.Parallel()
	p, out := runUnit(t, t.TempDir(), unitAgents)
	p.logged(`"msg":"serving"`)
	link := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/#login=(\S+)`)
	person := p.person("link", "--first")
	person.sees("/#login=")
	m := link.FindStringSubmatch(person.ends(0))
	p.url = m[1]
	p.login(m[2])
	secret := p.token("ci", auth.Approver)
	ws := p.tab()
	p.ask(ws, "echo Bearer sk-abcdefghijklmnopqrstuvwxyz")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if out.String() != "" {
		t.Errorf("stdout has %s", out)
	}
	jsonLines(t, p.stderr.String())
	_, cookie, _ := strings.Cut(p.cookie, "=")
	for _, kept := range []string{m[2], "login=", secret, cookie, "sk-abcdef", "ticket."} {
		if strings.Contains(p.stderr.String(), kept) {
			t.Errorf("stderr has %s", kept)
		}
	}
}

func TestALinkThatIsPrintedAndTheLastErrorAreJSONToo(t *testing.T) {
	t.Parallel()
	p, out := runUnit(t, t.TempDir(), unitAgents, "--print-link")
	if !out.await("#login=") {
		t.Fatalf("no link is printed: %s", p.stderr)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if lines := jsonLines(t, out.String()); len(lines) == 0 || !strings.Contains(fmt.Sprint(lines[0]["link"]), "/#login=") {
		t.Errorf("stdout has %s", out)
	}
	bad, out := runUnit(t, t.TempDir(), "agents: {x: {model: none}}\n")
	if code := bad.code(bad.cmd.Wait()); code != 1 || out.String() != "" {
		t.Errorf("it ends with %d, and prints %s", code, out)
	}
	if lines := jsonLines(t, bad.stderr.String()); len(lines) == 0 || !strings.Contains(fmt.Sprint(lines[len(lines)-1]["error"]), "agents.yaml:1:") {
		t.Errorf("stderr has %s", bad.stderr)
	}
}

func TestTheConfigurationsThatAreReleasedAreValid(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"systemd", "compose"} {
		raw, err := os.ReadFile("../../deploy/" + file + "/agents.yaml")
		if err != nil {
			t.Fatal(err)
		}
		work := t.TempDir() // stands for the folder that the package makes
		raw = bytes.ReplaceAll(raw, []byte("/var/lib/lineclear/work"), []byte(work))
		domain := func(string) (string, bool) { return "gate.example.com", true }
		if _, err := config.Parse("agents.yaml", raw, domain); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
