//go:build agents

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/canary"
)

// reals are the roads with the real agents, in the folder LINECLEAR_AGENTS.
var reals = []road{
	{agent: "claude-code", verb: []string{"host", "claude"}, why: true, edits: true},
	{agent: "codex", verb: []string{"host", "codex"}, why: true},
	{agent: "opencode", verb: []string{"acp"}, start: []string{"opencode", "acp"}},
	{agent: "copilot", verb: []string{"acp"}, start: []string{"copilot", "--acp"}},
	{agent: "gemini", verb: []string{"acp"}, start: []string{"gemini", "--acp"}, words: true},
	{agent: "qwen", verb: []string{"acp"}, start: []string{"qwen", "--acp"}},
}

// real is the real agent, with a model that calls its shell once.
func (r road) real(t *testing.T, line string) prepared {
	t.Helper()
	bin := os.Getenv("LINECLEAR_AGENTS")
	program, _ := canary.Of(r.agent)
	if _, err := os.Stat(filepath.Join(bin, program.Name)); bin == "" || err != nil {
		t.Fatalf("LINECLEAR_AGENTS has to be the folder of the program %s: %v", program.Name, err)
	}
	model, err := canary.Serve(program.Shell(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	folder, home := t.TempDir(), t.TempDir()
	args, env, err := program.Lead(canary.Run{Model: model, Folder: folder, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	return prepared{folder: folder, home: home, args: args, env: append(env, "PATH="+bin+":"+os.Getenv("PATH")), heard: model.Heard}
}

func TestRealAgentsTakeTheAnswer(t *testing.T) {
	for _, r := range reals {
		t.Run(r.agent, func(t *testing.T) { r.takesTheAnswer(t, r.real) })
	}
}

func TestRealAgentsRunNothingThatNobodyClears(t *testing.T) {
	for _, r := range reals {
		t.Run(r.agent, func(t *testing.T) { r.runsNothing(t, r.real) })
	}
}

// hookClaude sets the gateway's hook in an agent's home.
func (p *process) hookClaude(home string) {
	p.t.Helper()
	line, _ := json.Marshal("gateway hook claude-code --data " + filepath.Join(p.dir, "data"))
	settings := `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":` + string(line) + `,"timeout":60,"onFailure":"block"}]}]}}`
	file := filepath.Join(home, ".claude", "settings.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(settings), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

// requests are all that the gateway was asked about.
func (p *process) requests() (of []string) {
	p.t.Helper()
	var list struct {
		Approvals []struct {
			Args     json.RawMessage   `json:"args"`
			Metadata map[string]string `json:"metadata"`
		} `json:"approvals"`
	}
	if err := p.request("GET", "/api/approvals", struct{}{}, &list); err != nil {
		p.t.Fatal(err)
	}
	for _, a := range list.Approvals {
		of = append(of, a.Metadata["asked by"]+": "+string(a.Args))
	}
	return of
}

func TestRealHostAndHookAskOnceAboutACall(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strict), reals[0]
	for answer, want := range map[string]string{"approved": "ran\n", "denied": ""} {
		asked := len(p.requests())
		a := r.real(t, marks)
		p.hookClaude(a.home)
		h := r.host(p, a)
		p.post("/api/approvals/"+h.asks(), json.RawMessage(`{"status":"`+answer+`"}`), new(map[string]any))
		if got := h.wrote(); got != want {
			t.Errorf("%s, it wrote %q", answer, got)
		}
		if got := p.requests(); len(got) != asked+1 {
			t.Errorf("the gateway was asked %q", got)
		}
	}
}

func TestARealAgentInsideAHostedOneIsAskedByItsOwnHook(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strict), reals[0]
	inner := r.real(t, "echo inner > marker")
	words := []string{"(cd", inner.folder, "&&", "claude", "--allowedTools", "Bash", "-p", "'" + canary.Prompt + "'"}
	for _, arg := range inner.args {
		words = append(words, "'"+arg+"'")
	}
	a := r.real(t, strings.Join(words, " ")+" < /dev/null); "+marks)
	p.hookClaude(a.home)
	h := r.host(p, a)
	outer := h.asks()
	p.post("/api/approvals/"+outer, json.RawMessage(`{"status":"approved"}`), new(map[string]any))
	p.post("/api/approvals/"+h.asks(outer), json.RawMessage(`{"status":"denied","message":"not inside"}`), new(map[string]any))
	if got := h.wrote(); got != "ran\n" {
		t.Errorf("approved, the outer call wrote %q", got)
	}
	if _, err := os.Stat(filepath.Join(inner.folder, "marker")); err == nil {
		t.Error("denied, the inner call ran")
	}
	if !inner.heard("not inside") {
		t.Error("the inner model was not told why")
	}
	if got := p.requests(); len(got) != 2 || !strings.HasPrefix(got[0], "the agent's hook: ") {
		t.Errorf("the gateway was asked %q", got)
	}
}
