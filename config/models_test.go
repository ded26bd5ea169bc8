package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool/mcp"
)

// provided is a file with one model, and what else stands in it.
func provided(model, agent, rest string) string {
	return "models:\n  m: " + model + "\nagents:\n  demo: {model: m" + agent + "}\n" + rest
}

// secretly reads a file whose environment has a SECRET.
func secretly(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("agents.yaml", []byte(text), lookup(map[string]string{"SECRET": "hunter2"}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestModelsOfProvidersAreReadyToUse(t *testing.T) {
	for _, text := range []string{
		`{provider: openai, name: gpt-5, key: "${SECRET}"}`,
		`{provider: openai, name: llama, baseURL: "http://127.0.0.1:11434/v1"}`,
		`{provider: openai, name: gpt-5, key: k, headers: {X-Title: demo}, parameters: {temperature: 0.2, reasoning: {effort: low}}, maxTokens: 500, retries: 0, timeout: 30s}`,
		`{provider: google, name: gemini-3-flash, key: "${SECRET}", parameters: {generationConfig: {temperature: 0.2}}}`,
		`{provider: anthropic, name: claude, key: "${SECRET}", prices: {input: 3, cached: 0.3, output: 15}}`,
	} {
		a := secretly(t, provided(text, "", "")).Agents[0]
		if a.Model.Model == nil || a.Model.Name != "m" {
			t.Errorf("%s is %+v", text, a.Model)
		}
	}
	priced := parse(t, provided(`{provider: openai, name: n, key: k, prices: {input: 3, output: 15}}`, ", maxCost: 2.5, maxTokens: 9, contextTokens: 8, contextBytes: 6, resultBytes: 7, maxDenials: 1", "")).Agents[0]
	if diff := cmp.Diff(agent.Prices{Input: 3, Cached: 3, Output: 15}, priced.Model.Prices); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(config.Limits{MaxCost: 2.5, MaxTokens: 9, ContextTokens: 8, ContextBytes: 6, ResultBytes: 7, MaxDenials: 1}, priced.Limits); diff != "" {
		t.Error(diff)
	}
}

func TestAModelWithoutAKeyCanStandReady(t *testing.T) {
	for _, p := range []string{"openai", "anthropic", "google"} {
		a := parse(t, provided(`{provider: `+p+`, name: n, key: "${NOT_SET:-}"}`, "", "")).Agents[0]
		_, err := a.Model.Model.Generate(t.Context(), model.Prompt{}, nil)
		if model.KindOf(err) != model.Denied || !strings.Contains(err.Error(), "there is no key: give one under models.m") {
			t.Errorf("%s: %v", p, err)
		}
		if _, err := a.Model.Model.(model.Checker).Check(t.Context()); model.KindOf(err) != model.Denied {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestAKeyCanStandInAFileOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(" k\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := provided(`{provider: openai, name: n, keyFile: key}`, "", "")
	c, err := config.Parse(filepath.Join(dir, "agents.yaml"), []byte(text), lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	if made := fmt.Sprintf("%T", c.Agents[0].Model.Model); made != "*openai.Model" {
		t.Errorf("it is a %s", made)
	}
}

func TestAModelWithAFaultIsToldWhere(t *testing.T) {
	for text, want := range map[string]string{
		provided(`{provider: gemini}`, "", ""):                                                  "models.m.provider",
		provided(`{provider: openai, key: k}`, "", ""):                                          "models.m: name is missing",
		provided(`{provider: openai, name: n, key: k, script: x}`, "", ""):                      "models.m.script: is not for the provider openai",
		provided(`{provider: scripted, key: k}`, "", ""):                                        "models.m.key: is not for the provider scripted",
		provided(`{provider: openai, name: n, key: k, keyFile: x}`, "", ""):                     "models.m.keyFile: a key is given as well",
		provided(`{provider: openai, name: n, keyFile: nowhere}`, "", ""):                       `models.m.keyFile: "nowhere" can't be read: it does not exist`,
		provided(`{provider: openai, name: n, key: k, baseURL: "ftp://x"}`, "", ""):             "models.m: base URL",
		provided(`{provider: openai, name: n, key: k, parameters: {model: x}}`, "", ""):         "models.m: parameters: model",
		provided(`{provider: google, name: n, key: k, parameters: {contents: []}}`, "", ""):     "models.m: parameters: contents",
		provided(`{provider: anthropic, name: n, key: k, retries: 11}`, "", ""):                 "models.m.retries",
		provided(`{provider: anthropic, name: n, key: k, timeout: soon}`, "", ""):               "models.m.timeout",
		provided(`{provider: openai, name: n, key: k, prices: {input: -1}}`, "", ""):            "models.m.prices.input",
		provided(`{provider: openai, name: n, key: k}`, ", maxCost: 5", ""):                     "agents.demo.maxCost: the model m has no prices",
		provided(`{provider: openai, name: n, key: "${SECRET}", baseURL: "${SECRET}"}`, "", ""): "models.m: base URL",
	} {
		got := faults(t, "agents.yaml", text)
		if !strings.Contains(got, want) || strings.Contains(got, "hunter2") {
			t.Errorf("%s\nsays %s\nwant %s", text, got, want)
		}
	}
}

const servers = `
mcpServers:
  files:
    command: npx
    args: [-y, "@modelcontextprotocol/server-filesystem", .]
    env: {TOKEN: "${SECRET}"}
  web:
    url: https://mcp.example.com/mcp
    headers: {Authorization: "Bearer ${SECRET}"}
    trusted: true
    timeout: 1m
`

func TestAnAgentHasTheServersThatItNames(t *testing.T) {
	c := secretly(t, provided(`{provider: scripted}`, `, mcp: {files: {only: ["read_*"], except: [read_all], approval: {required: true}}, web: }`, servers))
	both := []approval.Scope{approval.Once, approval.Session}
	want := []config.MCPServer{
		{
			Config: mcp.Config{Name: "files", Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "."}, Env: map[string]string{"TOKEN": "hunter2"},
				WorkingDirectory: c.Agents[0].WorkingDirectory, Only: []string{"read_*"}, Except: []string{"read_all"}},
			Terms: approval.Terms{Need: approval.NeedAsk, Scopes: both},
		},
		{
			Config: mcp.Config{Name: "web", URL: "https://mcp.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer hunter2"},
				WorkingDirectory: c.Agents[0].WorkingDirectory, Trusted: true, CallTimeout: time.Minute},
			Terms: approval.Terms{Scopes: both},
		},
	}
	if diff := cmp.Diff(want, c.Agents[0].MCP, readable, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestAServerWithAFaultIsToldWhere(t *testing.T) {
	scripted := func(agent, servers string) string {
		return provided(`{provider: scripted}`, agent, "mcpServers: "+servers+"\n")
	}
	for text, want := range map[string]string{
		scripted(", mcp: {file: }", `{files: {command: x}}`):                            `agents.demo.mcp.file: there is no MCP server of that name; did you mean files?`,
		scripted(", mcp: {files: }", `{files: {}}`):                                     "mcpServers.files: give a command or a url",
		scripted("", `{files: {command: x, url: "http://x/"}}`):                         "mcpServers.files: give a command or a url, not both",
		scripted(", mcp: {files: }", `{files: {url: "x"}}`):                             "mcpServers.files: the url has to be",
		scripted(", mcp: {files: }", `{files: {url: "http://x", env: {A: b}}}`):         "mcpServers.files: env is for a server with a command",
		scripted(", mcp: {files: {only: ['[']}}", `{files: {command: x}}`):              "agents.demo.mcp.files: \"[\" is no pattern of names",
		scripted(", mcp: {files: }", `{files: {command: x, timeout: soon}}`):            "mcpServers.files.timeout",
		scripted("", `{Files: {command: x}}`):                                           "Files",
		scripted(", mcp: {files: {approval: {pattern: '('}}}", `{files: {command: x}}`): "agents.demo.mcp.files.approval.pattern",
	} {
		if got := faults(t, "agents.yaml", text); !strings.Contains(got, want) {
			t.Errorf("%s\nsays %s\nwant %s", text, got, want)
		}
	}
}

func TestARuleMayBeAboutAServersTools(t *testing.T) {
	rule := func(pattern string) string {
		return provided(`{provider: scripted}`, `, mcp: {files: }, toolConfirmation: {rules: [{tool: "`+pattern+`", effect: deny, args: {path: {prefix: /etc}}}], toolPolicies: {alwaysDeny: ["`+pattern+`"]}}`,
			"mcpServers: {files: {command: x}}\n")
	}
	for _, pattern := range []string{"files__write_file", "files__*", "files*", "*", "*write*", "f*__read"} {
		if c := parse(t, rule(pattern)); len(c.Agents[0].Rules.Rules) != 1 {
			t.Errorf("%s is %+v", pattern, c.Agents[0].Rules)
		}
	}
	for _, pattern := range []string{"file__write", "files__", "web__*", "files_write"} {
		if got := faults(t, "agents.yaml", rule(pattern)); !strings.Contains(got, "matches no tool of agent demo") || !strings.Contains(got, "files__*") {
			t.Errorf("%s: %s", pattern, got)
		}
	}
}

func TestAToolIsFoundWithItsTerms(t *testing.T) {
	a := parse(t, provided(`{provider: scripted}`, `, tools: {shell: {approval: {required: true}}}, clientTools: {ui.copyText: {approval: {required: false}}}, mcp: {files: {approval: {required: true}}}`,
		"mcpServers: {files: {command: x}}\n")).Agents[0]
	for name, want := range map[string]string{
		"shell": "true 1", "ui.copyText": "true 2", "files__write": "true 1", "files__": "false 0", "nothing": "false 0",
	} {
		spec, terms, ok, err := a.Find(name)
		if got := fmt.Sprintf("%v %d", ok, terms.Need); err != nil || got != want || ok && spec.Name != name {
			t.Errorf("%s is %s, %s, %v", name, spec.Name, got, err)
		}
	}
}
