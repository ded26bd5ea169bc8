package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
)

// Whichever commit, write or sync of a decision's whole road fails, from the message to the
// end of the turn: what was told stands, the call runs once, and its outcome is known. All of
// the many writes are for make test-long; each tenth is for make test.
func TestTheNthCommitWriteOrSyncFailsAndWhatWasToldStands(t *testing.T) {
	program := crashing(t)
	step := map[string]int{"commit": 1, "sync": 1, "write": 10}
	if thorough() {
		step["write"] = 1
	}
	for kind, step := range step {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			all := failing(t, program, kind, 0)
			if all < 5 {
				t.Fatalf("a road has %d of them", all)
			}
			t.Logf("a road has %d of them", all)
			for n := 1; n <= all; n += step {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					t.Parallel()
					failing(t, program, kind, n)
				})
			}
		})
	}
}

// failing goes the road with a fault at the nth of a kind, or at none, and returns how
// many there were.
func failing(t *testing.T, program, kind string, n int) int {
	t.Helper()
	dir := t.TempDir()
	begin := filepath.Join(dir, "begin")
	p := launchProgram(t, program, dir, fmt.Sprintf("LINECLEAR_FAULT=%s#%s%d", begin, kind, n))
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
	if err := os.WriteFile(begin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.until("the message is taken", func() bool {
		return p.took("/api/sessions/"+s.SessionID+"/messages", map[string]string{"text": "run: " + proof(dir)})
	})
	told := map[string]bool{}
	p.until("the turn is over", func() bool {
		for _, id := range p.waiting() {
			if !told[id] && p.took("/api/approvals/"+id, map[string]string{"status": "approved"}) {
				told[id] = true
			}
		}
		rest, err := p.atRest()
		return err == nil && rest && len(told) > 0
	})
	counted, err := os.ReadFile(begin + ".count")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(begin); err != nil {
		t.Fatal(err)
	}
	if err := p.end(os.Interrupt); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
	v := inspect(t, filepath.Join(dir, "data"))
	if calls := ran(t, dir); len(calls) != 1 || v.pending != 0 || v.open != 0 || v.unknown != 0 || len(v.results) != 1 || strings.HasPrefix(v.results[0], "Outcome") {
		t.Errorf("%d runs; afterwards there are %+v", len(calls), v)
	}
	for _, a := range v.calls {
		if told[a.ApprovalID] && (a.Status != approval.Approved || a.Run != approval.RunFinished) {
			t.Errorf("approved in words, and %s, %s in the store", a.Status, a.Run)
		}
	}
	all, err := strconv.Atoi(string(counted))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// until waits for what must come to pass.
func (p *process) until(what string, is func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !is(); {
		if time.Now().After(deadline) {
			p.t.Fatalf("it does not come to pass that %s: %s", what, p.stderr)
		}
	}
}

// took posts something and reports whether it was taken; a full disk refuses it.
func (p *process) took(path string, body any) bool {
	p.t.Helper()
	var answer map[string]any
	if err := p.request(http.MethodPost, path, body, &answer); err != nil {
		p.t.Fatal(err)
	}
	status, refused := answer["status"].(float64)
	if refused && status != http.StatusServiceUnavailable {
		p.t.Fatalf("%s: %v", path, answer)
	}
	return !refused
}

// waiting lists the requests that wait.
func (p *process) waiting() (ids []string) {
	p.t.Helper()
	var list struct {
		Approvals []struct {
			ApprovalID string `json:"approvalId"`
		} `json:"approvals"`
	}
	if err := p.request(http.MethodGet, "/api/approvals?status=pending", struct{}{}, &list); err != nil {
		p.t.Fatal(err)
	}
	for _, a := range list.Approvals {
		ids = append(ids, a.ApprovalID)
	}
	return ids
}

// Whoever reads the log may end; the gateway goes on.
func TestTheGatewayOutlivesTheReaderOfItsLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := writeForgetful(t, dir)
	log, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "gateway", "serve", "--config", file, "--data", filepath.Join(dir, "data"), "--log-level", "debug")
	c.Env = append((&process{dir: dir}).environment(), "LINECLEAR_PRINT_LINK=1")
	c.Stderr = written
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, dir: dir, cmd: c, stderr: newLogBuffer()}
	lines := bufio.NewScanner(out)
	for lines.Scan() && p.url == "" {
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			p.url, _, _ = strings.Cut(lines.Text()[at:], "/#")
		}
	}
	if err := errors.Join(log.Close(), written.Close()); err != nil {
		t.Fatal(err)
	}
	for range 5 { // each of which is logged
		if response, _ := p.fetch("/healthz", ""); response.StatusCode != http.StatusOK {
			t.Errorf("it answers with %d", response.StatusCode)
		}
	}
	if err := p.end(os.Interrupt); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
