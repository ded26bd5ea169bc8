package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

// exitAgents has an agent and a program with the same rules.
const exitAgents = unlimited + `
models: {demo: {provider: scripted}}
toolConfirmation:
  timeout: "${WAITS:-1m}"
agents:
  demo:
    model: demo
    tools: {shell: {approval: {required: true}}}
    toolConfirmation: {rules: [{tool: shell, command: ["echo never"], effect: deny}]}
  desk:
    kind: external
    clientTools: {shell: {arguments: {argv: argv}}}
    toolConfirmation: {rules: [{tool: shell, command: ["echo never"], effect: deny}]}
`

func TestEveryVerbEndsWithTheCodeOfWhatWasDecided(t *testing.T) {
	t.Parallel()
	open := map[string]*process{
		"1m": launchWith(t, "gateway", t.TempDir(), exitAgents),
		"1s": launchWith(t, "gateway", t.TempDir(), exitAgents, "WAITS=1s"),
	}
	answer := func(status approval.Status) func(p *process, id string) {
		return func(p *process, id string) {
			p.post("/api/approvals/"+id, approval.Response{Status: status}, &struct{}{})
		}
	}
	for name, c := range map[string]struct {
		waits, command string
		code, shown    int
		decide         func(p *process, id string) // unset where nobody answers
	}{
		"approved, and it ran":    {"1m", "true", 0, 0, answer(approval.Approved)},
		"approved, and it failed": {"1m", "false", 9, 0, answer(approval.Approved)},
		"a person's no":           {"1m", "true", 3, 3, answer(approval.Denied)},
		"silence":                 {"1s", "true", 6, 6, nil},
		"a rule's no":             {"1m", "echo never", 7, 7, nil},
		"withdrawn":               {"1m", "true", 8, 8, answer(approval.Cancelled)},
	} {
		p := open[c.waits]
		asks := p.command("ask", "--agent", "desk", "shell")
		asks.Args = append(append(asks.Args, "--"), strings.Fields(c.command)...)
		for _, asks := range []*exec.Cmd{p.command("run", "demo", "run: "+c.command), asks} {
			verb := asks.Args[1]
			said := newLogBuffer()
			asks.Stdout, asks.Stderr = said, said
			if err := asks.Start(); err != nil {
				t.Fatal(err)
			}
			if c.decide != nil {
				id := p.asked(t)
				if id == "" {
					t.Fatalf("%s: %q asks nothing: %s", name, verb, said)
				}
				c.decide(p, id)
			}
			if code := p.code(asks.Wait()); code != c.code {
				t.Errorf("%s: %q ends with %d, want %d:\n%s", name, verb, code, c.code, said)
			}
			p.verb("approvals", "show", p.newest(t).ApprovalID, "--wait").want(t, c.shown)
		}
	}
}

// asked waits for the one request that waits.
func (p *process) asked(t *testing.T) (id string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if ids := p.waiting(); len(ids) == 1 {
			return ids[0]
		}
	}
	return ""
}

// newest is the request that was made last.
func (p *process) newest(t *testing.T) (newest client.Approval) {
	t.Helper()
	var list struct {
		Approvals []client.Approval `json:"approvals"`
	}
	if err := p.request("GET", "/api/approvals?limit=1", nil, &list); err != nil || len(list.Approvals) == 0 {
		t.Fatalf("there is no request: %v", err)
	}
	return list.Approvals[0]
}
