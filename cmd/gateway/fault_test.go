package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
)

// commitsOfARoad is how many commits a decision's whole road has: the message, the turn,
// the reply, the request, the answer, the claim, the result, the last reply, the end.
const commitsOfARoad = 9

// Whichever commit of a decision's road fails: what was told stands, the call runs once,
// and its outcome is known.
func TestTheNthCommitFailsAndWhatWasToldStands(t *testing.T) {
	program := crashing(t)
	for n := range commitsOfARoad {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			begin := filepath.Join(dir, "begin")
			p := launchProgram(t, program, dir, fmt.Sprintf("LINECLEAR_FAULT=%s#%d", begin, n+1))
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
		})
	}
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
