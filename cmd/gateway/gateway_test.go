package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gorilla/websocket"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"gateway": main}) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

// patience bounds how long a test waits for what must happen.
const patience = 30 * time.Second

const agents = `
models: {demo: {provider: scripted}}
agents:
  demo:
    model: demo
    toolConfirmation: {timeout: none}
    tools: {shell: {approval: {required: true}}}
`

// process is a running gateway and a browser that has logged in to it.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	cookie string
	stderr *strings.Builder
}

// launch starts the real program on a data folder.
func launch(t *testing.T, dir string) *process {
	t.Helper()
	file := filepath.Join(dir, "agents.yaml")
	if err := os.WriteFile(file, []byte(agents), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, stderr: &strings.Builder{}}
	p.cmd = exec.CommandContext(context.Background(), "gateway", "serve", "--config", file,
		"--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0")
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	link := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/#login=(\S+)`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := link.FindStringSubmatch(lines.Text()); m != nil {
			p.url = m[1]
			p.login(m[2])
			return p
		}
	}
	t.Fatalf("it printed no link; stderr: %s", p.stderr)
	return nil
}

func (p *process) login(token string) {
	p.t.Helper()
	response := p.post("/api/login", map[string]string{"token": token}, nil)
	for _, c := range response.Cookies() {
		p.cookie = c.Name + "=" + c.Value
	}
}

// post sends a body as the dashboard does, and reads the answer into v.
func (p *process) post(path string, body, v any) *http.Response {
	p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+path, strings.NewReader(string(raw)))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Origin", p.url)
	r.Header.Set("Cookie", p.cookie)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if v != nil {
		if err := json.UnmarshalRead(response.Body, v); err != nil {
			p.t.Fatal(err)
		}
	}
	return response
}

// frame is a frame of the WebSocket.
type frame struct {
	Event string         `json:"event"`
	Data  jsontext.Value `json:"data"`
}

// tab opens a WebSocket.
func (p *process) tab() *websocket.Conn {
	p.t.Helper()
	var ticket struct {
		Ticket    string    `json:"ticket"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	p.post("/api/ws-ticket", struct{}{}, &ticket)
	dialer := websocket.Dialer{Subprotocols: []string{"lineclear.v1", "ticket." + ticket.Ticket}}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(p.url, "http")+"/ws", http.Header{"Origin": {p.url}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = ws.Close() })
	return ws
}

// until reads frames up to the first that contains the text.
func until(t *testing.T, ws *websocket.Conn, event, text string) frame {
	t.Helper()
	for {
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		_, raw, err := ws.ReadMessage()
		if err != nil {
			t.Fatalf("waiting for %s with %q: %v", event, text, err)
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		if f.Event == event && strings.Contains(string(f.Data), text) {
			return f
		}
	}
}

func send(t *testing.T, ws *websocket.Conn, format string, args ...any) {
	t.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)); err != nil {
		t.Fatal(err)
	}
}

// ask starts a session and has its agent ask for a command.
func (p *process) ask(ws *websocket.Conn, command string) (sessionID, approvalID string) {
	p.t.Helper()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
	send(p.t, ws, `{"event":"subscribe","data":{"session":%q}}`, s.SessionID)
	send(p.t, ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, s.SessionID, "run: "+command)
	var r struct {
		ApprovalID string `json:"approvalId"`
	}
	if err := json.Unmarshal(until(p.t, ws, "approvalRequest", command).Data, &r); err != nil {
		p.t.Fatal(err)
	}
	return s.SessionID, r.ApprovalID
}

// end sends a signal and returns how the program ended.
func (p *process) end(signal os.Signal) error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.t.Fatal(err)
	}
	return p.cmd.Wait()
}

func TestTheProgramRunsACommandOnlyAfterItWasCleared(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	proof := filepath.Join(dir, "ran")
	_, id := p.ask(ws, "touch "+proof)
	if _, err := os.Stat(proof); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("it ran before it was cleared (%v)", err)
	}
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, ws, "sessionEvent", "tool.result")
	if _, err := os.Stat(proof); err != nil {
		t.Error(err)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
}

func TestAStoppedGatewayTellsItsTabsAndKeepsWhatWaits(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	_, id := p.ask(ws, "uname -a")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var closed *websocket.CloseError
	for {
		if _, _, err := ws.ReadMessage(); errors.As(err, &closed) || err != nil {
			break
		}
	}
	if closed == nil || closed.Code != websocket.CloseServiceRestart {
		t.Errorf("the tab was closed with %v", closed)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
	cookie := p.cookie
	p = launch(t, dir)
	p.cookie = cookie // the login has outlived the program
	until(t, p.tab(), "snapshot", id)
}

func TestAKilledGatewayKeepsWhatWaits(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, dir)
	_, id := p.ask(p.tab(), "uname -a")
	_ = p.end(syscall.SIGKILL)
	until(t, launch(t, dir).tab(), "snapshot", id)
}

func TestASecondGatewayOnTheSameFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	launch(t, dir)
	out, err := exec.Command("gateway", "serve", "--config", filepath.Join(dir, "agents.yaml"),
		"--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another gateway") || !strings.Contains(string(out), "--data") {
		t.Errorf("it said %s (%v)", out, err)
	}
}

func TestTheLinkIsNotInTheLog(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, dir)
	p.ask(p.tab(), "uname -a")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	log := p.stderr.String()
	secret := strings.SplitN(p.cookie, "=", 2)[1]
	if !strings.Contains(log, "serving") || strings.Contains(log, "login=") || strings.Contains(log, secret) {
		t.Errorf("the log is %s", log)
	}
}
