package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/cli"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
)

// poison is what a terminal would obey or not show: it clears the screen, goes
// back to the line's beginning, turns text around, and hides.
const poison = "\x1b[2J\x1b]52;c;eA==\x07\r\x7f\u0085\u009b2J\u202e\u2066\u200b\u2060\u034f\u00ad\ufeff\U000E0041\U000E0101"

// reading is a run of a verb over poisoned requests.
type reading struct {
	args []string
	own  bool   // it takes no --data
	in   string // the words that show it has read something; empty: there is nothing of theirs in it
}

// poisoned is a gateway with requests that have poison wherever a program can put
// it.
type poisoned struct {
	*process
	secret string // of a token that can only ask
}

func newPoisoned(t *testing.T) *poisoned {
	t.Helper()
	p := &poisoned{process: launch(t, t.TempDir())}
	made := p.verb("tokens", "create", "ci", "--role", "agent", "--agent", "demo").want(t, 0)
	p.secret = strings.TrimSpace(made.out)
	return p
}

// put puts a request as the least of the roles may.
func (p *poisoned) put(name string) (row approval.Request) {
	p.t.Helper()
	text := name + poison
	run, err := client.New(p.url, p.secret).BeginRun(p.t.Context(), client.RunOf{AgentID: "demo", Client: name})
	if err != nil {
		p.t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"agentId": "demo", "sessionId": run.ID, "client": name, "toolName": name, "message": text, "workingDirectory": "/" + text,
		"args": map[string]any{text: text, "list": []string{text}}, "metadata": map[string]string{text: text},
		"context": []map[string]string{{"role": "user", "text": text}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/api/approvals", bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.secret)
	r.Header.Set("Origin", p.url)
	r.Header.Set("Idempotency-Key", name)
	response, err := browser.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.UnmarshalRead(response.Body, &row); err != nil || response.StatusCode != http.StatusCreated || row.ToolName != name {
		p.t.Fatalf("%d: %+v, %v", response.StatusCode, row, err)
	}
	return row
}

// readings are runs of every verb.
func (p *poisoned) readings() []reading {
	waits, allowed, denied, withdrawn, suggested := p.put("waits"), p.put("allowed"), p.put("denied"), p.put("withdrawn"), p.put("suggested")
	var titled any
	p.post("/api/sessions", map[string]string{"agentId": "demo", "title": "title"}, &titled)
	file := filepath.Join(p.dir, "agents", "agents.yaml")
	return append(p.offline(file), []reading{
		{args: []string{"approvals", "approve", allowed.ApprovalID, "--covers", "tool"}, in: "allowed"},
		{args: []string{"approvals", "deny", denied.ApprovalID, "-m", "no" + poison}, in: "the agent is told: no"},
		{args: []string{"approvals", "approve", denied.ApprovalID}, in: "it was denied by"},
		{args: []string{"approvals", "deny", denied.ApprovalID, "--json"}, in: "no"},
		{args: []string{"approvals", "cancel", withdrawn.ApprovalID, "--json"}, in: "withdrawn"},
		{args: []string{"ask", "t" + poison}, in: "toolName"}, {args: []string{"ask", "t", "[" + poison}, in: "is not a JSON object"},
		{args: []string{"approvals"}, in: "waits"},
		{args: []string{"approvals", "ls", "--status", "all"}, in: "denied by"},
		{args: []string{"approvals", "ls", "--json"}, in: "waits"},
		{args: []string{"approvals", "ls", "--search", "waits"}, in: "waits"}, {args: []string{"approvals", "ls", "--search", poison}, in: "q: has characters that can't be seen"},
		{args: []string{"approvals", "export"}, in: "waits"}, {args: []string{"approvals", "export", "--format", "jsonl"}, in: "waits"},
		{args: []string{"approvals", "export", "--format", poison}, in: "there is no format"},
		{args: []string{"approvals", "show", waits.ApprovalID, "--unmasked"}, in: "waits"},
		{args: []string{"approvals", "show", waits.ApprovalID, "--json"}, in: "waits"},
		{args: []string{"approvals", "show", "1234567\x1b\u202e"}, in: "there is no request 1234567"},
		{args: []string{"approvals", "ls", "--status", poison}, in: "status"},
		{args: []string{"sessions"}, in: "waits"}, {args: []string{"sessions", "ls", "--json"}, in: "waits"},
		{args: []string{"sessions", "show", waits.SessionID}, in: "waits"},
		{args: []string{"sessions", "show", waits.SessionID, "--json"}, in: "waits"},
		{args: []string{"sessions", "show", "1234567\x1b\u202e"}, in: "there is no session 1234567"},
		{args: []string{"sessions", "messages", denied.SessionID}, in: "denied"},
		{args: []string{"sessions", "messages", denied.SessionID, "--json"}, in: "denied"},
		{args: []string{"grants", "--all"}, in: "allowed"},
		{args: []string{"grants", "revoke", p.grant(allowed)}, in: "allowed"},
		{args: []string{"grants", "revoke", poison}, in: "gateway: "},
		{args: []string{"reload"}, in: "Nothing has changed"}, {args: []string{"nodes"}, in: "no cluster"}, {args: []string{"modes"}, in: "demo"}, {args: []string{"modes", "set", "demo" + poison, "manual"}, in: "there is no agent"},
		{args: []string{"policy", "observed"}, in: "is observed"}, {args: []string{"policy", "suggest"}, in: "suggested"}, {args: []string{"policy", "suggest", suggested.ApprovalID}, in: "suggested"},
		{args: []string{"run", "demo", "run: echo shout" + poison, "--timeout", "1s"}, in: "shout"},
		{args: []string{"run", "demo", "run: echo shout" + poison, "--json", "--timeout", "1s"}, in: "shout"},
		{args: []string{"sessions", "ls"}, in: "title"},
		{args: []string{"tokens"}, in: "ci"}, {args: []string{"tokens", "create", "x" + poison, "--role", "agent"}, in: "gateway: "},
		{args: []string{"tokens", "set", "t" + poison, "--role", "agent"}, in: "there is no token"}, {args: []string{"tokens", "revoke", "t" + poison}, in: "there is no token"},
		{args: []string{"logins"}, in: "owner"}, {args: []string{"logins", "set", "t" + poison, "--role", "agent"}, in: "there is no login"},
		{args: []string{"logins", "revoke", "t" + poison}, in: "there is no login"}, {args: []string{"link", "x" + poison, "--role", "viewer"}, in: "gateway: "},
		{args: []string{"audit"}, in: "Fine"}, {args: []string{"audit", "verify"}, in: "Fine"},
		{args: []string{"audit", "export", "--format", "csv"}, in: "waits"}, {args: []string{"audit", "export", "--format", poison}, in: "there is no format"},
		{args: []string{"audit", "head"}, in: ":"}, {args: []string{"audit", "key"}, in: ""},
		{args: []string{"sessions", "cancel", waits.SessionID, "--json"}, in: "waits"},
		{args: []string{"sessions", "cancel", suggested.SessionID}, in: "has ended"},
		{args: []string{"doctor"}, in: "gateway"}, {args: []string{"login"}, in: "needs a terminal"}, {args: []string{"logout"}, in: "you are not logged in"},
	}...)
}

// offline are the verbs that need no gateway, and the words before a verb.
func (p *poisoned) offline(file string) []reading {
	cases := filepath.Join(p.dir, "cases.yaml")
	raw, err := json.Marshal("case" + poison)
	if err == nil {
		err = os.WriteFile(cases, []byte("- {name: "+mask.HiddenJSON(string(raw))+", agent: demo, command: ls, expect: deny}\n"), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	data := []string{"--data", filepath.Join(p.dir, "data")}
	ids := func(args ...string) reading {
		return reading{args: append(append([]string{"__complete"}, args...), append(data, "")...), own: true, in: "waits"}
	}
	return []reading{
		{args: []string{poison}, own: true, in: "unknown command"}, {args: []string{"approvals", "--" + poison}, own: true, in: "unknown flag"},
		{args: []string{"approvals", poison}, in: "there is no"},
		{args: []string{"help", poison}, own: true, in: "Unknown help topic"}, {args: []string{"version"}, own: true, in: "lineclear"},
		{args: []string{"serve", "--config", "no" + poison}, own: true, in: "no"}, {args: []string{"validate", "--config", "no" + poison}, own: true, in: "no"},
		{args: []string{"validate", "--config", file}, own: true, in: "is valid"}, {args: []string{"init", "--config", file, "--model", "no" + poison}, own: true, in: "want one of demo"},
		{args: []string{"backup", "no" + poison + "/b", "--config", file, "--data", "no" + poison}, own: true, in: "no such file"}, {args: []string{"restore", "no" + poison, "--config", file}, own: true, in: "no such file"},
		{args: []string{"migrate", "--config", file, "--data", "no" + poison, "--to", "postgres://127.0.0.1:1/none"}, own: true, in: "no gateway's data"},
		{args: []string{"mcp", "login", "no" + poison, "--config", file}, own: true, in: "no agent has an MCP server"}, {args: []string{"mcp", "logout", "no" + poison, "--config", file}, own: true, in: "no agent has an MCP server"},
		{args: []string{"policy", "explain", "--config", file, "-a", "demo", "--command", "ls " + poison}, own: true, in: "ls"},
		{args: []string{"policy", "explain", "--config", file, "-a", "demo", "--command", "ls " + poison, "--json"}, own: true, in: "ls"},
		{args: []string{"policy", "explain", "--config", file, "-a", "demo", "-t", "tool" + poison}, own: true, in: "has no tool"},
		{args: []string{"data", "move", "--config", file, "--data", "no" + poison, "--to", "to" + poison}, own: true, in: "no gateway's data"},
		{args: []string{"policy", "test", "--config", file, "--cases", cases}, own: true, in: "case"},
		{args: []string{"install", "agent" + poison}, own: true, in: "there is no agent"}, {args: []string{"uninstall", "agent" + poison}, own: true, in: "there is no agent"},
		{args: []string{"doctor", "agents", "x" + poison}, own: true, in: "want no arguments"},
		{args: []string{"host", "agent" + poison}, own: true, in: "can't be started here"}, {args: []string{"mcp", "--data", "no" + poison, "--", "x"}, own: true, in: "no gateway is running"}, {args: []string{"acp", "--data", "no" + poison, "--", "x"}, own: true, in: "no gateway is running"},
		{args: []string{"prompt-tool", "--data", "no" + poison}, own: true, in: "no gateway is running"},
		{args: []string{"hook", "agent" + poison}, in: "there is no agent"}, {args: []string{"halt", "no-such-agent" + poison}, in: "no-such-agent"}, {args: []string{"halt", "--show"}, in: "Nothing is halted"},
		ids("approvals", "show"), ids("sessions", "show"), ids("approvals", "approve"), ids("sessions", "messages"),
		{args: []string{"completion", "bash"}, own: true}, {args: []string{"completion", "zsh"}, own: true},
		{args: []string{"completion", "fish"}, own: true}, {args: []string{"completion", "powershell"}, own: true},
	}
}

func (p *poisoned) grant(allowed approval.Request) string {
	p.t.Helper()
	p.verb("approvals", "approve", allowed.ApprovalID, "--covers", "tool").want(p.t, 0)
	return strings.Fields(strings.Split(p.verb("grants").want(p.t, 0).out, "\n")[1])[0]
}

// plainly runs a verb without adding to its command line.
func (p *poisoned) plainly(args ...string) verb {
	p.t.Helper()
	var out, failure bytes.Buffer
	c := exec.Command("gateway", args...)
	c.Env = p.environment()
	c.Stdout, c.Stderr = &out, &failure
	return verb{code: p.code(c.Run()), out: out.String(), err: failure.String()}
}

func TestNothingThatATerminalObeysComesOutOfAnyVerb(t *testing.T) {
	t.Parallel()
	p := newPoisoned(t)
	done := map[string]bool{"approvals watch": true} // which has a test of its own
	for _, r := range p.readings() {
		run := p.verb
		if r.own {
			run = p.plainly
		}
		v := run(r.args...)
		wantClean(t, strings.Join(r.args, " "), v.out+v.err)
		if !strings.Contains(v.out+v.err, r.in) {
			t.Errorf("%q does not say %q, so it has shown nothing:\n%s%s", r.args, r.in, v.out, v.err)
		}
		if slices.Contains(r.args, "--json") && v.code == 0 {
			var data any
			v.json(t, &data)
		}
		for n := len(r.args); n > 0; n-- {
			done[strings.Join(r.args[:n], " ")] = true
		}
	}
	wantClean(t, "serve", p.stderr.String())
	all := cli.Root()
	all.InitDefaultHelpCmd()
	all.InitDefaultCompletionCmd()
	for _, path := range verbsOf(all) {
		if !done[path] {
			t.Errorf("no poisoned request is read by: gateway %s", path)
		}
	}
}

// verbsOf are the commands that do something, by their words.
func verbsOf(c *cobra.Command) []string {
	var all []string
	for _, sub := range c.Commands() {
		if sub.Runnable() {
			all = append(all, strings.TrimPrefix(sub.CommandPath(), "gateway "))
		}
		all = append(all, verbsOf(sub)...)
	}
	return all
}

// wantClean looks for what was sent, and for anything else of the kind.
func wantClean(t *testing.T, what, text string) {
	t.Helper()
	if shown := mask.Hidden(text); shown != text {
		t.Errorf("%s\nwrites what can't be seen: %q", mask.Hidden(what), text)
	}
}

func TestNothingThatATerminalObeysComesWhileRequestsAreWatched(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--json"}} {
		p := newPoisoned(t)
		out, failure, interrupt := p.background(append([]string{"approvals", "watch"}, flags...)...)
		first := p.put("first")
		if !out.await("first") {
			t.Fatalf("it never came: %s%s", out, failure)
		}
		p.verb("approvals", "deny", first.ApprovalID, "-m", "second"+poison).want(t, 0)
		if !out.await("second") {
			t.Fatalf("the answer never came: %s%s", out, failure)
		}
		interrupt()
		wantClean(t, "watch", out.String()+failure.String())
	}
}

// Lines are to be verified, so a file or a program gets them as they are.
func TestAnExportStaysWhatItIsUnlessItGoesToATerminal(t *testing.T) {
	t.Parallel()
	p := newPoisoned(t)
	p.put("waits")
	lines := p.verb("audit", "export").want(t, 0).out
	if !strings.Contains(lines, "\u202e") {
		t.Error("the lines are not as they were written")
	}
	file := filepath.Join(p.dir, "export.jsonl")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	p.verb("audit", "verify", file).want(t, 0, "Fine")
	broken := append([]byte(strings.ReplaceAll(lines, "waits", "other")), ("{\"seq\": 1, \"x" + poison + "\": 1}\n")...)
	if err := os.WriteFile(file, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	wantClean(t, "verify", p.verb("audit", "verify", file).want(t, 1).err)

	seen := p.person("audit", "export").ends(0)
	wantClean(t, "export", seen)
	for line := range strings.Lines(seen) {
		var record any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%v in %s", err, line)
		}
	}
}

func TestWhatIsShownInATerminalIsCleanToo(t *testing.T) {
	t.Parallel()
	p := newPoisoned(t)
	r := p.put("waits")
	person := p.person("approvals", "watch", "--ask")
	person.sees("waits")
	person.sees(">")
	p.verb("approvals", "deny", r.ApprovalID, "-m", "faster"+poison).want(t, 0)
	person.sees("faster")
	if err := person.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	wantClean(t, "watch --ask", person.ends(exitInterrupted))
}

func TestOnlyTheProgramsBeginningKnowsTheTerminal(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "main.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, way := range []string{"os.Stdout", "os.Stderr", "fmt.Print", "println("} {
			if strings.Contains(strings.ReplaceAll(string(raw), "Fprintln(", ""), way) {
				t.Errorf("%s uses %s: write to the command's own output, which is cleaned", file, way)
			}
		}
	}
}
