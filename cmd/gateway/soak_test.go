//go:build soak

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/session"
)

// many is how many requests wait: what make test-long says, or ten thousand.
var many = func() int {
	if n, err := strconv.Atoi(os.Getenv("LINECLEAR_SOAK")); err == nil {
		return n
	}
	return 10_000
}()

// Half of the requests are answered, the others expire; all of them wait at
// once, before and after a kill.
func TestManyRequestsWaitAtOnce(t *testing.T) {
	dir := t.TempDir()
	p := launchProgram(t, "gateway", dir, fmt.Sprintf("HASTY=%ds", 10+many/90)) // all are asked by then
	began := time.Now()
	p.askMany()
	p.report("asked", began)
	began = time.Now()
	if _, err := p.atRest(); err != nil {
		t.Fatal(err)
	}
	p.report("listed", began)
	_ = p.end(os.Kill)

	began = time.Now()
	p = launchProgram(t, "gateway", dir)
	ws := p.tab()
	waiting, size := allPages(t, ws)
	if len(waiting) != many {
		t.Fatalf("after the kill %d wait", len(waiting))
	}
	p.report(fmt.Sprintf("started again, with all %d in a tab (%d kB)", many, size>>10), began)
	began = time.Now()
	p.answerHalf(ws, waiting)
	p.report("half answered and run, the others expired", began)
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
	v := inspect(t, filepath.Join(dir, "data"))
	if v.requests != many || v.pending != 0 || v.approved != many/2 || len(v.results) != many || v.unknown != 0 || v.open != 0 {
		t.Errorf("of %d requests %d are pending, %d approved, %d have a result, %d unknown; %d sessions are at work",
			v.requests, v.pending, v.approved, len(v.results), v.unknown, v.open)
	}
}

// askMany has an agent ask in each of many sessions.
func (p *process) askMany() {
	p.t.Helper()
	ws := p.tab()
	var asking sync.WaitGroup
	ids := make(chan string, many)
	for worker := range 8 {
		asking.Go(func() {
			for n := worker; n < many; n += 8 {
				var s session.Session
				agentID := []string{"demo", "hasty"}[n%2]
				if err := p.request("POST", "/api/sessions", map[string]string{"agentId": agentID}, &s); err != nil {
					p.t.Error(err)
					return
				}
				ids <- s.ID
			}
		})
	}
	go func() {
		asking.Wait()
		close(ids)
	}()
	go func() {
		for id := range ids {
			_ = write(ws, `{"event":"message","data":{"sessionId":%q,"text":"run: true"}}`, id)
		}
	}()
	for range many {
		until(p.t, ws, "approvalRequest", "")
	}
}

// pending is what the test reads of a request.
type pending struct {
	ApprovalID string `json:"approvalId"`
	AgentID    string `json:"agentId"`
}

// allPages reads a snapshot to its end, and returns what waits and its size in bytes.
func allPages(t *testing.T, ws *websocket.Conn) (waiting []pending, size int) {
	t.Helper()
	for more := true; more; {
		raw := until(t, ws, "snapshot", "").Data
		var page struct {
			Pending []pending `json:"pending"`
			More    bool      `json:"more"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			t.Fatal(err)
		}
		waiting, size, more = append(waiting, page.Pending...), size+len(raw), page.More
	}
	return waiting, size
}

// answerHalf approves what the patient agent asks, and waits for the end of
// every turn.
func (p *process) answerHalf(ws *websocket.Conn, waiting []pending) {
	p.t.Helper()
	go func() {
		for _, r := range waiting {
			if r.AgentID == "demo" {
				_ = write(ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, r.ApprovalID)
			}
		}
	}()
	for range many {
		until(p.t, ws, "sessionEvent", string(session.TypeTurnFinished))
	}
}

// report prints how long something took, and the process's memory.
func (p *process) report(what string, began time.Time) {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	memory := "?"
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			memory = strings.TrimSpace(rest)
		}
	}
	p.t.Logf("%s: %s, resident memory %s", what, time.Since(began).Round(time.Millisecond), memory)
}
