package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/internal/sandbox/sandboxtest"
)

// boxedAgents is a configuration whose commands run in a sandbox.
func boxedAgents(mode string) string {
	return strings.ReplaceAll(`
models: {demo: {provider: scripted}}
agents:
  demo:
    model: demo
    toolConfirmation: {timeout: none}
    tools: {shell: {sandbox: {mode: MODE}, approval: {required: true}}}
`, "MODE", mode)
}

func TestTheProgramRunsCommandsInTheSandboxThatTheirCardNames(t *testing.T) {
	t.Parallel()
	sandboxtest.New(t, sandbox.Options{})
	dir := t.TempDir()
	// All that is the gateway's own lies in the agent's folder, as it may from before.
	before := launch(t, dir)
	if err := before.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	login := filepath.Join(dir, "config", "lineclear", "logins", "x.age")
	if err := errors.Join(os.MkdirAll(filepath.Dir(login), 0o700), os.WriteFile(login, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	p := launchWith(t, "gateway", dir, strings.Replace(boxedAgents("required"), "model: demo", "model: demo\n    workdir: ..", 1))
	p.logged("where the agent's commands can read it")
	for _, own := range []string{"data/lineclear.db", "cache/lineclear/*.json", "config/lineclear/keys/*.pem", "config/lineclear/logins/*.age"} {
		if found, err := filepath.Glob(filepath.Join(dir, own)); len(found) != 1 || err != nil {
			t.Fatalf("%s is %q, %v", own, found, err)
		}
	}
	ws := p.tab()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, s.SessionID)
	send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, s.SessionID,
		"run: find . -name '*.db' -o -name '*.pem' -o -name '*.age' -o -name '*.json' | wc -l; touch here && echo written; cat /proc/net/dev | grep -c :")
	asked := until(t, ws, "approvalRequest", "touch here")
	if want := `"sandbox":{"kind":"bubblewrap","network":false,"write":[`; !strings.Contains(string(asked.Data), want) {
		t.Errorf("the request is %s, want it to have %s", asked.Data, want)
	}
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, shown(asked)[0])
	if got := until(t, ws, "sessionEvent", "tool.result"); !strings.Contains(string(got.Data), `0\nwritten\n1\n`) {
		t.Errorf("it came to %s", got.Data)
	}
	if _, err := os.Stat(filepath.Join(dir, "here")); err != nil {
		t.Error(err)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
}

func TestTheCardOfACommandWithoutASandboxSaysSo(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"off", "auto"} {
		t.Run(mode, func(t *testing.T) {
			// Nothing of bubblewrap is in this PATH, nor anything else.
			program, err := exec.LookPath("gateway")
			if err != nil {
				t.Fatal(err)
			}
			p := launchWith(t, program, t.TempDir(), boxedAgents(mode), "PATH="+t.TempDir())
			ws := p.tab()
			p.ask(ws, "uname -a")
			var pending struct {
				Approvals []struct {
					Sandbox struct {
						Kind    string `json:"kind"`
						Network bool   `json:"network"`
					} `json:"sandbox"`
				} `json:"approvals"`
			}
			if err := p.request("GET", "/api/approvals", struct{}{}, &pending); err != nil {
				t.Fatal(err)
			}
			if len(pending.Approvals) != 1 || pending.Approvals[0].Sandbox.Kind != "none" || !pending.Approvals[0].Sandbox.Network {
				t.Errorf("waiting are %+v", pending.Approvals)
			}
			if err := p.end(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			if got := strings.Contains(p.stderr.String(), "apt install bubblewrap"); got != (mode == "auto") {
				t.Errorf("the log names the remedy: %t: %s", got, p.stderr)
			}
		})
	}
}

func TestASandboxThatIsRequiredAndCanNotBeHadIsAnErrorWithTheRemedy(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("gateway")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "agents.yaml")
	if err := os.WriteFile(file, []byte(boxedAgents("required")), 0o600); err != nil {
		t.Fatal(err)
	}
	forbidding := t.TempDir()
	script := "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(forbidding, "bwrap"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, says string }{
		{"it is not installed", t.TempDir(), "apt install bubblewrap"},
		{"the kernel forbids it", forbidding, "user namespaces are probably forbidden"},
	} {
		for _, verb := range [][]string{
			{"serve", "--config", file, "--data", t.TempDir(), "--listen", "127.0.0.1:0"},
			{"validate", "--config", file},
			{"doctor", "--config", file},
		} {
			cmd := exec.Command(program, verb...)
			cmd.Env = append(os.Environ(), "PATH="+c.path, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "agents.demo.tools.shell.sandbox: ") || !strings.Contains(string(out), c.says) {
				t.Errorf("%s, %s: it said %s (%v)", c.name, verb[0], out, err)
			}
		}
	}
	sandboxtest.New(t, sandbox.Options{})
	out, err := exec.Command(program, "validate", "--config", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "its commands run in bubblewrap, which works, without network") {
		t.Errorf("where it works, it said %s (%v)", out, err)
	}
}

const fencedAgents = `
models: {demo: {provider: scripted}}
agents:
  demo:
    model: demo
    workdir: ../work
    toolConfirmation:
      timeout: none
      rules: [{tool: shell, effect: allow, sandbox: read-only}]
    tools: {shell: }
`

func TestWhatARulePutsInASandboxRunsUnreadAndSaysWhereItFailed(t *testing.T) {
	t.Parallel()
	sandboxtest.New(t, sandbox.Options{})
	dir := t.TempDir()
	for _, name := range []string{"work/a.txt", "work/.env", "secret"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("of "+name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p := launchWith(t, "gateway", dir, fencedAgents)
	ws := p.tab()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, s.SessionID)
	say := func(text string) {
		send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, s.SessionID, text)
	}
	say("run: cat $(echo a.txt) .env ../secret; cat ../$(echo data)/lineclear.db; echo x > new")
	got := string(until(t, ws, "sessionEvent", "tool.result").Data)
	for _, want := range []string{"of work/a.txt", "writes nothing, and has no network", `call again with \"sandbox\": \"none\"`} {
		if !strings.Contains(got, want) {
			t.Errorf("it has no %q: %s", want, got)
		}
	}
	for _, not := range []string{"of work/.env", "of secret", "SQLite"} {
		if strings.Contains(got, not) {
			t.Errorf("it read %q: %s", not, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "work/new")); err == nil {
		t.Error("it wrote")
	}
	say(`call shell {"command":"echo x > new && echo written","sandbox":"none"}`)
	asked := until(t, ws, "approvalRequest", "echo written")
	if !strings.Contains(string(asked.Data), "outside of the sandbox") {
		t.Errorf("the request is %s", asked.Data)
	}
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, shown(asked)[0])
	until(t, ws, "sessionEvent", "tool.result")
	if _, err := os.Stat(filepath.Join(dir, "work/new")); err != nil {
		t.Error(err)
	}
}
