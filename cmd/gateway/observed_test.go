package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
)

// fetch asks for a path, by a token where there is one.
func (p *process) fetch(path, token string) (*http.Response, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, p.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response, string(body)
}

// token makes one with a role.
func (p *process) token(name string, role auth.Role) string {
	p.t.Helper()
	var made struct {
		Token  auth.Credential `json:"token"`
		Secret string          `json:"secret"`
	}
	p.post("/api/tokens", map[string]any{"name": name, "roles": []auth.Role{role}}, &made)
	return made.Secret
}

func TestPrometheusReadsWhatHasHappened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	secret := p.token("prometheus", auth.Viewer)
	ws := p.tab()
	_, left := p.ask(ws, "uname -a")
	_, id := p.ask(ws, "true")
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, ws, "sessionEvent", "tool.result")
	if response, _ := p.fetch("/metrics", ""); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %d", response.StatusCode)
	}
	response, text := p.fetch("/metrics", secret)
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %s: %s", response.StatusCode, response.Header.Get("Content-Type"), text)
	}
	for _, line := range []string{
		`lineclear_requests_total{agent="demo",outcome="asked",type="tool_confirmation"} 2`,
		`lineclear_decisions_total{reason="none",status="approved",via="websocket"} 1`,
		`lineclear_pending 1`,
		`lineclear_websockets 1`,
		`lineclear_time_to_answer_seconds_count 1`,
		`lineclear_bus_events_total{topic="approvalRequest"} 2`,
		`lineclear_bus_events_total{topic="approvalResponse"} 1`,
		`lineclear_http_requests_total{code="200",method="POST",route="/api/login"} 1`,
		`lineclear_http_requests_total{code="101",method="GET",route="/ws"} 1`,
		`lineclear_refused_total{why="login"} 1`,
		`lineclear_queue_evictions_total{queue="tab"} 0`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	if !regexp.MustCompile(`(?m)^lineclear_store_commit_seconds_count [1-9]`).MatchString(text) {
		t.Error("no commit was counted")
	}
	if strings.Contains(text, id) || strings.Contains(text, "uname") {
		t.Error("it says what was asked")
	}
	if t.Failed() {
		t.Log(text)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	// What waits is counted from the start.
	again := launch(t, dir)
	if _, text := again.fetch("/metrics", secret); !strings.Contains(text, "\nlineclear_pending 1\n") {
		t.Errorf("after a restart %s waits, and is not counted", left)
	}
}

func TestAGatewayWhoseDiskIsFullIsNotReadyUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	p := launchWith(t, crashing(t), dir, agents, "LINECLEAR_FAULT="+full)
	ready := func() (int, string) {
		response, body := p.fetch("/readyz", "")
		return response.StatusCode, body
	}
	until := func(want int) string {
		for { // an outcome is good for a moment
			if code, body := ready(); code == want {
				return body
			}
			if t.Context().Err() != nil {
				return ""
			}
		}
	}
	if body := until(http.StatusOK); body != `{"status":"ready"}` {
		t.Errorf("at first: %s", body)
	}
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if body := until(http.StatusServiceUnavailable); !strings.Contains(body, `"notReady":["store"]`) || strings.Contains(body, "space") {
		t.Errorf("with a full disk: %s", body)
	}
	if response, _ := p.fetch("/healthz", ""); response.StatusCode != http.StatusOK {
		t.Errorf("it lives all the same: %d", response.StatusCode)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	until(http.StatusOK)
}

func TestTheWholeLogOfAGatewayIsJSONAndHasNoSecret(t *testing.T) {
	t.Parallel()
	p := launchArgs(t, "gateway", t.TempDir(), agents, []string{"--log-format", "json", "--log-level", "debug"})
	secret := p.token("ci", auth.Viewer)
	ws := p.tab()
	p.ask(ws, "uname -a")
	response, _ := p.fetch("/api/me?token="+secret, "")
	p.fetch("/api/me", "lct_guessed-secret")
	id := response.Header.Get("X-Request-Id")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	log := p.stderr.String()
	_, cookie, _ := strings.Cut(p.cookie, "=")
	for _, kept := range []string{secret, cookie, "guessed-secret", "login=", "ticket."} {
		if strings.Contains(log, kept) {
			t.Errorf("the log has %s", kept)
		}
	}
	found := 0
	for line := range strings.Lines(log) {
		var entry struct {
			Message   string `json:"msg"`
			RequestID string `json:"requestId"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if entry.RequestID == id && id != "" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d lines are about the request %s, want that it was refused and that it was answered", found, id)
	}
}
