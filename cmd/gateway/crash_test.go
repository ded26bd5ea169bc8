package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// crashing is the program with its failpoints, built once.
func crashing(t *testing.T) (program string) {
	t.Helper()
	program, err := withFailpoints()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// withFailpoints builds as the Makefile does, whose compiled packages it then finds.
var withFailpoints = sync.OnceValues(func() (string, error) {
	program, err := filepath.Abs("../../bin/test/gateway")
	if err != nil {
		return "", err
	}
	c := exec.Command("go", "build", "-tags", "failpoints", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// proof is a command that writes down which call it is, and syncs.
func proof(dir string) string {
	file := filepath.Join(dir, "ran")
	return fmt.Sprintf("echo $LINECLEAR_CALL_ID >> %s && sync %s", file, file)
}

// ran lists the calls whose command has run, in order.
func ran(t *testing.T, dir string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "ran"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(raw))
}

// Every edge at which the process may die, and what has to come of the call:
// how often it has run, whether its outcome is known, and whether a person is
// asked (again) after the restart.
func TestADeathAtAnyEdgeHasItsOneOutcome(t *testing.T) {
	program := crashing(t)
	for _, c := range []struct {
		edge    string
		ran     int
		unknown bool
		asked   bool
	}{
		{"after message.user", 1, false, true},
		{"before turn.started", 1, false, true},
		{"after turn.started", 1, false, true},
		{"before message.assistant", 1, false, true},
		{"after message.assistant", 1, false, true},
		{"before create", 1, false, true},
		{"after create", 1, false, true},
		{"before settle", 1, false, true},
		{"after settle", 1, false, false},
		{"before claim", 1, false, false},
		{"after claim", 0, true, false},
		{"before run", 0, true, false},
		{"after run", 1, true, false},
		{"before finish", 1, true, false},
		{"after finish", 1, false, false},
		{"before message.assistant#2", 1, false, false},
		{"after message.assistant#2", 1, false, false},
		{"before turn.finished", 1, false, false},
		{"after turn.finished", 1, false, false},
	} {
		t.Run(c.edge, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := launchProgram(t, program, dir, "LINECLEAR_FAILPOINT="+c.edge)
			p.dieOver(proof(dir))
			asked := launchProgram(t, program, dir).bringToAnEnd()
			if asked != c.asked {
				t.Errorf("a person was asked after the restart: %v, want %v", asked, c.asked)
			}
			v := inspect(t, filepath.Join(dir, "data"))
			if v.requests != 1 || v.pending != 0 || len(v.results) != 1 || v.open != 0 {
				t.Errorf("afterwards there are %+v", v)
			}
			unknown := len(v.results) == 1 && strings.HasPrefix(v.results[0], "Outcome unknown")
			if got := len(ran(t, dir)); got != c.ran || unknown != c.unknown {
				t.Errorf("it ran %d times, want %d; outcome unknown: %v, want %v; result %q", got, c.ran, unknown, c.unknown, v.results)
			}
		})
	}
}

// dieOver has the agent asked for a command, and approves it, until the
// process dies.
func (p *process) dieOver(command string) {
	p.t.Helper()
	ws, err := p.connect()
	if err != nil {
		p.t.Fatal(err)
	}
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
	send(p.t, ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, s.SessionID, "run: "+command)
	if err := approveAll(ws, func(frame) bool { return false }); err == nil {
		p.t.Fatal("the connection did not end")
	}
	if err := p.cmd.Wait(); err == nil {
		p.t.Fatal("it did not die")
	}
}

// bringToAnEnd approves what waits until no session is at work any more, and
// stops the process. It reports whether anything waited.
func (p *process) bringToAnEnd() (asked bool) {
	p.t.Helper()
	ws, err := p.connect()
	if err != nil {
		p.t.Fatal(err)
	}
	err = approveAll(ws, func(f frame) bool {
		asked = asked || len(shown(f)) > 0
		rest, err := p.atRest()
		if err != nil {
			p.t.Error(err)
		}
		return rest || err != nil
	})
	if err != nil {
		p.t.Error(err)
	}
	if err := p.end(os.Interrupt); err != nil {
		p.t.Errorf("it ended with %v: %s", err, p.stderr)
	}
	return asked
}

// chaos is several sessions whose people keep talking and approving while the
// process is killed again and again.
type chaos struct {
	t        *testing.T
	dir      string
	budget   int // frames until the next kill
	p        *process
	finished map[string]int // turns, by session
}

const chaosSessions = 6

// roundTrips is how many are made: more in make test-long.
func roundTrips() int {
	if thorough() {
		return 300
	}
	return 60
}

func TestRoundTripsWithKillsAtRandomMoments(t *testing.T) {
	t.Parallel()
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	c := &chaos{t: t, dir: t.TempDir(), finished: map[string]int{}}
	kills := 0
	for !c.done() {
		c.p = launch(t, c.dir)
		c.budget = 10 + random.IntN(120)
		if c.talk() {
			kills++
		}
	}
	c.p = launch(t, c.dir)
	c.p.bringToAnEnd()
	v := inspect(t, filepath.Join(c.dir, "data"))
	calls := ran(t, c.dir)
	seen := map[string]bool{}
	for _, call := range calls {
		a, asked := v.calls[call]
		switch {
		case seen[call]:
			t.Errorf("call %s ran twice", call)
		case !asked || a.Status != approval.Approved:
			t.Errorf("call %s ran without an approval: %s", call, a.Status)
		}
		seen[call] = true
	}
	if v.pending != 0 || v.open != 0 || v.approved != v.requests || len(v.results) != v.requests {
		t.Errorf("of %d requests %d are pending, %d approved, %d have a result, %d sessions are at work",
			v.requests, v.pending, v.approved, len(v.results), v.open)
	}
	if known := v.requests - v.unknown; len(calls) < known || len(calls) > v.requests {
		t.Errorf("%d calls ran, of %d whose outcome is known and %d in all", len(calls), known, v.requests)
	}
	t.Logf("%d kills; %d requests, each with one outcome; %d calls ran, none twice; %d told as unknown",
		kills, v.requests, len(calls), v.unknown)
}

func (c *chaos) done() bool {
	total := 0
	for _, n := range c.finished {
		total += n
	}
	return total >= roundTrips()
}

// talk answers, and keeps every session busy, until the frame at which the
// process is killed, or until it is enough. It reports whether it killed.
func (c *chaos) talk() (killed bool) {
	ws, err := c.p.connect()
	if err != nil {
		c.t.Fatal(err)
	}
	for range chaosSessions - len(c.finished) {
		var s struct {
			SessionID string `json:"sessionId"`
		}
		c.p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
		c.finished[s.SessionID] = 0
	}
	for id := range c.finished {
		c.say(ws, id)
	}
	err = approveAll(ws, func(f frame) bool {
		var e session.Event
		if f.Event == "sessionEvent" && json.Unmarshal(f.Data, &e) == nil && e.Type == session.TypeTurnFinished {
			c.finished[e.SessionID]++
			c.say(ws, e.SessionID)
		}
		if c.budget--; c.budget == 0 {
			killed = true
			_ = c.p.cmd.Process.Kill()
		}
		return c.done()
	})
	if !killed {
		_ = c.p.cmd.Process.Kill()
	}
	_ = c.p.cmd.Wait()
	if err != nil && !killed {
		c.t.Errorf("the connection ended by itself: %v", err)
	}
	return killed
}

// say gives a session something to do. A message that did not get through is
// not repeated: the next start says another.
func (c *chaos) say(ws *websocket.Conn, id string) {
	_ = write(ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, id, "run: "+proof(c.dir))
}

// A decision is acknowledged after it is on disk, or not at all: while the disk
// is full the answer is refused and nothing runs; once it is not, the same
// answer is taken.
func TestAFullDiskApprovesNothingAndLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	p := launchProgram(t, crashing(t), dir, "LINECLEAR_FAULT="+full)
	ws := p.tab()
	_, id := p.ask(ws, proof(dir))
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const approve = `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`
	send(t, ws, approve, id)
	until(t, ws, "error", "unavailable")
	if calls := ran(t, dir); len(calls) != 0 {
		t.Fatalf("%v ran", calls)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	send(t, ws, approve, id)
	until(t, ws, "ack", "approved")
	until(t, ws, "sessionEvent", "turn.finished")
	if calls := ran(t, dir); len(calls) != 1 {
		t.Errorf("%v ran", calls)
	}
	if err := p.end(os.Interrupt); err != nil {
		t.Error(err)
	}
	if v := inspect(t, filepath.Join(dir, "data")); v.approved != 1 || v.pending != 0 {
		t.Errorf("afterwards there are %+v", v)
	}
}

// The request of an agent that works for another one outlives a kill, shows its
// path, and its answer comes back to the one that asked.
func TestASubAgentsRequestOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "boss"}, &s)
	send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":"go"}}`, s.SessionID)
	until(t, ws, "approvalRequest", "boss › demo")
	_ = p.end(os.Kill)
	p = launch(t, dir)
	if !p.bringToAnEnd() {
		t.Error("nobody was asked after the restart")
	}
	v := inspect(t, filepath.Join(dir, "data"))
	if calls := ran(t, dir); len(calls) != 1 || v.unknown != 0 || v.pending != 0 || v.open != 0 {
		t.Errorf("%d calls ran; afterwards there are %+v", len(calls), v)
	}
}
