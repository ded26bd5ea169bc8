package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// collector takes spans, by their names.
type collector struct {
	mu    sync.Mutex
	spans map[string]spanSent
}

type spanSent struct{ TraceID, SpanID, ParentSpanID, Name string }

func newCollector(t *testing.T) (c *collector, endpoint string) {
	c = &collector{spans: map[string]spanSent{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []spanSent }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range body.ResourceSpans[0].ScopeSpans[0].Spans {
			c.spans[s.Name] = s
		}
	}))
	t.Cleanup(s.Close)
	return c, s.URL + "/v1/traces"
}

func (c *collector) got(name string) (s spanSent, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok = c.spans[name]
	return s, ok
}

// A turn is one trace, also if the process is killed while its request waits, and the command is told of it.
func TestATraceOutlivesARestartAndReachesTheCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, endpoint := newCollector(t)
	yaml := fmt.Sprintf(`gateway: {listen: "127.0.0.1:0", localKey: answers, traces: {endpoint: %q}, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models: {demo: {provider: scripted}, boss: {provider: scripted, script: boss.yaml}}
agents:
  boss: {model: boss, delegates: [demo], toolConfirmation: {mode: auto-approve}}
  demo: {model: demo, toolConfirmation: {timeout: none}, tools: {shell: {approval: {required: true}}}}
`, endpoint)
	p := launchWith(t, "gateway", dir, yaml)
	var made struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &made)
	told := filepath.Join(dir, "told")
	p.took("/api/sessions/"+made.SessionID+"/messages", map[string]string{"text": "run: echo $TRACEPARENT > " + told})
	p.until("a call waits and the reply is sent", func() bool {
		_, sent := c.got("chat demo")
		return sent && len(p.waiting()) == 1
	})
	if err := p.end(os.Kill); err == nil {
		t.Fatal("it was not killed")
	}
	before, _ := c.got("chat demo")

	p = launchWith(t, "gateway", dir, yaml)
	p.took("/api/approvals/"+p.waiting()[0], map[string]string{"status": "approved"})
	p.until("the turn is sent", func() bool { _, sent := c.got("invoke_agent demo"); return sent })
	turn, _ := c.got("invoke_agent demo")
	if before.TraceID != turn.TraceID || before.ParentSpanID != turn.SpanID {
		t.Errorf("the reply before the restart is %+v, in the turn %+v", before, turn)
	}
	for _, name := range []string{"approval shell", "execute_tool shell"} {
		if s, ok := c.got(name); !ok || s.TraceID != turn.TraceID || s.ParentSpanID != turn.SpanID {
			t.Errorf("%s is %+v, in the turn %+v", name, s, turn)
		}
	}
	ran, _ := c.got("execute_tool shell")
	raw, err := os.ReadFile(told)
	if want := "00-" + ran.TraceID + "-" + ran.SpanID + "-01"; err != nil || strings.TrimSpace(string(raw)) != want {
		t.Errorf("the command was told %q, %v; want %s", raw, err, want)
	}
	p.delegates(c)
	if err := p.end(os.Interrupt); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
}

// delegates has an agent work for another, in its trace.
func (p *process) delegates(c *collector) {
	p.t.Helper()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "boss"}, &made)
	p.took("/api/sessions/"+made.SessionID+"/messages", map[string]string{"text": "work"})
	p.until("the sub-agent's call waits", func() bool { return len(p.waiting()) == 1 })
	p.took("/api/approvals/"+p.waiting()[0], map[string]string{"status": "approved"})
	p.until("both turns are sent", func() bool { _, sent := c.got("invoke_agent boss"); return sent })
	boss, _ := c.got("invoke_agent boss")
	handed, _ := c.got("execute_tool ask_demo")
	if demo, _ := c.got("invoke_agent demo"); demo.TraceID != boss.TraceID || demo.ParentSpanID != handed.SpanID || handed.ParentSpanID != boss.SpanID {
		p.t.Errorf("the sub-agent's turn is %+v, of the call %+v, of the turn %+v", demo, handed, boss)
	}
}
