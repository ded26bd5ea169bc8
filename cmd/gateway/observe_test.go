package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// watched is a file whose agent is not observed; see observing.
const watched = `
models: {demo: {provider: scripted}}
toolConfirmation:
  rules:
    - {tool: shell, command: ["echo d*"], effect: deny}
    - {tool: shell, command: ["echo q*"], effect: ask}
agents:
  demo: {model: demo, tools: {shell: {approval: {required: true}}}}
`

func observing(yaml string) string {
	day := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	return strings.Replace(yaml, "{model: demo, ", "{model: demo, observeUntil: "+day+", ", 1)
}

// configure has the gateway take over another file, whose change is logged with a text.
func (p *process) configure(yaml, logged string) {
	p.t.Helper()
	file := filepath.Join(p.dir, "agents", "agents.yaml")
	if err := os.WriteFile(file, []byte(unlimited+yaml), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
	p.logged(logged)
	p.until("the file is taken over", func() bool {
		return strings.Count(p.stderr.String(), "configuration taken over") == strings.Count(p.stderr.String(), "configuration changed")
	})
}

func TestAnObservedAgentRunsWhatWouldBeAskedAndNothingThatIsDenied(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), observing(watched))
	d := p.desk("demo")
	for command, rule := range map[string]string{"uname -a": "approval.required: true", "echo q": "rules[1]"} {
		r, answer := d.run(command)
		if answer == nil || answer.Status != approval.Approved || answer.Reason != approval.Observed || answer.By != approval.BySystem() || answer.GrantID != "" {
			t.Fatalf("%s: %+v", command, answer)
		}
		if !strings.Contains(r.Policy.Rule, rule) || len(r.Policy.Trace) == 0 {
			t.Errorf("%s: the verdict was %+v, want %s", command, r.Policy, rule)
		}
		d.over()
	}
	for _, command := range []string{"sed -i s/a/b/ agents.yaml", "gateway tokens create x --role admin", "$X d"} {
		r, answer := d.run(command)
		if answer != nil {
			t.Fatalf("%s: %+v", command, answer)
		}
		d.answer(r, "denied", "")
	}
	if _, answer := d.run("echo d"); answer == nil || answer.Reason != approval.PolicyDenied {
		t.Errorf("a deny rule does not hold: %+v", answer)
	}
	d.over()
	p.verb("grants").want(t, 0, "No grants.")
	p.verb("policy", "observed").want(t, 0, "demo: would have asked 2; denied 4")
	var listed struct {
		Agents []struct {
			AgentID  string    `json:"agentId"`
			Observed time.Time `json:"observedUntil"`
		} `json:"agents"`
	}
	if err := p.request("GET", "/api/agents", struct{}{}, &listed); err != nil || !listed.Agents[0].Observed.After(time.Now()) || !listed.Agents[1].Observed.IsZero() {
		t.Errorf("told of it: %+v, %v", listed, err)
	}
	asks := client.New(p.url, p.token("program", auth.Agent))
	question := client.Question{AgentID: "demo", ToolName: "shell", Args: tool.JSON(`{"command":"uname"}`)}
	if row, err := asks.Ask(t.Context(), question); err != nil || row.Response.Reason != approval.Observed {
		t.Errorf("a program under the agent: %+v, %v", row.Response, err)
	}
	explain := exec.Command("gateway", "policy", "explain", "--config", filepath.Join(p.dir, "agents", "agents.yaml"), "--agent", "demo", "--command", "uname")
	if out, err := explain.CombinedOutput(); err != nil || !strings.Contains(string(out), "the agent is observed until ") {
		t.Errorf("explained: %s, %v", out, err)
	}
	p.verb("halt", "demo").want(t, 0)
	if row, err := asks.Ask(t.Context(), question); err != nil || row.Status != approval.Denied || row.Response.Reason != approval.Halted {
		t.Errorf("halted: %+v, %v", row.Response, err)
	}
}

func TestWhatAPersonHasRefusedIsAskedAboutWhileAnAgentIsObserved(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), watched)
	d := p.desk("demo")
	r, _ := d.run("touch marker")
	d.answer(r, "denied", "")
	p.configure(observing(watched), `"before": ""`)
	if _, answer := d.run("touch other"); answer == nil || answer.Reason != approval.Observed {
		t.Fatalf("observed: %+v", answer)
	}
	d.over()
	r, answer := d.run("touch marker")
	if answer != nil {
		t.Fatalf("what was refused runs: %+v", answer)
	}
	d.answer(r, "denied", "")
	p.configure(watched, `"after": ""`)
	if _, answer := d.run("touch third"); answer != nil {
		t.Errorf("observed after its end: %+v", answer)
	}
}
