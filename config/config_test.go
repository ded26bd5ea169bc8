package config_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// readable leaves out what can't be compared; it is tried instead.
var readable = cmp.Options{
	cmpopts.IgnoreFields(config.Model{}, "Model"),
	cmpopts.IgnoreFields(approval.Terms{}, "Pattern"),
	cmpopts.IgnoreUnexported(config.Config{}),
	cmpopts.IgnoreFields(config.Config{}, "Programs", "Digest"),
	cmpopts.IgnoreFields(config.Agent{}, "Digest"),
	cmpopts.IgnoreFields(config.Gateway{}, "Secrets"),
	cmpopts.IgnoreFields(policy.Rules{}, "Places"),
	cmp.Transformer("rule", func(c *policy.Compiled) policy.Rule { return c.Rule() }),
}

func TestTheDigestIsThatOfTheFileAsItIsWritten(t *testing.T) {
	raw, err := os.ReadFile("../agents.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("../agents.yaml", raw, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(raw)); c.Digest != want {
		t.Errorf("it is %s, want %s", c.Digest, want)
	}
}

func TestTheFileOfTheRepositoryLoadsWithoutFault(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	c, err := config.Load(filepath.Join(root, "agents.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Gateway.Data == "" || strings.HasPrefix(c.Gateway.Data, root) {
		t.Errorf("its data is in %q, where its agents work", c.Gateway.Data)
	}
	c.Gateway.Data = ""
	both := []approval.Scope{approval.Once, approval.Session}
	demo := "agents.demo.toolConfirmation.rules"
	want := &config.Config{
		File:    filepath.Join(root, "agents.yaml"),
		Gateway: config.Gateway{Listen: "127.0.0.1:8787", LocalKey: config.LocalKeyAsks, Push: true, RunWithin: 10 * time.Minute, RunIdle: time.Hour, AskerGrace: 30 * time.Second},
		Agents: []config.Agent{{
			ID:           "demo",
			Description:  "Runs commands and works with files, each time after you have cleared it.",
			Instructions: "You help people to try out how tool calls are approved.",
			Model:        config.Model{Name: "demo", Provider: "scripted"}, WorkingDirectory: root, Limits: config.Limits{MaxTurns: 25},
			Mode: approval.Manual, Timeout: 2 * time.Minute, MaxPending: 200,
			Rules: policy.Rules{AlwaysAllow: []string{"list_files"}, Rules: []*policy.Compiled{
				compiled(t, policy.Rule{
					Name: demo + "[0]", Tool: "shell", Command: []string{"rm -rf *", "git push --force *", "sudo *"}, Effect: policy.Deny,
					Reason: "nothing is deleted or rewritten for good, and nobody becomes root",
				}),
				compiled(t, policy.Rule{
					Name: demo + "[1]", Tool: "shell", Paths: []string{"."}, Effect: policy.Allow,
					Command: []string{"pwd", "date", "ls *", "head *", "wc *", "grep *", "git status *", "git diff *"},
				}),
				compiled(t, policy.Rule{Name: demo + "[2]", Tool: "read_file", Paths: []string{"."}, Effect: policy.Allow}),
			}},
			Tools: []config.Tool{
				{
					Name: "shell", Timeout: time.Minute, OutputLimit: 262144,
					Terms: approval.Terms{Need: approval.NeedAsk, Message: "Execute shell command: {command}", Scopes: both},
				},
				{Name: "read_file", Terms: approval.Terms{Scopes: both}},
				{Name: "write_file", Terms: approval.Terms{Message: "Write {path}", Scopes: []approval.Scope{approval.Once}}},
				{Name: "edit_file", Terms: approval.Terms{Scopes: both}},
				{Name: "list_files", Terms: approval.Terms{Scopes: both}},
			},
		}},
	}
	var others []string
	for _, a := range c.Agents[1:] {
		others = append(others, a.ID+" of "+a.Model.Provider)
	}
	if diff := cmp.Diff([]string{"gpt of openai", "claude of anthropic", "gemini of google", "local of openai", "files of scripted"}, others); diff != "" {
		t.Error(diff)
	}
	c.Agents = c.Agents[:1]
	if diff := cmp.Diff(want, c, readable, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Agents[0].Model.Model == nil {
		t.Error("the agent has no model")
	}
}

func TestAPatternCoversTheWholeOfTheArguments(t *testing.T) {
	c := parse(t, most+"    toolConfirmation: {mode: auto-deny}\n"+
		"  other: {model: demo, tools: {shell: {approval: {pattern: '\\{\"command\":\"(pwd|date)\"\\}'}}}}\n")
	if p := c.Agents[1].Tools[0].Terms.Pattern; !p.Covers(`{"command":"pwd"}`) || p.Covers(`{"command":"pwd; id"}`) {
		t.Error("the pattern covers something else than it says")
	}
}

// compiled is a rule that needs no tools to be checked against.
func compiled(t *testing.T, r policy.Rule) *policy.Compiled {
	t.Helper()
	c, faults := policy.Compile(r, []tool.Spec{{Name: "shell", Command: tool.CommandArgs{Line: "command"}}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return c
}

func TestTheSchemaIsTheGoldenOne(t *testing.T) {
	got, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("..", "docs", "agents.schema.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run with -update if this is meant (-want +got):\n%s", diff)
	}
}

// most is a file in which the lines that a test is about come last.
const most = "models: {demo: {provider: scripted}}\nagents:\n  demo:\n    model: demo\n    tools: {shell: , read_file: }\n"

func TestDefaultsAreFilledIn(t *testing.T) {
	base, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	got := parse(t, most)
	both := []approval.Scope{approval.Once, approval.Session}
	want := &config.Config{
		File:    filepath.Join(base, "agents.yaml"),
		Gateway: config.Gateway{Listen: "127.0.0.1:8787", LocalKey: config.LocalKeyAsks, Push: true, RunWithin: 10 * time.Minute, RunIdle: time.Hour, AskerGrace: 30 * time.Second},
		Agents: []config.Agent{{
			ID: "demo", Model: config.Model{Name: "demo", Provider: "scripted"}, WorkingDirectory: base,
			Mode: approval.Manual, Timeout: gate.DefaultTimeout, MaxPending: 200,
			Tools: []config.Tool{{Name: "shell", Terms: approval.Terms{Scopes: both}}, {Name: "read_file", Terms: approval.Terms{Scopes: both}}},
		}},
	}
	if diff := cmp.Diff(want, got, readable, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestApprovalTerms(t *testing.T) {
	scopes := func(s ...approval.Scope) []approval.Scope { return s }
	both := scopes(approval.Once, approval.Session)
	tests := []struct {
		name, yaml string
		want       approval.Terms
	}{
		{"nothing said leaves it to the mode", `{}`, approval.Terms{Scopes: both}},
		{"required asks", `{required: true}`, approval.Terms{Need: approval.NeedAsk, Scopes: both}},
		{"not required never asks", `{required: false}`, approval.Terms{Need: approval.NeedNone, Scopes: both}},
		{"scope once", `{scope: once}`, approval.Terms{Scopes: scopes(approval.Once)}},
		{"scope session also offers once", `{scope: session}`, approval.Terms{Scopes: both}},
		{"scope always never asks", `{scope: always}`, approval.Terms{Need: approval.NeedNone, Scopes: both}},
		{"options are read as other systems write them", `{options: [Cancel, Once, Always]}`, approval.Terms{Scopes: both, Options: []approval.Option{
			{Word: "Cancel", Status: approval.Cancelled}, {Word: "Once", Status: approval.Approved, Scope: approval.Once}, {Word: "Always", Status: approval.Approved, Scope: approval.Session},
		}}},
		{"options without one for the session, of which two are the same", `{options: [deny, allow_once, "yes"]}`, approval.Terms{Scopes: scopes(approval.Once), Options: []approval.Option{
			{Word: "deny", Status: approval.Denied}, {Word: "allow_once", Status: approval.Approved, Scope: approval.Once},
		}}},
		{"options without once", `{options: [no, " rememberChoice "]}`, approval.Terms{Scopes: scopes(approval.Session), Options: []approval.Option{
			{Word: "no", Status: approval.Denied}, {Word: "rememberChoice", Status: approval.Approved, Scope: approval.Session},
		}}},
		{"a message", `{message: "Edit {path}?"}`, approval.Terms{Message: "Edit {path}?", Scopes: both}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := parse(t, "models: {m: {provider: scripted}}\nagents: {a: {model: m, tools: {edit_file: {approval: "+tt.yaml+"}}}}\n")
			if diff := cmp.Diff(tt.want, c.Agents[0].Tools[0].Terms, readable); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAgentHasItsOwnConfirmationBeforeThatForAll(t *testing.T) {
	c := parse(t, `
toolConfirmation:
  mode: auto-deny
  timeout: none
  allowedToolsStorage: memory
  toolPolicies: {alwaysDeny: [write*], alwaysAllow: [read_file]}
models: {m: {provider: scripted}}
agents:
  second: {model: m, tools: {write_file: , read_file: }}
  first:
    model: m
    tools: {shell: , read_file: }
    toolConfirmation: {mode: auto-approve, timeout: 30s, allowedToolsStorage: storage, toolPolicies: {alwaysDeny: ["*"]}}
`)
	type part struct {
		ID      string
		Forgets bool
		Mode    approval.Mode
		Timeout time.Duration
		Rules   policy.Rules
	}
	var got []part
	for _, a := range c.Agents {
		got = append(got, part{a.ID, a.Forgetful, a.Mode, a.Timeout, a.Rules})
	}
	want := []part{
		{"second", true, approval.AutoDeny, gate.NoTimeout, policy.Rules{AlwaysAllow: []string{"read_file"}, AlwaysDeny: []string{"write*"}}},
		{"first", false, approval.AutoApprove, 30 * time.Second, policy.Rules{AlwaysAllow: []string{"read_file"}, AlwaysDeny: []string{"write*", "*"}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(policy.Rules{}, "Places")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnvironmentVariablesArePutIntoTexts(t *testing.T) {
	env := map[string]string{"NAME": "Ann", "EMPTY": "", "TRICKY": "${NAME}\nmodel: other: [", "WAIT": "45s"}
	tests := []struct{ name, yaml, want string }{
		{"a variable", `hello ${NAME}!`, "hello Ann!"},
		{"a default is not needed", `${NAME:-Bob}`, "Ann"},
		{"a default for what is not set", `${NOBODY:-Bob}`, "Bob"},
		{"a default for what is set to nothing", `${EMPTY:-Bob}`, "Bob"},
		{"a default of nothing", `<${NOBODY:-}>`, "<>"},
		{"nothing where nothing is set", `<${EMPTY}>`, "<>"},
		{"the text itself", `$${NAME} costs $5`, "${NAME} costs $5"},
		{"what a variable holds is never read again", `${TRICKY}`, "${NAME}\nmodel: other: ["},
		{"several", `${NAME}${NAME}`, "AnnAnn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := config.Parse("agents.yaml", []byte(most+"    instructions: "+tt.yaml+"\n"), lookup(env))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Agents[0].Instructions); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	c, err := config.Parse("agents.yaml", []byte(most+"    toolConfirmation: {timeout: \"${WAIT}\"}\n"), lookup(env))
	if err != nil || c.Agents[0].Timeout != 45*time.Second {
		t.Errorf("a duration from a variable: %+v, %v", c, err)
	}
}

func TestPathsStartAtTheFilesFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "agents.yaml"), "gateway: {data: state}\nmodels: {m: {provider: scripted, script: s.yaml}}\nagents: {a: {model: m, workdir: sub}}\n")
	write(t, filepath.Join(dir, "s.yaml"), "steps: [{match: a, say: b}]\n")
	write(t, filepath.Join(dir, "sub", "file"), "")
	c, err := config.Load(filepath.Join(dir, "agents.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Gateway.Data != filepath.Join(dir, "state") || c.Agents[0].WorkingDirectory != filepath.Join(dir, "sub") {
		t.Errorf("got %s and %s, want them in %s", c.Gateway.Data, c.Agents[0].WorkingDirectory, dir)
	}
}

func TestDataIsKeptInTheUsersStateFolderWhereTheFileDoesNotSay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "shop", "agents.yaml")
	write(t, file, most)
	data := func(path string, env map[string]string) string {
		t.Helper()
		c, err := config.Parse(path, []byte(most), lookup(env))
		if err != nil {
			t.Fatal(err)
		}
		return c.Gateway.Data
	}
	home, xdg := map[string]string{"HOME": "/home/ada"}, map[string]string{"HOME": "/home/ada", "XDG_STATE_HOME": "/state"}
	at := data(file, home)
	if name, ok := strings.CutPrefix(at, "/home/ada/.local/state/lineclear/shop-"); !ok || len(name) != 16 {
		t.Errorf("it is in %s", at)
	}
	if got := data(file, xdg); got != strings.Replace(at, "/home/ada/.local/state", "/state", 1) {
		t.Errorf("with XDG_STATE_HOME in %s", got)
	}
	write(t, filepath.Join(dir, "other", "shop", "agents.yaml"), most)
	if got := data(filepath.Join(dir, "other", "shop", "agents.yaml"), home); got == at {
		t.Error("two files share their data")
	}
	if err := os.Symlink(file, filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if got := data(filepath.Join(dir, "link.yaml"), home); got != at {
		t.Errorf("by a link in %s, want %s", got, at)
	}
	for _, env := range []map[string]string{nil, {"HOME": ""}, {"HOME": "rel"}, {"XDG_STATE_HOME": "rel"}} {
		if got := data(file, env); got != "" {
			t.Errorf("with %v in %s", env, got)
		}
	}
}

func TestTheLocalKeyAsksWhereNothingElseIsSaid(t *testing.T) {
	for word, want := range map[string]auth.Role{"asks": auth.Operator, "answers": auth.Admin} {
		c, err := config.Parse("agents.yaml", []byte("gateway: {localKey: "+word+"}\n"+most), lookup(nil))
		if err != nil || c.Gateway.LocalKey.Role() != want {
			t.Errorf("%s: %+v, %v", word, c, err)
		}
	}
	if got := config.LocalKey("").Role(); got != auth.Operator {
		t.Errorf("the zero key is %s", got)
	}
}

func TestOpenMakesTheToolsOfTheAgent(t *testing.T) {
	c, err := config.Load("../agents.yaml")
	if err != nil {
		t.Fatal(err)
	}
	box, err := c.Agents[0].Open(config.Confined{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range box.Tools {
		got = append(got, o.Tool.Spec().Name)
	}
	if diff := cmp.Diff([]string{"shell", "read_file", "write_file", "edit_file", "list_files"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if box.Tools[0].Terms.Need != approval.NeedAsk {
		t.Error("the shell lost its terms")
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFileThatIsNotThereIsNoFault(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "agents.yaml"))
	var faults config.Faults
	if !errors.Is(err, os.ErrNotExist) || errors.As(err, &faults) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}

func parse(t *testing.T, yaml string) *config.Config {
	t.Helper()
	c, err := config.Parse("agents.yaml", []byte(yaml), lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
