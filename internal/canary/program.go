package canary

import (
	"maps"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// Program is a coding agent's program: how it is run once, without a person, against another model.
type Program struct {
	Agent string
	Name  string // of the program
	tool  string // that runs command lines
	args  func(line string) object
	setup func(r Run) setup
}

// setup is what one run of a program needs beside its folders.
type setup struct {
	lead  []string // arguments that lead it to the model
	once  []string // arguments that run it once
	env   map[string]string
	files map[string]object // in its working folder
}

var programs = map[string]Program{
	"claude-code": {Name: "claude", tool: "Bash", args: commandLine, setup: claude},
	"codex":       {Name: "codex", tool: "exec_command", args: codexCommand, setup: codex},
	"gemini":      {Name: "gemini", tool: "run_shell_command", args: commandLine, setup: geminiCLI},
	"qwen":        {Name: "qwen", tool: "run_shell_command", args: qwenCommand, setup: qwen},
	"copilot":     {Name: "copilot", tool: "bash", args: describedCommand, setup: copilot},
	"opencode":    {Name: "opencode", tool: "bash", args: describedCommand, setup: opencode},
}

// Of is the program of an agent.
func Of(agent string) (p Program, ok bool) {
	p, ok = programs[agent]
	p.Agent = agent
	return p, ok
}

// Agents are the names of the agents that have a program here, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(programs)) }

// Shell is the call that runs a command line.
func (p Program) Shell(line string) Call {
	return Call{Tool: p.tool, Args: tool.JSON(encode(p.args(line)))}
}

func commandLine(line string) object  { return object{"command": line} }
func codexCommand(line string) object { return object{"cmd": line} }

func describedCommand(line string) object {
	return object{"command": line, "description": "the canary"}
}

func qwenCommand(line string) object {
	return object{"command": line, "is_background": false}
}

// claude gets its environment twice: that of settings comes before the process's, and that of
// these settings before the user's.
func claude(r Run) setup {
	env := map[string]string{
		"ANTHROPIC_BASE_URL": r.Model.URL(), "ANTHROPIC_API_KEY": "canary", "ANTHROPIC_AUTH_TOKEN": "", "NO_PROXY": "127.0.0.1",
		"CLAUDE_CODE_USE_BEDROCK": "", "CLAUDE_CODE_USE_VERTEX": "", "CLAUDE_CODE_USE_FOUNDRY": "",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
	}
	settled := maps.Clone(env)
	for _, entry := range r.Env {
		name, value, _ := strings.Cut(entry, "=")
		settled[name] = value
	}
	settings := encode(object{"env": settled, "apiKeyHelper": "echo canary"})
	return setup{
		env: env, lead: []string{"--model", "sonnet", "--settings", string(settings), "--strict-mcp-config"},
		once: []string{"-p", Prompt, "--allowedTools", "Bash", "--no-session-persistence"},
	}
}

func codex(r Run) setup {
	provider := `{name="canary",base_url="` + r.Model.URL() + `/v1",wire_api="responses"}`
	return setup{
		lead: []string{
			"-c", `model="gpt-5"`, "-c", `model_provider="canary"`, "-c", "model_providers.canary=" + provider,
			"-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "-c", `otel.exporter="none"`,
		},
		once: []string{"exec", "--skip-git-repo-check", "--ephemeral", "--dangerously-bypass-approvals-and-sandbox", Prompt},
	}
}

// geminiCLI takes the kind of login from settings alone. Those of the folder come before the user's,
// if the folder is trusted.
func geminiCLI(r Run) setup {
	return setup{
		files: map[string]object{".gemini/settings.json": object{
			"security": object{"auth": object{"selectedType": "gemini-api-key"}},
			"general":  object{"enableAutoUpdate": false}, "privacy": object{"usageStatisticsEnabled": false},
		}},
		env: map[string]string{
			"GEMINI_API_KEY": "canary", "GOOGLE_GEMINI_BASE_URL": r.Model.URL(), "GEMINI_TELEMETRY_ENABLED": "false",
			"GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_BROWSER": "1",
		},
		lead: []string{"-m", "gemini-2.5-flash"},
		once: []string{"-p", Prompt, "--approval-mode", "yolo"},
	}
}

func qwen(r Run) setup {
	return setup{
		env:  map[string]string{"QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"},
		lead: []string{"--auth-type", "openai", "--openai-api-key", "canary", "--openai-base-url", r.Model.URL() + "/v1", "--model", "canary"},
		once: []string{Prompt, "--yolo"},
	}
}

func copilot(r Run) setup {
	return setup{
		env: map[string]string{
			"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": "gpt-4.1",
			"COPILOT_PROVIDER_BASE_URL": r.Model.URL() + "/v1", "COPILOT_PROVIDER_API_KEY": "canary",
		},
		lead: []string{"--disable-builtin-mcps", "--disable-client-telemetry"},
		once: []string{"-p", Prompt, "--allow-all-tools", "--trust-folder"},
	}
}

func opencode(r Run) setup {
	settings := encode(object{
		"enabled_providers": []string{"canary"}, "model": "canary/canary", "small_model": "canary/canary", "share": "disabled", "autoupdate": false, "permission": object{"bash": "allow"},
		"provider": object{"canary": object{
			"npm": "@ai-sdk/openai-compatible", "name": "canary",
			"options": object{"baseURL": r.Model.URL() + "/v1", "apiKey": "canary"},
			"models":  object{"canary": object{"name": "canary", "tool_call": true}},
		}},
	})
	return setup{
		env: map[string]string{
			"OPENCODE_CONFIG_CONTENT": string(settings), "OPENCODE_DISABLE_AUTOUPDATE": "1",
			"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
			"npm_config_fetch_retries": "0", // for the types of plugins, which it fetches before it starts
		},
		once: []string{"run", "--model", "canary/canary", "--title", "canary", Prompt},
	}
}
