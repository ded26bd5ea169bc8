//go:build agents

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/canary"
	"github.com/lineclear/lineclear/tool"
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

// hooks are the roads by the hooks that gateway install has put into the settings.
var hooks = []road{
	{agent: "claude-code", why: true, edits: true},
	{agent: "codex", why: true, edits: true},
	{agent: "copilot", why: true, edits: true, mute: true},
	{agent: "gemini", why: true, edits: true, mute: true},
	{agent: "qwen", why: true},
}

// byHook installs the hook and runs the agent by itself, in the mode in which it asks nobody else.
func (r road) byHook() road {
	r.run = func(h *hosted, a prepared) {
		program, _ := canary.Of(r.agent)
		ours := append(h.environment()[len(os.Environ()):], "PATH="+os.Getenv("LINECLEAR_AGENTS")+":"+os.Getenv("PATH"))
		install := h.command("install", r.agent)
		install.Env = append(install.Env, append(ours, "HOME="+a.home)...)
		if out, err := install.CombinedOutput(); err != nil {
			h.t.Fatalf("%v: %s", err, out)
		}
		path := filepath.Join(os.Getenv("LINECLEAR_AGENTS"), program.Name)
		go func() {
			defer close(h.done)
			said, err := program.Try(context.Background(), canary.Run{Path: path, Model: a.model, Folder: a.folder, Home: a.home, Env: ours})
			_, _ = h.out.Write(said)
			if err != nil {
				_, _ = h.failed.Write([]byte(err.Error()))
			}
		}()
	}
	return r
}

// bare is the real agent without what leads it to its model, which it is told when it is run.
func (r road) bare(t *testing.T, line string) prepared {
	t.Helper()
	program, _ := canary.Of(r.agent)
	model, err := canary.Serve(program.Shell(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	return prepared{folder: t.TempDir(), home: t.TempDir(), model: model, heard: model.Heard}
}

func TestRealAgentsWithAHookTakeTheAnswer(t *testing.T) {
	for _, r := range hooks {
		t.Run(r.agent, func(t *testing.T) { r.byHook().takesTheAnswer(t, r.bare) })
	}
}

func TestRealAgentsWithAHookRunNothingThatNobodyClears(t *testing.T) {
	for _, r := range hooks {
		t.Run(r.agent, func(t *testing.T) { r.byHook().runsNothing(t, r.bare) })
	}
}

func TestRealClaudeCodeAsksByItsHTTPHook(t *testing.T) {
	r := road{agent: "claude-code", why: true, edits: true}
	r.run = func(h *hosted, a prepared) {
		var hooks []string
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			hooks = append(hooks, `"`+event+`":[{"matcher":"*","hooks":[{"type":"http","url":"`+h.url+`/hooks/claude-code","timeout":60,"onFailure":"block",
				"headers":{"Authorization":"Bearer $LINECLEAR_TOKEN"},"allowedEnvVars":["LINECLEAR_TOKEN"]}]}]`)
		}
		file := filepath.Join(a.home, ".claude", "settings.json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(`{"hooks":{`+strings.Join(hooks, ",")+`}}`), 0o600)); err != nil {
			h.t.Fatal(err)
		}
		token := h.token("claude "+filepath.Base(a.folder), auth.Agent)
		go func() {
			defer close(h.done)
			program, _ := canary.Of(r.agent)
			said, _ := program.Try(context.Background(), canary.Run{
				Path: filepath.Join(os.Getenv("LINECLEAR_AGENTS"), "claude"), Model: a.model, Folder: a.folder, Home: a.home, Env: []string{"LINECLEAR_TOKEN=" + token},
			})
			_, _ = h.out.Write(said)
		}()
	}
	r.takesTheAnswer(t, r.bare)
}

func TestRealClaudeCodeAsksByThePromptTool(t *testing.T) {
	r := road{agent: "claude-code", why: true, edits: true, mute: true}
	r.run = func(h *hosted, a prepared) {
		server, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"lineclear": map[string]any{
			"command": "gateway", "args": []string{"prompt-tool", "--data", filepath.Join(h.dir, "data")},
		}}})
		h.cmd = exec.Command("claude", append(a.args, "--mcp-config", string(server), "--permission-prompt-tool", "mcp__lineclear__approve", "-p", canary.Prompt)...)
		h.cmd.Path, h.cmd.Err = filepath.Join(os.Getenv("LINECLEAR_AGENTS"), "claude"), nil
		h.cmd.Dir, h.cmd.Env, h.cmd.Stdout, h.cmd.Stderr = a.folder, append(h.command().Env, a.env...), &h.out, h.failed
		if err := h.cmd.Start(); err != nil {
			h.t.Fatal(err)
		}
		go func() {
			defer close(h.done)
			_ = h.cmd.Wait()
		}()
	}
	r.takesTheAnswer(t, r.real)
	r.runsNothing(t, r.real)
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
	return prepared{folder: folder, home: home, model: model, args: args, env: append(env, "PATH="+bin+":"+os.Getenv("PATH")), heard: model.Heard}
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

func TestRealAgentsApproveNothingThemselves(t *testing.T) {
	for _, r := range reals {
		t.Run(r.agent, func(t *testing.T) { r.approvesNothingItself(t, r.real) })
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

func TestRealHostAndHookAreTwoQuestions(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strict), reals[0]
	for _, answers := range [][]string{{"approved", "approved"}, {"approved", "denied"}, {"denied", "approved"}} {
		a := r.real(t, marks)
		p.hookClaude(a.home)
		h := r.host(p, a)
		first := h.asks()
		p.post("/api/approvals/"+first, json.RawMessage(`{"status":"`+answers[0]+`"}`), new(map[string]any))
		p.post("/api/approvals/"+h.asks(first), json.RawMessage(`{"status":"`+answers[1]+`"}`), new(map[string]any))
		if got := h.wrote(); (got == "ran\n") != (answers[0] == answers[1]) {
			t.Errorf("%s, it wrote %q", answers, got)
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
	again := h.asks(outer) // by its host, and by its hook
	p.post("/api/approvals/"+again, json.RawMessage(`{"status":"approved"}`), new(map[string]any))
	p.post("/api/approvals/"+h.asks(outer, again), json.RawMessage(`{"status":"denied","message":"not inside"}`), new(map[string]any))
	if got := h.wrote(); got != "ran\n" {
		t.Errorf("approved, the outer call wrote %q", got)
	}
	if _, err := os.Stat(filepath.Join(inner.folder, "marker")); err == nil {
		t.Error("denied, the inner call ran")
	}
	if !inner.heard("not inside") {
		t.Error("the inner model was not told why")
	}
	if got := p.requests(); len(got) != 3 || !strings.HasPrefix(got[0], "the agent's hook: ") {
		t.Errorf("the gateway was asked %q", got)
	}
}

// A hook of the project's that changes calls changes none that was cleared.
func TestRealClaudeCodeRunsWhatWasClearedWhateverItsOwnHooksSay(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strict), reals[0]
	a := r.real(t, marks)
	output := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo changed > marker"}}}`
	settings, _ := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{
		"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": "sleep 1; echo '" + output + "'"}},
	}}}})
	file := filepath.Join(a.folder, ".claude", "settings.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, settings, 0o600)); err != nil {
		t.Fatal(err)
	}
	h := r.host(p, a)
	p.post("/api/approvals/"+h.asks(), json.RawMessage(`{"status":"approved"}`), new(map[string]any))
	if got := h.wrote(); got == "changed\n" && !strings.Contains(h.failed.String(), "not cleared") {
		t.Errorf("it wrote %q, and nobody was told", got)
	}
}

func TestRealClaudeCodesOtherToolsAreAskedAboutAndRun(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strings.Replace(strict, "toolConfirmation:", "toolConfirmation:\n  mode: auto-approve", 1)), reals[0]
	a := r.real(t, marks)
	calls := []canary.Call{
		{Tool: "Write", Args: tool.JSON(`{"file_path":"` + a.folder + `/a.txt","content":"one"}`)},
		{Tool: "Read", Args: tool.JSON(`{"file_path":"` + a.folder + `/a.txt"}`)},
		{Tool: "Edit", Args: tool.JSON(`{"file_path":"` + a.folder + `/a.txt","old_string":"one","new_string":"two"}`)},
		{Tool: "Bash", Args: tool.JSON(`{"command":"cat a.txt > marker","description":"copy"}`)},
	}
	a.model.Then(calls...)
	h := r.host(p, a)
	if got := h.wrote(); got != "two" || len(p.requests()) != len(calls)+1 {
		t.Errorf("it wrote %q; asked %q", got, p.requests())
	}
}

func TestARealSubAgentIsShownAsAPath(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strings.Replace(strict, "toolConfirmation:", "toolConfirmation:\n  mode: auto-approve", 1)), reals[0]
	a := r.real(t, marks)
	a.model.First(canary.Call{Tool: "Agent", Args: tool.JSON(`{"description":"try","subagent_type":"general-purpose","prompt":"` + canary.Prompt + `"}`)})
	r.host(p, a).wrote()
	var list struct {
		Approvals []approval.Request `json:"approvals"`
	}
	if err := p.request("GET", "/api/approvals", struct{}{}, &list); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, row := range list.Approvals {
		paths = append(paths, row.ToolName+" of "+row.Origin.Parent)
	}
	if !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, "Bash of claude-code / general-purpose (") }) {
		t.Errorf("it was asked about %q", paths)
	}
}

// A call that was approved must not go to Claude Code's own classifier, which can't be reached here.
func TestRealClaudeCodesClassifierIsNotAskedAboutWhatWasApproved(t *testing.T) {
	p, r := launchWith(t, "gateway", t.TempDir(), strict), reals[0]
	a := r.real(t, marks)
	a.args = append(a.args, "--permission-mode", "auto")
	h := r.host(p, a)
	p.post("/api/approvals/"+h.asks(), json.RawMessage(`{"status":"approved"}`), new(map[string]any))
	if got := h.wrote(); got != "ran\n" {
		t.Errorf("approved, it wrote %q", got)
	}
}
