package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// lacks fails when a text is there.
func lacks(t *testing.T, text, unwanted string) {
	t.Helper()
	if strings.Contains(text, unwanted) {
		t.Errorf("it said %q:\n%s", unwanted, text)
	}
}

func TestAPersonAtTheTerminalApprovesACall(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	proof := filepath.Join(p.dir, "ran")
	v := p.person("run", "demo", "run: touch "+proof+"; seq 1 500")
	v.sees("Calling shell.")
	v.sees("A tool call waits for your approval.")
	v.sees("touch " + proof)
	v.sees("Approve?")
	if _, err := os.Stat(proof); err == nil {
		t.Fatal("it ran before it was approved")
	}
	v.types("\n")
	v.sees("That is no answer here.")
	v.types("y\n")
	v.sees("approved by ")
	v.sees("shell returned, the beginning of ")
	v.sees("│ 12")
	text := v.ends(0)
	lacks(t, text, "│ 13")
	if _, err := os.Stat(proof); err != nil {
		t.Errorf("it did not run: %v:\n%s", err, text)
	}
}

func TestAPersonAtTheTerminalDeniesWithAReason(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: uname -a")
	v.sees("Approve?")
	v.types("n\n")
	v.sees("Why not?")
	v.types("not on this machine\n")
	v.sees("denied by ")
	v.sees("not on this machine")
	lacks(t, v.ends(3), "shell failed")
	p.verb("approvals", "ls", "--status", "denied").want(t, 0, "not on this machine")
}

func TestAPersonAtTheTerminalChangesTheArguments(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: echo before")
	v.sees("Approve?")
	v.types("e\n")
	v.sees("Change what?")
	v.types(`{"command": "echo after"}` + "\n")
	v.sees("echo after")
	v.sees("Approve?")
	v.types("y\n")
	v.sees("with other arguments")
	v.sees("│ after")
	v.ends(0)
}

func TestWhatIsAllowedForTheSessionIsNotAskedAgainInIt(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: uname -a")
	v.sees("Session ")
	v.sees("Approve?")
	v.types("s\n")
	v.sees("Which?")
	v.types("2\n")
	session := strings.Fields(strings.SplitAfter(v.ends(0), "Session ")[1])[0]
	// Nobody is there to be asked.
	p.verb("run", "demo", "run: uname -r", "--session", short(session)).want(t, 0, "approved, by what ")
	p.verb("run", "hasty", "run: uname -r", "--session", session).want(t, 2, "is with the agent demo")
}

func TestTheTerminalSaysThatTheTimeIsOver(t *testing.T) {
	t.Parallel()
	p := launchProgram(t, "gateway", t.TempDir(), "HASTY=3s")
	v := p.person("run", "hasty", "run: uname -a")
	v.sees("Approve?")
	v.sees("Too late")
	v.sees("timed out: nobody answered")
	v.ends(6)
}

func TestTheQuestionGoesAwayWhenSomebodyElseAnswers(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: uname -s")
	v.sees("Approve?")
	ws := p.tab()
	id := shown(until(t, ws, "snapshot", "uname -s"))[0]
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	v.sees("somebody else answered")
	v.sees("approved by owner")
	v.sees("│ Linux")
	v.ends(0)
}

func TestAnAgentsAgentAsksInTheSameTerminal(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "boss", "go")
	v.sees("demo (boss › demo)")
	v.sees("Approve?")
	v.types("n\n")
	v.sees("Why not?")
	v.types("\n")
	v.sees("denied by ")
	v.ends(3)
}

func TestControlCInterruptsTheTurn(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: uname -s")
	v.sees("Approve?")
	v.types("\x03")
	v.sees("Interrupting")
	v.sees("withdrawn by ")
	v.ends(130)
	if pending := p.verb("approvals"); !strings.Contains(pending.out, "Nothing waits") {
		t.Errorf("there still waits %s", pending.out)
	}
}

func TestATurnThatTakesTooLongIsInterrupted(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: uname -s", "--timeout", "2s")
	v.sees("The time is up")
	v.sees("not over in time")
	v.ends(6)
}

// Nobody is there to say no, so nobody does: what is asked waits for those who may answer.
func TestWithoutATerminalWhatIsAskedWaitsForOthers(t *testing.T) {
	t.Parallel()
	p := launchProgram(t, "gateway", t.TempDir(), "HASTY=200ms")
	proof := filepath.Join(p.dir, "ran")
	ws := p.tab()
	c := p.command("run", "demo", "run: touch "+proof)
	said := newLogBuffer()
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var r approval.Request
	if err := json.Unmarshal(until(t, ws, "approvalRequest", proof).Data, &r); err != nil {
		t.Fatal(err)
	}
	if !said.await("Waiting for somebody who may answer") {
		t.Errorf("it said\n%s", said)
	}
	if row := p.row(r.ApprovalID); row.Status != approval.Pending {
		t.Errorf("it is %s: %+v", row.Status, row.Response)
	}
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, r.ApprovalID)
	if code := p.code(c.Wait()); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, said)
	}
	if _, err := os.Stat(proof); err != nil {
		t.Errorf("it did not run: %v", err)
	}

	// Where nobody answers, the clock does, and no person is blamed.
	v := p.verb("run", "hasty", "run: uname -a").want(t, 6, "timed out: nobody answered")
	lacks(t, v.out, "denied by")

	p.verb("run", "nobody", "go").want(t, 4, `there is no such agent: "nobody"`, "gateway modes")
	p.verb("run", "demo").want(t, 2, "want AGENT MESSAGE; got 1", "Usage: gateway run AGENT MESSAGE")
}

func TestTheOutcomeOfARunIsPrintedAsOneDocument(t *testing.T) {
	t.Parallel()
	p := launchProgram(t, "gateway", t.TempDir(), "HASTY=200ms")
	var result struct {
		SessionID string `json:"sessionId"`
		Outcome   string `json:"outcome"`
		Refused   bool   `json:"refused"`
	}
	p.verb("run", "hasty", "run: uname -a", "--json").want(t, 6).json(t, &result)
	if result.Outcome != "completed" || !result.Refused || result.SessionID == "" {
		t.Errorf("the result is %+v", result)
	}
}

func TestAFloodOfTextCannotPassForTheGateway(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", `run: printf '\033[2Jshell: approved by owner\n'`)
	v.sees("Approve?")
	v.types("y\n")
	v.sees("│ ⟨U+001B⟩[2Jshell: approved by owner")
	if text := v.ends(0); bytes.ContainsRune([]byte(text), '\x1b') {
		t.Errorf("it has an escape in:\n%q", text)
	}
}

func TestTwoCallsAtOnceAreAskedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: echo one\nrun: echo two")
	v.sees("Approve?")
	v.types("y\n")
	v.sees("A tool call waits")
	v.sees("Approve?")
	v.types("n\n")
	v.sees("Why not?")
	v.types("\n")
	v.ends(3)
	for _, status := range []approval.Status{approval.Approved, approval.Denied} {
		p.verb("approvals", "ls", "--status", string(status)).want(t, 0, "shell echo ")
	}
}

func TestWhoLeavesTakesNothingBack(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	v := p.person("run", "demo", "run: uname -s")
	v.sees("Approve?")
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	v.sees("stays for others to answer")
	lacks(t, v.ends(130), "somebody else")
	p.verb("approvals").want(t, 0, "shell uname -s")
}

func TestComingBackToASessionThatWaitsShowsWhatWaitsThere(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	sessionID, approvalID := p.ask(p.tab(), "uname -s")

	// Who leaves before answering takes nothing back, and has said nothing.
	v := p.person("run", "demo", "say more", "--session", sessionID)
	v.sees("1 earlier request to be answered")
	v.sees("uname -s")
	v.sees("Approve?")
	v.types("\x03")
	v.sees("Left.")
	v.sees("Your message was not said.")
	v.ends(130)
	if row := p.row(approvalID); row.Status != approval.Pending {
		t.Fatalf("it is %s: %+v", row.Status, row.Response)
	}

	v = p.person("run", "demo", "say more", "--session", sessionID)
	v.sees("Approve?")
	v.types("y\n")
	v.sees("shell uname -s: approved by ")
	v.sees("│ Linux")
	lacks(t, v.ends(0), "owner: say more")
	p.verb("sessions", "messages", sessionID).want(t, 0, "say more")
}

func TestWhatASubAgentAsksWaitsInTheSessionAboveIt(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "boss"}, &s)
	send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":"go"}}`, s.SessionID)
	var asked approval.Request
	if err := json.Unmarshal(until(t, ws, "approvalRequest", "boss › demo").Data, &asked); err != nil {
		t.Fatal(err)
	}
	if len(asked.Above) != 1 || asked.Above[0] != s.SessionID || asked.SessionID == s.SessionID {
		t.Fatalf("it is asked in %s, below %v; the boss is %s", asked.SessionID, asked.Above, s.SessionID)
	}
	var boss session.Session
	if err := p.request(http.MethodGet, "/api/sessions/"+s.SessionID, nil, &boss); err != nil {
		t.Fatal(err)
	}
	if boss.Status != session.StatusWaitingApproval || len(boss.PendingApprovals) != 1 || boss.PendingApprovals[0].Path != "boss › demo" {
		t.Errorf("the boss is %s with %+v", boss.Status, boss.PendingApprovals)
	}
	var list struct {
		Approvals []approval.Request `json:"approvals"`
	}
	if err := p.request(http.MethodGet, "/api/approvals?status=pending&sessionId="+s.SessionID, nil, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Approvals) != 1 || list.Approvals[0].ApprovalID != asked.ApprovalID {
		t.Errorf("below the boss wait %+v", list.Approvals)
	}
	v := p.person("run", "boss", "and now?", "--session", s.SessionID)
	v.sees("demo (boss › demo)")
	v.sees("Approve?")
	var answered struct {
		Status approval.Status `json:"status"`
	}
	p.post("/api/sessions/"+s.SessionID+"/approve", map[string]int64{"seen": boss.Seq}, &answered)
	if answered.Status != approval.Approved {
		t.Errorf("answered in the boss's session it is %q", answered.Status)
	}
	v.sees("somebody else answered")
	v.sees("Approve?") // what it was told now is handed on as well
	v.types("n\n")
	v.sees("Why not?")
	v.types("\n")
	v.ends(3)
}
