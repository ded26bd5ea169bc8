package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/approval"
)

const gatedAgents = `
gateway: {listen: "127.0.0.1:0", localKey: asks, askerGrace: 1s, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models: {demo: {provider: scripted}}
agents:
  desk:
    kind: external
    toolConfirmation:
      timeout: none
      rules: [{tool: "*", args: {text: {glob: "*secret*"}}, effect: deny, reason: not that}]
`

// mcpClient is an MCP client of the SDK that has started "gateway mcp" in front of a server.
type mcpClient struct {
	*process
	session  *mcp.ClientSession
	pid      int
	folder   string
	progress chan string
	hangUp   func() // closes the stdin of the gate
}

// mcp starts a client.
func (p *process) mcp(version string, flags ...string) *mcpClient {
	p.t.Helper()
	c := p.command(append([]string{"mcp", "--agent", "desk", "--name", "notes"}, flags...)...)
	c.Args = append(c.Args, "--", "notes-server")
	c.Stderr = os.Stderr
	m := &mcpClient{process: p, folder: p.t.TempDir(), progress: make(chan string, 100)}
	c.Dir = m.folder
	client := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"book": "Emma"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			m.progress <- r.Params.Message
		},
	})
	in, fail := c.StdinPipe()
	out, err := c.StdoutPipe()
	if err = errors.Join(fail, err, c.Start()); err != nil {
		p.t.Fatal(err)
	}
	m.pid, m.hangUp = c.Process.Pid, func() { _ = in.Close() }
	p.t.Cleanup(func() { m.hangUp(); _ = c.Wait() })
	m.session, err = client.Connect(p.t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

// result is what a call came to.
type called struct {
	text    string
	isError bool
	err     error
}

func (m *mcpClient) calls(name string, args map[string]any, token any) <-chan called {
	got := make(chan called, 1)
	go func() {
		p := &mcp.CallToolParams{Name: name, Arguments: args}
		if token != nil {
			p.SetProgressToken(token)
		}
		r, err := m.session.CallTool(m.t.Context(), p)
		if err != nil {
			got <- called{err: err}
			return
		}
		var parts []string
		for _, c := range r.Content {
			if text, ok := c.(*mcp.TextContent); ok {
				parts = append(parts, text.Text)
			}
		}
		got <- called{text: strings.Join(parts, "\n"), isError: r.IsError}
	}()
	return got
}

// sole waits for the one request that stands before people.
func (p *process) sole() (id string) {
	p.t.Helper()
	p.until("it asks", func() bool { id = strings.Join(p.waiting(), " "); return id != "" })
	return id
}

func (p *process) answers(id, answer string) {
	p.t.Helper()
	p.post("/api/approvals/"+id, json.RawMessage(answer), new(map[string]any))
}

func (p *process) noted(folder string) string {
	text, _ := os.ReadFile(filepath.Join(folder, "notes.txt")) // none: nothing
	return string(text)
}

func TestAnMCPClientsCallsAreClearedFirst(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-11-25", "2025-06-18", "2024-11-05"} {
		t.Run("version "+version, func(t *testing.T) {
			t.Parallel()
			p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
			m := p.mcp(version)
			got := m.calls("add", map[string]any{"text": "one"}, nil)
			id := p.sole()
			if text := p.noted(m.folder); text != "" {
				t.Fatalf("it ran before it was approved: %s", text)
			}
			p.answers(id, `{"status":"approved","edit":{"text":"two"}}`)
			if r := <-got; r.err != nil || r.isError || p.noted(m.folder) != "two" {
				t.Errorf("approved: %+v, %s", r, p.noted(m.folder))
			}
			got = m.calls("add", map[string]any{"text": "three"}, nil)
			p.answers(p.sole(), `{"status":"denied","message":"enough notes"}`)
			if r := <-got; !r.isError || !strings.Contains(r.text, "enough notes") {
				t.Errorf("denied: %+v", r)
			}
			if r := <-m.calls("add", map[string]any{"text": "a secret"}, nil); !r.isError || !strings.Contains(r.text, "not that") {
				t.Errorf("denied by a rule: %+v", r)
			}
			got = m.calls("choose", nil, nil)
			p.answers(p.sole(), `{"status":"approved"}`)
			if version == "" { // older clients are not asked in rounds
				p.answers(p.sole(), `{"status":"approved"}`)
			}
			if r := <-got; version == "" && r.text != "accept Emma" {
				t.Errorf("with a question: %+v", r)
			}
			if p.noted(m.folder) != "two" {
				t.Errorf("the note is %s", p.noted(m.folder))
			}
		})
	}
}

func TestACallWaitsForAGatewayThatIsStartedAgainAndRunsOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, gatedAgents)
	m := p.mcp("")
	got := m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	_ = p.end(syscall.SIGKILL)
	p = launchWith(t, "gateway", dir, gatedAgents)
	if now := p.sole(); now != id {
		t.Fatalf("it is asked again: %s, and was %s", now, id)
	}
	p.answers(id, `{"status":"approved"}`)
	if r := <-got; r.err != nil || r.isError {
		t.Errorf("it came to %+v", r)
	}
	p.until("its result is there", func() bool { return p.ran(id).Run == approval.RunFinished })
}

// ran is how the run of a call stands.
func (p *process) ran(id string) (row struct {
	Run    approval.Run    `json:"run"`
	Status approval.Status `json:"status"`
	Ran    *approval.Ran   `json:"ran"`
}) {
	p.t.Helper()
	if err := p.request("GET", "/api/approvals/"+id, struct{}{}, &row); err != nil {
		p.t.Fatal(err)
	}
	return row
}

// gone reports whether a process has ended; one that nobody waits for has no command line.
func gone(pid int) bool {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return err != nil || len(line) == 0
}

// waitsInACall has the server wait in a call, and returns its process.
func (m *mcpClient) waitsInACall() (got <-chan called, id string, server int) {
	m.t.Helper()
	got = m.calls("wait", nil, "t")
	id = m.sole()
	m.answers(id, `{"status":"approved"}`)
	for said := range m.progress {
		if pid, err := strconv.Atoi(said); err == nil {
			return got, id, pid
		}
	}
	return got, id, 0
}

func TestAKilledServerLeavesWhatItsCallDidUnknown(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
	m := p.mcp("2025-11-25")
	got, id, server := m.waitsInACall()
	if err := syscall.Kill(server, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r.err == nil {
		t.Errorf("the client is told %+v", r)
	}
	p.until("its result is there", func() bool { return p.ran(id).Run == approval.RunFinished })
	if r := p.ran(id).Ran; !r.IsError || !strings.Contains(r.Text, "not known") {
		t.Errorf("its result is %+v", r)
	}
}

func TestAKilledGateRunsNothingMore(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
	m := p.mcp("2025-11-25")
	got := m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	if len(m.atWork()) != 2 {
		t.Fatalf("there work %v", m.atWork())
	}
	if err := syscall.Kill(m.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r.err == nil {
		t.Errorf("the client is told %+v", r)
	}
	p.until("the server has ended", func() bool { return len(m.atWork()) == 0 })
	p.until("the request is withdrawn", func() bool { return len(p.waiting()) == 0 })
	if r := p.ran(id); r.Status != approval.Cancelled {
		t.Errorf("the request is %+v", r)
	}
	if p.noted(m.folder) != "" {
		t.Errorf("it was noted: %s", p.noted(m.folder))
	}
}

func TestABusyServerEndsWithAKilledGate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // elsewhere it ends once it reads its stdin; docs/mcp.md says so
	}
	p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
	c := p.command("mcp", "--agent", "desk")
	c.Args = append(c.Args, "--", "sleep", "1000")
	c.Dir = t.TempDir()
	in, fail := c.StdinPipe() // stays open
	if err := errors.Join(fail, c.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	m := &mcpClient{process: p, folder: c.Dir}
	p.until("the server has started", func() bool { return len(m.atWork()) == 2 })
	_ = c.Process.Kill()
	_ = c.Wait()
	p.until("the server has ended", func() bool { return len(m.atWork()) == 0 })
}

func TestAServersNameIsMadeFromItsCommand(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
	server := filepath.Join(t.TempDir(), "3_My__Notes.Server_.js")
	if err := os.WriteFile(server, []byte("#!/bin/sh\nexec notes-server\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := p.command("mcp", "--agent", "desk")
	c.Args = append(c.Args, "--", server)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	m := &mcpClient{process: p, session: s}
	m.calls("add", map[string]any{"text": "one"}, nil)
	var row struct {
		ToolName string `json:"toolName"`
	}
	if err := p.request("GET", "/api/approvals/"+p.sole(), struct{}{}, &row); err != nil || row.ToolName != "my_notes_server__add" {
		t.Errorf("it is asked about as %s, %v", row.ToolName, err)
	}
	p.post("/api/approvals/"+p.sole(), map[string]any{"status": "denied"}, &row) // the client waits for an answer before it ends
}

// atWork are the processes that work in the client's folder: the gate and its server.
func (m *mcpClient) atWork() (pids []string) {
	folders, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, f := range folders {
		if to, err := os.Readlink(f); err == nil && to == m.folder {
			pids = append(pids, filepath.Base(filepath.Dir(f)))
		}
	}
	return pids
}

func TestAClientThatEndsItsSessionEndsTheServer(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
	m := p.mcp("2025-11-25")
	_, first, server := m.waitsInACall()
	m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	m.hangUp()
	p.until("the server has ended", func() bool { return gone(server) })
	p.until("the request is withdrawn", func() bool { return p.ran(id).Status == approval.Cancelled })
	p.until("the call has a result", func() bool { return p.ran(first).Run == approval.RunFinished })
}

func TestAClientThatCantWaitCallsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, gatedAgents)
	m := p.mcp("", "--answer-within", "1ms")
	r := <-m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	if !r.isError || !strings.Contains(r.text, id) {
		t.Errorf("it is told %+v", r)
	}
	_ = p.end(syscall.SIGKILL) // the decision outlives it
	p = launchWith(t, "gateway", dir, gatedAgents)
	p.answers(id, `{"status":"approved"}`)
	if r := <-m.calls("add", map[string]any{"text": "one"}, "t"); r.isError || r.err != nil || p.noted(m.folder) != "one" {
		t.Errorf("the repetition came to %+v", r)
	}
	if r := <-m.calls("add", map[string]any{"text": "one"}, nil); !r.isError || strings.Contains(r.text, id) {
		t.Errorf("a second repetition came to %+v", r)
	}
}

func TestWhatIsMissingIsSaidToTheClient(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), gatedAgents)
	connect := func(env string, args ...string) error {
		c := p.command(append([]string{"mcp"}, args...)...)
		c.Args, c.Env = append(c.Args, "--", "notes-server"), append(c.Env, env)
		_, err := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
		return err
	}
	for name, c := range map[string]struct {
		env  string
		args []string
		want string
	}{
		"an unknown agent":         {"", []string{"--agent", "nobody"}, "nobody"},
		"a token that is not good": {"LINECLEAR_TOKEN=lct_nothing", nil, "gateway tokens create"},
		"a token that may answer":  {"LINECLEAR_TOKEN=" + p.token("boss", "approver"), nil, "may answer requests"},
		"a name that is not valid": {"", []string{"--name", "a__b"}, "single _"},
		"a gateway elsewhere":      {"LINECLEAR_URL=http://127.0.0.1:1", nil, "gateway serve"},
	} {
		if err := connect(c.env, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the client is told %v, not %q", name, err, c.want)
		}
	}
	_ = p.end(syscall.SIGTERM)
	if err := connect(""); err == nil || !strings.Contains(err.Error(), "gateway serve") {
		t.Errorf("no gateway: the client is told %v", err)
	}
}
