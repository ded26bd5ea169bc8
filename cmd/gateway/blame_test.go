package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// noes are ways in which a request ends without a person's word.
var noes = map[string]struct {
	agents string   // the configuration
	args   []string // of the verb that asks
	env    []string
	input  string
	token  auth.Role // that it comes with; unset: the local key
	signal os.Signal // that ends it, once it has asked
	code   int
	reason approval.Reason
	by     string // unset: system
}{
	"run --deny":                            {agents: agents, args: []string{"run", "demo", "run: PROOF", "--deny"}, code: 6, reason: approval.NoHandler},
	"run --deny, by who may not answer":     {agents: agents, args: []string{"run", "demo", "run: PROOF", "--deny"}, token: auth.Operator, code: 6, reason: approval.NoHandler},
	"run --deny, of what is asked below it": {agents: agents, args: []string{"run", "boss", "go", "--deny"}, code: 6, reason: approval.NoHandler},
	"run, by its time limit":                {agents: agents, args: []string{"run", "demo", "run: PROOF", "--timeout", "1s"}, code: 6, reason: approval.SystemCancelled},
	"run without a terminal, interrupted":   {agents: agents, args: []string{"run", "demo", "run: PROOF"}, signal: os.Interrupt, code: 130, reason: approval.SystemCancelled},
	"run, by the request's deadline":        {agents: agents, args: []string{"run", "hasty", "run: PROOF"}, env: []string{"HASTY=200ms"}, code: 6, reason: approval.Timeout},
	"ask, interrupted":                      {agents: agents, args: []string{"ask", "--agent", "demo", "deploy"}, signal: os.Interrupt, code: 130, reason: approval.AskerGone, by: "owner"},
	"ask by an admin's token, terminated":   {agents: agents, args: []string{"ask", "--agent", "demo", "deploy"}, token: auth.Admin, signal: syscall.SIGTERM, code: 130, reason: approval.AskerGone, by: "admin"},
	"a hook, interrupted": {
		agents: hooked, args: []string{"hook", "claude-code"}, input: strings.NewReplacer("COMMAND", "make", "ID", "toolu_1").Replace(claudes),
		signal: os.Interrupt, code: 2, reason: approval.AskerGone, by: "owner",
	},
}

func TestNoNoIsRecordedAsAPersonsThatNoPersonSaid(t *testing.T) {
	t.Parallel()
	for name, c := range noes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := launchProgram(t, "gateway", t.TempDir(), c.env...)
			if c.agents != agents {
				p = launchWith(t, "gateway", t.TempDir(), c.agents, c.env...)
			}
			asks := p.command(c.args...)
			for i, a := range asks.Args {
				asks.Args[i] = strings.ReplaceAll(a, "PROOF", proof(p.dir))
			}
			if c.token != "" {
				asks.Env = append(asks.Env, "LINECLEAR_URL="+p.url, "LINECLEAR_TOKEN="+p.token(string(c.token), c.token))
			}
			code, said := p.interrupted(asks, c.input, c.signal)
			if code != c.code {
				t.Errorf("it ended with %d, want %d:\n%s", code, c.code, said)
			}
			row := p.newest(t)
			by := approval.BySystem()
			if c.by != "" {
				by = approval.By{Subject: c.by, Via: approval.ViaREST}
			}
			if row.Response == nil || row.Response.Reason != c.reason || row.Response.By != by || row.Status == approval.Approved {
				t.Errorf("it is %s: %+v", row.Status, row.Response)
			}
			if n := len(ran(t, p.dir)); n > 0 {
				t.Error("it ran")
			}
			lacks(t, said, "denied by ")
		})
	}
}

// interrupted runs a verb to its end, which a signal brings about once it has asked.
func (p *process) interrupted(c *exec.Cmd, input string, by os.Signal) (code int, said string) {
	p.t.Helper()
	both := newLogBuffer()
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(input), both, both
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	if by != nil {
		if p.asked(p.t) == "" {
			p.t.Fatalf("it asks nothing: %s", both)
		}
		if err := c.Process.Signal(by); err != nil {
			p.t.Fatal(err)
		}
	}
	return p.code(c.Wait()), both.String()
}

func TestOnlyWhoRunsTheSessionDeclinesAndOnlyWhoAskedRetracts(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	_, id := p.ask(p.tab(), "uname")
	for _, c := range []struct {
		role   auth.Role
		reason string
		want   int
	}{
		{auth.Agent, "no_handler", 403}, {auth.Viewer, "no_handler", 403}, {auth.Approver, "no_handler", 403},
		{auth.Agent, "asker_gone", 403}, {auth.Approver, "asker_gone", 403}, {auth.Admin, "asker_gone", 403},
		{auth.Admin, "user_denied", 422}, {auth.Operator, "timeout", 422}, {auth.Operator, "no_handler", 200}, {auth.Admin, "no_handler", 409},
	} {
		secret := p.token(string(c.role)+"-"+c.reason, c.role)
		if got := p.status("POST", "/api/approvals/"+id+"/cancel", `{"reason":"`+c.reason+`"}`, secret); got != c.want {
			t.Errorf("%s with %s: %d, want %d", c.role, c.reason, got, c.want)
		}
	}
	if row := p.row(id); row.Response.By != approval.BySystem() || !strings.Contains(row.Response.Message, "operator-no_handler") {
		t.Errorf("it is %+v", row.Response)
	}
}

func TestDenyLeavesWhatWaitedBefore(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	sessionID, id := p.ask(p.tab(), "uname -s")
	p.verb("run", "demo", "run: "+filepath.Join(p.dir, "x"), "--session", sessionID, "--deny").want(t, 1, "1 request of the session waits already")
	if row := p.row(id); row.Status != approval.Pending {
		t.Errorf("it is %+v", row)
	}
}

func TestWhoMayNotAnswerIsToldForWhomItWaits(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), unlimited+`
models: {demo: {provider: scripted}}
agents:
  demo:
    model: demo
    tools: {shell: {approval: {required: true}}}
    toolConfirmation: {rules: [{tool: shell, command: ["uname *"], effect: ask, approvers: {subjects: [ada], notSender: true}}]}
`)
	v := p.person("run", "demo", "run: uname -s")
	v.cmd.Env = append(v.cmd.Env, "unused=")
	v.sees("Approve?")
	v.types("\x03")
	v.ends(130)
	c := p.command("run", "demo", "run: uname -r", "--timeout", "1s")
	c.Env = append(c.Env, "LINECLEAR_URL="+p.url, "LINECLEAR_TOKEN="+p.token("ci", auth.Operator))
	out, err := c.CombinedOutput()
	if code := p.code(err); code != 6 || !strings.Contains(string(out), "Waiting for ada, but not who asked for it") {
		t.Errorf("%d: %s", code, out)
	}
}
