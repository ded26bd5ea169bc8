package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// hooked is a file with rules about what coding agents call.
const hooked = strict + `    - {tool: "*", command: ["uname", "uname *"], effect: allow}
`

// hook runs the verb with what an agent writes to it.
func (p *process) hook(agent, input string) verb {
	p.t.Helper()
	var out, failure bytes.Buffer
	c := p.command("hook", agent, "--expires", "20s")
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(input), &out, &failure
	return verb{code: p.code(c.Run()), out: out.String(), err: failure.String()}
}

const (
	claudes  = `{"session_id":"s1","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"COMMAND"},"tool_use_id":"ID"}`
	geminis  = `{"session_id":"s2","cwd":"/srv","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"COMMAND"}}`
	copilots = `{"timestamp":1,"cwd":"/srv","toolName":"bash","toolArgs":{"command":"COMMAND"}}`
	cursors  = `{"conversation_id":"s3","hook_event_name":"beforeShellExecution","command":"COMMAND","cwd":"/srv"}`
)

func TestAHookAnswersAsItsAgentWantsIt(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), hooked)
	for agent, c := range map[string]struct{ input, yes, no string }{
		"claude-code": {claudes, `"permissionDecision":"allow"`, `"permissionDecision":"deny"`},
		"qwen":        {claudes, `"permissionDecision":"allow"`, `"permissionDecision":"deny"`},
		"codex":       {claudes, `{}`, `"permissionDecision":"deny"`},
		"gemini":      {geminis, `"decision":"allow"`, `"decision":"deny"`},
		"copilot":     {copilots, `"permissionDecision":"allow"`, `"permissionDecision":"deny"`},
		"cursor":      {cursors, `"permission":"allow"`, `"permission":"deny"`},
	} {
		said := func(command string) verb {
			return p.hook(agent, strings.NewReplacer("COMMAND", command, "ID", agent+"-"+command[:2]).Replace(c.input))
		}
		said("uname").want(t, 0, c.yes)
		no := said("rm -rf /x").want(t, 0, c.no, "nothing is deleted for good")
		if !json.Valid([]byte(no.out)) || no.err != "" {
			t.Errorf("%s: %q, %q", agent, no.out, no.err)
		}
	}
}

func TestAHooksCallIsChangedByAPersonAndReportedAfterwards(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), hooked)
	over := make(chan verb, 1)
	go func() {
		over <- p.hook("claude-code", strings.NewReplacer("COMMAND", "make", "ID", "toolu_1").Replace(claudes))
	}()
	var id string
	p.until("it waits", func() bool { ids := p.waiting(); id = strings.Join(ids, ""); return id != "" })
	p.post("/api/approvals/"+id, json.RawMessage(`{"status":"approved","edit":{"command":"make -n"}}`), new(map[string]any))
	(<-over).want(t, 0, `"updatedInput":{"command":"make -n"}`, "approved by owner")
	after := strings.NewReplacer("COMMAND", "make -n", "ID", "toolu_1", "PreToolUse", "PostToolUse", `"tool_use_id"`, `"tool_response":{"stdout":"built"},"tool_use_id"`).Replace(claudes)
	if got := p.hook("claude-code", after).want(t, 0); got.out != "" {
		t.Errorf("after a call it prints %q", got.out)
	}
	var row struct {
		Run       approval.Run `json:"run"`
		SessionID string       `json:"sessionId"`
	}
	if err := p.request("GET", "/api/approvals/"+id, struct{}{}, &row); err != nil || row.Run != approval.RunFinished {
		t.Errorf("it is %s, %v", row.Run, err)
	}
	var journal struct {
		Events []session.Event `json:"events"`
	}
	if err := p.request("GET", "/api/sessions/"+row.SessionID+"/events", struct{}{}, &journal); err != nil || !strings.Contains(string(journal.Events[len(journal.Events)-1].Data), "built") {
		t.Errorf("the journal ends with %s, %v", journal.Events[len(journal.Events)-1].Data, err)
	}
}

// Whoever has the hook's credential can ask under a call's id before the hook does. That clears
// nothing: neither a question in words, which no rule judges, nor what somebody else has claimed.
func TestARequestThatOthersMadeUnderACallsIdClearsNothing(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), hooked)
	key := p.localKey()
	forger := client.New(key.URL, key.Token)
	run, err := forger.BeginRun(t.Context(), client.RunOf{Client: "claude-code", Name: "s1", WorkingDirectory: "/srv"})
	if err != nil {
		t.Fatal(err)
	}
	forge := func(id, command string, kind approval.Type) client.Approval {
		row, err := forger.Ask(t.Context(), client.Question{
			SessionID: run.ID, Client: "claude-code", Type: kind, ToolName: "Bash", WorkingDirectory: "/srv", Key: id, Message: "Shall I go on?",
			Args: tool.JSON(`{"command":"` + command + `"}`), Metadata: map[string]string{"asked by": "the agent's host"},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.post("/api/approvals/"+row.ApprovalID, json.RawMessage(`{"status":"approved"}`), new(map[string]any))
		return row
	}
	input := func(id, command string) string {
		return strings.NewReplacer("COMMAND", command, "ID", id).Replace(claudes)
	}
	forge("toolu_1", "rm -rf x", approval.Custom)
	p.hook("claude-code", input("toolu_1", "rm -rf x")).want(t, 0, `"deny"`, "nothing is deleted")

	forge("toolu_2", "make", approval.Custom)
	claimed := forge("toolu_3", "make", approval.ToolConfirmation)
	if _, _, err := forger.Claim(t.Context(), claimed.ApprovalID); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"toolu_2", "toolu_3"} {
		over := make(chan verb, 1)
		go func() { over <- p.hook("claude-code", input(id, "make")) }()
		var asked string
		p.until("it is asked about", func() bool { asked = strings.Join(p.waiting(), ""); return asked != "" })
		p.post("/api/approvals/"+asked, json.RawMessage(`{"status":"denied"}`), new(map[string]any))
		(<-over).want(t, 0, `"deny"`)
	}
}

func TestASubAgentAsksInARunOfItsOwn(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), hooked)
	input := strings.NewReplacer("COMMAND", "uname", "ID", "toolu_1", `"cwd"`, `"agent_id":"a1","agent_type":"Prüfer","cwd"`).Replace(claudes)
	p.hook("claude-code", input).want(t, 0, `"allow"`)
	var list struct {
		Approvals []approval.Request `json:"approvals"`
	}
	if err := p.request("GET", "/api/approvals", struct{}{}, &list); err != nil || len(list.Approvals) != 1 || list.Approvals[0].Origin.Parent != "claude-code / Pr_fer (a1)" {
		t.Errorf("it is shown as %+v, %v", list.Approvals, err)
	}
}

func TestACallThatClaudeCodeHasRefusedCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), hooked)
	input := strings.NewReplacer("COMMAND", "uname", "ID", "toolu_1", "PreToolUse", "PermissionDenied", `"cwd"`, `"reason":"it is odd","cwd"`).Replace(claudes)
	for answer, retry := range map[string]string{"approved": `"retry":true`, "denied": `"retry":false`} {
		over := make(chan verb, 1)
		go func() { over <- p.hook("claude-code", input) }()
		var id string
		p.until("it waits", func() bool { ids := p.waiting(); id = strings.Join(ids, ""); return id != "" })
		var row approval.Request
		p.post("/api/approvals/"+id, json.RawMessage(`{"status":"`+answer+`"}`), &row)
		if !strings.Contains(row.Message, "it is odd") {
			t.Errorf("a person is asked %q", row.Message)
		}
		(<-over).want(t, 0, retry)
	}
}

// Whatever goes wrong, an agent is told no in the one way that blocks with all of them: 2,
// with words on stderr, and nothing on stdout.
func TestAHookThatCanNotAskBlocks(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), hooked)
	blocks := func(name string, got verb, says string) {
		if got.code != 2 || got.out != "" || !strings.Contains(got.err, says) {
			t.Errorf("%s: %d, %q, %q", name, got.code, got.out, got.err)
		}
	}
	good := strings.NewReplacer("COMMAND", "uname", "ID", "toolu_1").Replace(claudes)
	blocks("half a call", p.hook("claude-code", good[:len(good)/2]), "can't be read")
	blocks("another event", p.hook("claude-code", strings.Replace(good, "PreToolUse", "Stop", 1)), "no event")
	blocks("another agent", p.hook("aider", good), "there is no agent")
	p.hook("claude-code", good).want(t, 0)
	p.hook("claude-code", good).want(t, 0, `"allow"`) // the same id again is another call, and judged
	over := make(chan verb, 1)
	asks := p.command("hook", "claude-code")
	var failure bytes.Buffer
	asks.Stdin, asks.Stderr = strings.NewReader(strings.Replace(strings.Replace(good, "uname", "make", 1), "toolu_1", "toolu_2", 1)), &failure
	if err := asks.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { over <- verb{code: p.code(asks.Wait()), err: failure.String()} }()
	p.until("it waits", func() bool { return len(p.waiting()) > 0 })
	_ = asks.Process.Signal(syscall.SIGTERM) // as timeout(1) does
	blocks("its time is over", <-over, "blocked")
	p.until("it is withdrawn", func() bool { return len(p.waiting()) == 0 })
	_ = p.end(syscall.SIGKILL)
	blocks("no gateway", p.hook("claude-code", good), "blocked")
	answers := launchWith(t, "gateway", t.TempDir(), strings.Replace(hooked, "gateway: {", "gateway: {localKey: answers, ", 1))
	blocks("a key that answers", answers.hook("claude-code", good), "approve its own calls")
	missing := exec.Command("gateway", "hook", "claude-code", "--data", filepath.Join(t.TempDir(), "none"))
	missing.Stdin = strings.NewReader(good)
	if out, err := missing.CombinedOutput(); p.code(err) != 2 || !strings.Contains(string(out), "blocked") {
		t.Errorf("there never was a gateway: %s, %v", out, err)
	}
}
