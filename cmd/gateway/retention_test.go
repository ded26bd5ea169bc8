package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

const forgetful = `gateway: {listen: "127.0.0.1:0", localKey: answers, auditKey: ../keys/audit.pem, retention: {sessions: 48h, requests: 24h, audit: 24h, auditExports: ../exports}}
models: {demo: {provider: scripted}}
agents:
  demo: {model: demo, toolConfirmation: {timeout: none}, tools: {shell: {approval: {required: true}}}}
`

// longAgo lays out a data folder of the year 2000: sessions that are over, with more events than one step removes,
// and one in which a request waits.
func longAgo(t *testing.T, dir string) (over, waiting, request string) {
	t.Helper()
	key := filepath.Join(dir, "keys", "audit.pem")
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(filepath.Join(dir, "data"), key, bus.New(append(approval.Topics(), session.Events)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(s.Record(ctx, audit.GatewayStarted, "root", "system", audit.Started{}))
		for range 3 {
			made, err := s.Sessions().Create(ctx, session.Session{AgentID: "demo"})
			must(err)
			over, waiting = waiting, made.ID
			row, err := s.Approvals().Create(ctx, approval.New(approvaltest.Request(t, made.ID, "call")))
			must(err)
			request = row.ApprovalID
			for range 300 {
				_, err := s.Sessions().Append(ctx, made.ID, session.AssistantMessage{Text: "so it is"})
				must(err)
			}
		}
		rows, err := s.Approvals().Find(ctx, approval.Query{Status: approval.Pending})
		must(err)
		for _, a := range rows[:2] {
			_, err := s.Approvals().Settle(ctx, approval.Response{ApprovalID: a.ApprovalID, Status: approval.Denied, Reason: approval.UserDenied, By: approval.By{Subject: "ada", Via: approval.ViaREST}}, nil)
			must(err)
		}
		for range 300 {
			must(s.Record(ctx, audit.LoginBegun, "ada", "rest", audit.Access{}))
		}
		must(s.Record(ctx, audit.GatewayStopped, "root", "system", audit.Stopped{}))
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		must(s.Close())
	})
	return over, waiting, request
}

// However often the process is killed while old data is removed, nothing is lost, and it is removed in the end.
func TestADeathWhileOldDataIsRemovedLosesNothing(t *testing.T) {
	program := crashing(t)
	for _, edge := range []string{
		"after retain.requests", "after retain.mark", "after retain.remove", "before retain.remove#2", "before audit.plan", "after audit.plan",
		"after audit.export", "before audit.say", "after audit.say", "after audit.cut", "before audit.cut#3", "",
	} {
		t.Run(edge, func(t *testing.T) {
			dir := t.TempDir()
			over, waiting, request := longAgo(t, dir)
			if edge == "" {
				saysSize(t, dir)
			}
			if edge != "" {
				diesServing(t, program, dir, edge)
			}
			p := launchWith(t, program, dir, forgetful)
			p.until("the chain is cut", func() bool {
				return p.verb("audit", "export").exported(t)[0].Kind == audit.GatewayStarted && !strings.Contains(p.verb("audit", "verify").out, "from 1 ")
			})
			p.until("what is over is gone", func() bool { return p.found("/api/sessions/"+over) == 404 })
			if p.found("/api/sessions/"+waiting) != 200 || p.found("/api/approvals/"+request) != 200 {
				t.Error("what waits was removed")
			}
			if err := p.end(os.Interrupt); err != nil {
				t.Errorf("it ended with %v: %s", err, p.stderr)
			}
			exports, err := filepath.Glob(filepath.Join(dir, "exports", "*"))
			if err != nil || len(exports) != 1 {
				t.Fatalf("there are %q, %v", exports, err)
			}
			file := filepath.Join(dir, "agents", "agents.yaml")
			key := strings.TrimSpace(p.verb("audit", "key", "--config", file).want(t, 0).out)
			p.verb("audit", "verify", "--key", key).want(t, 0, "was exported and cut off")
			p.verb("audit", "verify", "--key", key, "--before", exports[0]).want(t, 0, "from 1 ")
			p.verb("audit", "verify", "--key", key, exports[0]).want(t, 0, "from 1 ")
			p.verb("doctor", "--config", file).want(t, 0, "All is well")
		})
	}
}

// saysSize has the doctor say what retention would free, before and beside a gateway.
func saysSize(t *testing.T, dir string) {
	t.Helper()
	p := &process{t: t, dir: dir}
	p.verb("doctor", "--size").want(t, 0, "table events", "Nothing is ever removed")
	file := writeForgetful(t, dir)
	p.verb("doctor", "--size", "--config", file).want(t, 0, "would free now, roughly: 2 sessions", "audit records (0.")
}

func writeForgetful(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(dir, "agents", "agents.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(forgetful), 0o600)); err != nil {
		t.Fatal(err)
	}
	return file
}

// diesServing runs the gateway until it kills itself at an edge.
func diesServing(t *testing.T, program, dir, edge string) {
	t.Helper()
	file := writeForgetful(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, "serve", "--config", file, "--data", filepath.Join(dir, "data"))
	c.Env = append((&process{dir: dir}).environment(), "LINECLEAR_FAILPOINT="+edge)
	if out, err := c.CombinedOutput(); err == nil || ctx.Err() != nil {
		t.Fatalf("it did not die: %v: %s", err, out)
	}
}

// found is the status of what a GET is answered with.
func (p *process) found(path string) int {
	p.t.Helper()
	var answer struct {
		Status any `json:"status"`
	}
	if err := p.send("GET", path, nil, &answer); err != nil {
		p.t.Fatal(err)
	}
	if n, failed := answer.Status.(float64); failed {
		return int(n)
	}
	return 200
}
