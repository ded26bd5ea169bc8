//go:build agents

package canary_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/internal/canary"
)

// settings are what users may have in their homes. They lead to another model.
var settings = map[string]map[string]string{
	"claude-code": {".claude/settings.json": `{"model": "opus", "apiKeyHelper": "false",
		"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "mine", "CLAUDE_CODE_USE_BEDROCK": "1"}}`},
	"codex": {".codex/config.toml": `
model = "gpt-5.1-codex"
model_provider = "mine"
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.mine]
name = "mine"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
`},
	"gemini": {".gemini/settings.json": `{"security": {"auth": {"selectedType": "oauth-personal"}}, "model": {"name": "gemini-2.5-pro"}}`},
	"qwen": {".qwen/settings.json": `{"security": {"auth": {"selectedType": "qwen-oauth"}}, "model": {"name": "mine"},
		"modelProviders": {"openai": [{"id": "mine", "baseUrl": "http://127.0.0.1:9/v1", "envKey": "MINE"}]}}`},
	"copilot": {".copilot/config.json": `{"model": "claude-sonnet-4.5", "stream": false}`},
	"opencode": {".config/opencode/opencode.json": `{"model": "openai/gpt-5", "small_model": "openai/gpt-5", "permission": {"bash": "ask"},
		"enabled_providers": ["openai"], "share": "auto"}`},
}

// The tests need the programs in the folder that LINECLEAR_AGENTS names, and no network.
func TestRealAgentsRunTheCall(t *testing.T) {
	for _, agent := range canary.Agents() {
		t.Run(agent, func(t *testing.T) { runs(t, agent, t.TempDir()) })
	}
}

func TestRealAgentsRunTheCallWhateverTheirUserHasSetUp(t *testing.T) {
	for _, agent := range canary.Agents() {
		t.Run(agent, func(t *testing.T) {
			home := t.TempDir()
			write(t, home, settings[agent])
			t.Setenv("HOME", home)
			for _, name := range []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "COPILOT_PROVIDER_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "HTTP_PROXY"} {
				t.Setenv(name, "http://127.0.0.1:9")
			}
			t.Setenv("CLAUDE_CODE_USE_BEDROCK", "1")
			t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
			runs(t, agent, "")
		})
	}
}

// denials are hooks that deny, where users have their own.
var denials = map[string]map[string]string{
	"claude-code": {".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}]}}`},
	"gemini":      {".gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}]}}`},
	"qwen":        {".qwen/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}]}}`},
	"copilot":     {".copilot/hooks/gate.json": `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "echo '{\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"not today\"}'"}]}}`},
	"opencode":    {".config/opencode/plugin/gate.js": `export const gate = async () => ({"tool.execute.before": async () => { throw new Error("not today") }})`},
}

func TestRealAgentsAreDeniedTheCallByTheirUsersHooks(t *testing.T) {
	for agent, files := range denials {
		t.Run(agent, func(t *testing.T) {
			home := t.TempDir()
			write(t, home, files)
			r := run(t, agent, home)
			if r.ran || len(r.results) != 1 || !strings.Contains(r.results[0], "not today") {
				t.Errorf("it ran: %v; results %q; it said:\n%s", r.ran, r.results, r.said)
			}
		})
	}
}

// outcome is what came of one run.
type outcome struct {
	ran     bool
	results []string
	said    string
}

func run(t *testing.T, agent, home string) outcome {
	t.Helper()
	p, _ := canary.Of(agent)
	path := filepath.Join(os.Getenv("LINECLEAR_AGENTS"), p.Name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("LINECLEAR_AGENTS has to be a folder with %s: %v", p.Name, err)
	}
	m, folder := serve(t, p.Shell("echo ran > marker")), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	said, err := p.Try(ctx, canary.Run{Path: path, Model: m, Folder: folder, Home: home})
	if err != nil || len(m.Missing()) > 0 {
		t.Errorf("%v; missing %q; it said:\n%s", err, m.Missing(), said)
	}
	_, gone := os.Stat(filepath.Join(folder, "marker"))
	return outcome{ran: gone == nil, results: m.Results(), said: string(said)}
}

func runs(t *testing.T, agent, home string) {
	t.Helper()
	if r := run(t, agent, home); !r.ran || len(r.results) != 1 {
		t.Errorf("it ran: %v; results %q; it said:\n%s", r.ran, r.results, r.said)
	}
}

func write(t *testing.T, home string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
