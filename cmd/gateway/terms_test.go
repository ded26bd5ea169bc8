package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
)

// withNotes is what stands before the terms.
const withNotes = `
models: {demo: {provider: scripted}}
mcpServers: {notes: {command: notes-server}}
agents:
  demo:
    model: demo
    toolConfirmation: {mode: auto-deny}
`

// termed is a file whose agent asks about one tool of its server, under every mode.
const termed = withNotes + `    mcp:
      notes:
        approval: {required: false}
        tools:
          add: {approval: {required: true, message: "Write down {text}", scope: once}}
`

// misfitting is one with terms of a tool that does not exist, and about an argument
// that does not exist.
var misfitting = strings.NewReplacer("add:", "ad:", "{required: false}", `{required: false, message: "{txt}"}`).Replace(termed)

func TestOneToolOfAnMCPServerHasTermsOfItsOwn(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), termed)
	d := p.desk("demo")
	asked, _ := d.call(`add {"text": "hello"}`)
	if asked.Message != "Write down hello" || len(asked.Scopes) != 1 || asked.Scopes[0] != approval.Once {
		t.Errorf("asked was %q, for %v", asked.Message, asked.Scopes)
	}
	d.approve(asked)
	d.result()
	d.over()
	var raw json.RawMessage
	if err := p.request("GET", "/api/agents", nil, &raw); err != nil {
		t.Fatal(err)
	}
	if body := string(raw); !strings.Contains(body, `"location":"server","server":"notes","approval":{"required":true,"message":"Write down {text}","scope":"once"}`) ||
		!strings.Contains(body, `"server":"notes","approval":{"required":false}`) {
		t.Errorf("the agents are %s", body)
	}
	p.rewrite(`Write down {text}`, `Note {text}`)
	p.logged("configuration taken over")
	if asked, _ = d.call(`add {"text": "bye"}`); asked.Message != "Note bye" {
		t.Errorf("after the reload asked was %q", asked.Message)
	}
	d.approve(asked)
	d.result()
	d.over()
	p.rewrite(strings.Replace(strings.TrimPrefix(termed, withNotes), `Write down`, `Note`, 1), strings.TrimPrefix(misfitting, withNotes))
	p.logged(`"agents.demo.mcp.notes.tools.ad"`)
	if _, answer := d.call(`add {"text": "again"}`); answer == nil || answer.Status != approval.Approved {
		t.Errorf("what is never asked about got %+v", answer)
	}
	p.logged(`"place": "agents.demo.mcp.notes.tools.ad", "fault": "the server has no such tool; did you mean add?`)
	p.logged(`"place": "agents.demo.mcp.notes.approval.message", "fault": "{txt} stands for an argument that add does not have; did you mean text?`)
	p.rewrite("{txt}", "{tex}")
	p.logged(`"after": "\"{tex}\""`)
	if _, answer := d.call(`add {"text": "once more"}`); answer == nil || answer.Status != approval.Approved {
		t.Errorf("what is never asked about got %+v", answer)
	}
	p.logged(`"fault": "{tex} stands for`)
}

func TestValidateConnectSaysWhatDoesNotFitAServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/agents.yaml", []byte(misfitting), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("gateway", "validate", "--connect")
	c.Dir = dir
	out, err := c.CombinedOutput()
	if got := (&process{t: t}).code(err); got != exitError {
		t.Errorf("it ended with %d", got)
	}
	for _, want := range []string{
		"agent demo, MCP server notes: FAILED: ", "mcp.notes.tools.ad: the server has no such tool; did you mean add? (there are add, choose, picture, wait)",
		"mcp.notes.approval.message: {txt} stands for an argument that add does not have; did you mean text? (there are text)",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
