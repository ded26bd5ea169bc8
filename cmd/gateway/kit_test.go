package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/tool"
)

// patience bounds how long a test waits for what must happen.
const patience = 3 * time.Minute

// script has the boss hand on what it is told to.
const script = `
steps:
  - match: /./
    calls: [{tool: ask_demo, args: {task: "run: COMMAND"}}]
    after: "it says: {results}"
`

const agents = `
gateway: {listen: "${LISTEN:-127.0.0.1:0}", localKey: answers, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models:
  demo: {provider: scripted}
  boss: {provider: scripted, script: boss.yaml}
agents:
  boss:
    model: boss
    delegates: [demo]
    toolConfirmation: {mode: auto-approve}
  demo:
    model: demo
    toolConfirmation: {timeout: none, maxPending: 100000}
    tools: {shell: {approval: {required: true}}}
  hasty:
    model: demo
    toolConfirmation: {timeout: "${HASTY:-1m}", maxPending: 100000}
    tools: {shell: {approval: {required: true}}}
`

// process is a running gateway and a browser that has logged in to it.
type process struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	url    string
	cookie string
	csrf   string
	stderr *logBuffer
	stdout io.Reader
}

// launch starts the real program on a data folder.
func launch(t *testing.T, dir string) *process {
	t.Helper()
	return launchProgram(t, "gateway", dir)
}

// launchProgram starts a build of the program, with more in its environment.
func launchProgram(t *testing.T, program, dir string, env ...string) *process {
	t.Helper()
	return launchWith(t, program, dir, agents, env...)
}

// unlimited is the gateway of tests, which ask again and again until something is so.
const unlimited = `gateway: {listen: "127.0.0.1:0", localKey: answers, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
`

// launchWith is launchProgram with a configuration of one's own.
func launchWith(t *testing.T, program, dir, yaml string, env ...string) *process {
	t.Helper()
	return launchArgs(t, program, dir, yaml, nil, env...)
}

// launchArgs is launchWith with more on the command line.
func launchArgs(t *testing.T, program, dir, yaml string, args []string, env ...string) *process {
	t.Helper()
	p := start(t, program, dir, yaml, args, env...)
	p.serves()
	return p
}

// start is launchArgs for a program that may not serve at once.
func start(t *testing.T, program, dir, yaml string, args []string, env ...string) *process {
	t.Helper()
	reportMisfits(t)
	file := filepath.Join(dir, "agents", "agents.yaml") // agents don't work where the data is
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(yaml, "gateway:") {
		yaml = unlimited + yaml
	}
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	boss := strings.ReplaceAll(script, "COMMAND", proof(dir))
	if err := os.WriteFile(filepath.Join(dir, "agents", "boss.yaml"), []byte(boss), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, dir: dir, stderr: newLogBuffer()}
	p.cmd = exec.CommandContext(context.Background(), program, append([]string{"serve", "--config", file, "--data", filepath.Join(dir, "data")}, args...)...)
	p.cmd.Stderr = p.stderr
	p.cmd.Env = append(append(p.environment(), "LINECLEAR_PRINT_LINK=1"), env...)
	var err error
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_, _ = p.cmd.Process.Wait() // it may still be writing into the folder that is removed next
		if log := p.stderr.String(); strings.Contains(log, "WARNING: DATA RACE") {
			t.Errorf("the race detector found something in the gateway:\n%s", log)
		}
	})
	return p
}

// serves waits until the program serves, and logs in.
func (p *process) serves() {
	p.t.Helper()
	link := regexp.MustCompile(`(https?://127\.0\.0\.\d:\d+)/#login=([^\s"]+)`)
	lines := bufio.NewScanner(p.stdout)
	for lines.Scan() {
		if m := link.FindStringSubmatch(lines.Text()); m != nil {
			p.url = m[1]
			p.login(m[2])
			return
		}
	}
	p.t.Fatalf("it printed no link; stderr: %s", p.stderr)
}

// environment has folders of the user that are the test's own.
func (p *process) environment() []string {
	return append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(p.dir, "cache"), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "config"),
		"XDG_STATE_HOME="+filepath.Join(p.dir, "state"))
}

func (p *process) login(token string) {
	p.t.Helper()
	var told struct {
		Identity tool.JSON `json:"identity"`
		CSRF     string    `json:"csrf"`
	}
	p.post("/api/login", map[string]string{"token": token}, &told)
	p.csrf = told.CSRF
}

// browser takes any certificate: which there is, is a test of its own.
var browser = &http.Client{Transport: asDescribed{&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}

// post sends a body as the dashboard does, and reads the answer into v.
func (p *process) post(path string, body, v any) {
	p.t.Helper()
	if err := p.request(http.MethodPost, path, body, v); err != nil {
		p.t.Fatal(err)
	}
}

// request is post with any method, to a program that may be dying. It keeps
// the cookie that it is given.
func (p *process) request(method, path string, body, v any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return p.send(method, path, raw, v)
}

// send is request with a body as it is, which may be none.
func (p *process) send(method, path string, raw []byte, v any) error {
	r, err := http.NewRequestWithContext(context.Background(), method, p.url+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	r.Header.Set("Origin", p.url)
	r.Header.Set("Cookie", p.cookie)
	r.Header.Set("X-Lineclear-Csrf", p.csrf)
	response, err := browser.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	for _, c := range response.Cookies() {
		p.cookie = c.Name + "=" + c.Value
	}
	return json.UnmarshalRead(response.Body, v)
}

// frame is a frame of the WebSocket.
type frame struct {
	Event string    `json:"event"`
	Data  tool.JSON `json:"data"`
	ID    string    `json:"id"`
}

// tab opens a WebSocket.
func (p *process) tab() *websocket.Conn {
	p.t.Helper()
	ws, err := p.connect()
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = ws.Close() })
	return ws
}

// connect opens a WebSocket to a program that may be dying.
func (p *process) connect() (*websocket.Conn, error) {
	p.t.Helper()
	var ticket struct {
		Ticket    string    `json:"ticket"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	if err := p.request(http.MethodPost, "/api/ws-ticket", struct{}{}, &ticket); err != nil {
		return nil, err
	}
	dialer := websocket.Dialer{Subprotocols: []string{"lineclear.v1", "ticket." + ticket.Ticket}}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(p.url, "http")+"/ws", http.Header{"Origin": {p.url}})
	return ws, err
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
	if err := write(ws, format, args...); err != nil {
		t.Fatal(err)
	}
}

func write(ws *websocket.Conn, format string, args ...any) error {
	return ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...))
}

// approveAll approves every request that a tab is shown, until done says so
// after a frame, or the connection ends.
func approveAll(ws *websocket.Conn, done func(frame) bool) error {
	defer func() { _ = ws.Close() }()
	for {
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		_, raw, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		for _, id := range shown(f) {
			if err := write(ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id); err != nil {
				return err
			}
		}
		if done(f) {
			return nil
		}
	}
}

// shown lists the requests that a frame puts before a person.
func shown(f frame) []string {
	var data struct {
		ApprovalID string `json:"approvalId"`
		Pending    []struct {
			ApprovalID string `json:"approvalId"`
		} `json:"pending"`
	}
	if f.Event != "approvalRequest" && f.Event != "snapshot" || json.Unmarshal(f.Data, &data) != nil {
		return nil
	}
	var ids []string
	if data.ApprovalID != "" {
		ids = append(ids, data.ApprovalID)
	}
	for _, r := range data.Pending {
		ids = append(ids, r.ApprovalID)
	}
	return ids
}

// atRest reports whether no session is at work.
func (p *process) atRest() (bool, error) {
	var list struct {
		Sessions []struct {
			TurnOpen bool `json:"turnOpen"`
		} `json:"sessions"`
	}
	err := p.request(http.MethodGet, "/api/sessions", struct{}{}, &list)
	for _, s := range list.Sessions {
		if s.TurnOpen {
			return false, err
		}
	}
	return true, err
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

// logged waits until the log has a text.
func (p *process) logged(text string) {
	p.t.Helper()
	if !p.stderr.await(text) {
		p.t.Fatalf("the log never had %q: %s", text, p.stderr)
	}
}
