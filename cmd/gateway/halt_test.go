package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func TestAHaltOutlivesAKillAndOnlyAnAdminLiftsIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	proof := filepath.Join(dir, "ran")
	sessionID, waits := p.ask(ws, "touch "+proof)

	// A program's call that is approved and not claimed.
	var asked struct {
		ApprovalID string `json:"approvalId"`
		Code       string `json:"code"`
		Detail     string `json:"detail"`
	}
	p.post("/api/approvals", map[string]any{"agentId": "external", "toolName": "deploy", "args": map[string]string{"to": "prod"}}, &asked)
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, asked.ApprovalID)
	until(t, ws, "approvalResponse", asked.ApprovalID)

	p.verb("halt", "--lift").want(t, 1, "an admin's own login")
	p.verb("halt").want(t, 0, "All agents are halted")
	until(t, ws, "halt", `"on":true`)
	if row := p.row(waits); row.Status != approval.Denied || row.Response.Reason != approval.Halted {
		t.Errorf("what waited is %s: %+v", row.Status, row.Response)
	}
	_ = p.end(os.Kill)
	p = launch(t, dir)
	p.verb("halt", "--show").want(t, 0, "all agents")
	id := asked.ApprovalID
	if p.post("/api/approvals/"+id+"/claim", struct{}{}, &asked); asked.Detail == "" {
		t.Error("under the halt a program claims its call")
	}
	ws = p.tab()
	if halts := until(t, ws, "snapshot", "").Data; !contains(t, halts, "halts") {
		t.Errorf("a new tab is not told: %s", halts)
	}
	var said struct {
		Seq int64 `json:"seq"`
	}
	p.post("/api/sessions/"+sessionID+"/messages", map[string]string{"text": "run: touch " + proof}, &said)
	if said.Seq == 0 {
		t.Fatal("what is said under the halt is lost")
	}

	var lifted approval.Halt
	p.post("/api/halts/lift", map[string]bool{"all": true}, &lifted)
	if lifted.On || lifted.By.Subject == "" {
		t.Errorf("the lift says %+v", lifted)
	}
	until(t, ws, "approvalRequest", proof) // it is asked, after the lift alone
	var journal struct {
		Events []session.Event `json:"events"`
	}
	if err := p.request(http.MethodGet, "/api/sessions/"+sessionID+"/events?after=0", struct{}{}, &journal); err != nil {
		t.Fatal(err)
	}
	for _, e := range journal.Events {
		if e.Type == session.TypeTurnStarted && e.Seq > said.Seq && e.At.Before(lifted.At) {
			t.Errorf("a turn began under the halt: %+v", e)
		}
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("it ran")
	}
	p.verb("halt", "--show").want(t, 0, "Nothing is halted.")
}

// contains reports whether an object has a member.
func contains(t *testing.T, object tool.JSON, name string) bool {
	t.Helper()
	var members map[string]tool.JSON
	if err := json.Unmarshal(object, &members); err != nil {
		t.Fatal(err)
	}
	return members[name] != nil
}
