package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

var offering = strings.Replace(gatedAgents, "rules: [", `rules: [{tool: notes__add, args: {text: {equals: four}}, effect: deny, reason: never four}, `, 1) + `
    mcp: {notes: {except: [wait]}, far: }
mcpServers:
  notes: {command: notes-server}
  far: {url: "${FAR:-http://127.0.0.1:1/mcp}"}
`

// bearer sends a token with each request, and how long the client waits.
type bearer struct{ token, within string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	if b.within != "" {
		r.Header.Set("X-Lineclear-Answer-Within", b.within)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// dial is an MCP client of the SDK that reaches a server by the gateway.
func (p *process) dial(server, token, version string, within ...string) (*mcpClient, error) {
	p.t.Helper()
	m := &mcpClient{process: p, progress: make(chan string, 100)}
	client := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"book": "Emma"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { m.progress <- r.Params.Message },
	})
	transport := &mcp.StreamableClientTransport{Endpoint: p.url + "/mcp/" + server, HTTPClient: &http.Client{Transport: bearer{token, strings.Join(within, "")}}}
	s, err := client.Connect(p.t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		m.session = s
		p.t.Cleanup(func() { _ = s.Close() })
	}
	return m, err
}

func TestAnMCPClientOnHTTPIsClearedFirst(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), offering)
	token := p.token("a program", auth.Agent)
	for _, version := range []string{"", "2025-06-18"} {
		m, err := p.dial("notes", token, version)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := m.session.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 4 {
			t.Errorf("its tools are %+v, %v", tools, err)
		}
		got := m.calls("add", map[string]any{"text": "one"}, "t")
		id := p.sole()
		p.answers(id, `{"status":"approved"}`)
		if r := <-got; r.err != nil || r.isError || !strings.Contains(r.text, "added one") {
			t.Errorf("approved: %+v", r)
		}
		p.until("its result is there", func() bool { return p.ran(id).Run == approval.RunFinished })
		got = m.calls("add", map[string]any{"text": "two"}, nil)
		p.answers(p.sole(), `{"status":"denied","message":"enough notes"}`)
		if r := <-got; !r.isError || !strings.Contains(r.text, "enough notes") {
			t.Errorf("denied: %+v", r)
		}
		if r := <-m.calls("add", map[string]any{"text": "four"}, nil); !r.isError || !strings.Contains(r.text, "never four") {
			t.Errorf("denied by a rule that names the tool: %+v", r)
		}
		if r := <-m.calls("wait", nil, nil); !r.isError || !strings.Contains(r.text, "does not offer") {
			t.Errorf("a tool that is left out: %+v", r)
		}
		got = m.calls("choose", nil, nil)
		p.answers(p.sole(), `{"status":"approved"}`)
		if r := <-got; r.err != nil {
			t.Errorf("with a question: %+v", r)
		}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() {
			_, err := m.session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"text": "x"}})
			over <- err
		}()
		id = p.sole()
		cancel()
		<-over
		p.until("it is withdrawn", func() bool { return p.ran(id).Status == approval.Cancelled })
		m.calls("add", map[string]any{"text": "three"}, nil)
		id = p.sole()
		p.endSession(m, token)
		p.until("it is withdrawn", func() bool { return p.ran(id).Status == approval.Cancelled })
	}
}

// endSession ends a client's session, as it does itself.
func (p *process) endSession(m *mcpClient, token string) {
	p.t.Helper()
	if status := p.mcpStatus("DELETE", "notes", token, m.session.ID(), "", ""); status != http.StatusNoContent {
		p.t.Errorf("ending the session is answered with %d", status)
	}
}

func (p *process) mcpStatus(method, server, token, session, origin, body string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+"/mcp/"+server, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for name, value := range map[string]string{"Mcp-Session-Id": session, "Origin": origin} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestAnMCPSessionBelongsToWhoHasBegunIt(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), offering)
	mine, other := p.token("mine", auth.Agent), p.token("other", auth.Agent)
	m, err := p.dial("notes", mine, "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	id := m.session.ID()
	for name, c := range map[string]struct {
		server, token, session, origin string
		want                           int
	}{
		"its own":                     {"notes", mine, id, "", http.StatusOK},
		"of another token":            {"notes", other, id, "", http.StatusNotFound},
		"at another server":           {"far", mine, id, "", http.StatusNotFound},
		"without a token":             {"notes", "", id, "", http.StatusForbidden},
		"with a wrong token":          {"notes", "lct_wrong", id, "", http.StatusUnauthorized},
		"with one that may answer":    {"notes", p.token("boss", auth.Approver), id, "", http.StatusForbidden},
		"from another page":           {"notes", mine, id, "http://evil.example", http.StatusForbidden},
		"of none":                     {"notes", mine, "nothing", "", http.StatusNotFound},
		"at a server that is not one": {"nothing", mine, "", "", http.StatusNotFound},
		"without a session":           {"notes", mine, "", "", http.StatusBadRequest},
	} {
		if status := p.mcpStatus("POST", c.server, c.token, c.session, c.origin, ping); status != c.want {
			t.Errorf("a session %s: %d, want %d", name, status, c.want)
		}
	}
}

func TestAnMCPSessionEndsWithItsGatewayAndWhatItAskedIsWithdrawn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, offering)
	token := p.token("a program", auth.Agent)
	m, err := p.dial("notes", token, "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	got := m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	_ = p.end(syscall.SIGKILL)
	if r := <-got; r.err == nil {
		t.Errorf("the client is told %+v", r)
	}
	p = launchWith(t, "gateway", dir, offering)
	p.until("the request is withdrawn", func() bool { return len(p.waiting()) == 0 })
	if r := p.ran(id); r.Status != approval.Cancelled || r.Ran != nil {
		t.Errorf("the request is %+v", r)
	}
	if status := p.mcpStatus("POST", "notes", token, m.session.ID(), "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != http.StatusNotFound {
		t.Errorf("the old session is answered with %d", status)
	}
}

// revokes revokes the only token.
func (p *process) revokes() {
	p.t.Helper()
	var list struct {
		Tokens []auth.Credential `json:"tokens"`
	}
	if err := p.request(http.MethodGet, "/api/tokens", struct{}{}, &list); err != nil || len(list.Tokens) != 1 {
		p.t.Fatalf("%+v, %v", list, err)
	}
	_ = p.request(http.MethodDelete, "/api/tokens/"+list.Tokens[0].ID, struct{}{}, new(map[string]any))
}

func TestASessionOfATokenThatIsRevokedIsOfNoUse(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), offering)
	token := p.token("a program", auth.Agent)
	m, err := p.dial("notes", token, "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	got := m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	p.revokes()
	if r := <-got; r.err == nil && !r.isError {
		t.Errorf("the client is told %+v", r)
	}
	if status := p.mcpStatus("POST", "notes", token, m.session.ID(), "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != http.StatusUnauthorized {
		t.Errorf("the session is answered with %d", status)
	}
	p.until("the request is withdrawn", func() bool { return len(p.waiting()) == 0 })
	if r := p.ran(id); r.Status == approval.Approved || r.Ran != nil {
		t.Errorf("the request is %+v", r)
	}
}

func TestAnMCPClientOnHTTPThatCantWaitCallsAgain(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), offering)
	token := p.token("a program", auth.Agent)
	if _, err := p.dial("notes", token, "2025-11-25", "soon"); err == nil || !strings.Contains(err.Error(), "write it like 50s") {
		t.Errorf("a limit that is not valid: %v", err)
	}
	m, err := p.dial("notes", token, "2025-11-25", "1ms")
	if err != nil {
		t.Fatal(err)
	}
	told := <-m.calls("add", map[string]any{"text": "one"}, nil)
	id := p.sole()
	if !told.isError || !strings.Contains(told.text, id) {
		t.Errorf("it is told %+v", told)
	}
	p.answers(id, `{"status":"approved"}`)
	if r := <-m.calls("add", map[string]any{"text": "one"}, "t"); r.isError || r.err != nil || !strings.Contains(r.text, "added one") {
		t.Errorf("the repetition came to %+v", r)
	}
}

// remote is an MCP server on HTTP that works in its own way.
type remote struct {
	calls atomic.Int32
	ended atomic.Bool   // its session
	over  chan struct{} // ends what hangs
}

func (f *remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	f.ended.CompareAndSwap(false, r.Method == http.MethodDelete)
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	result := `{}`
	switch m.Method {
	case "notifications/hang":
		<-f.over
	case "notifications/refuse":
		w.WriteHeader(http.StatusBadRequest)
		return
	case "tools/call":
		f.calls.Add(1)
	case "tools/list":
		result = `{"tools":[{"name":"work","inputSchema":{"type":"object"}}]}`
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Mcp-Session-Id", "s")
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+result+`}`)
}

// far is a gateway in front of such a server, with a session of a client.
func far(t *testing.T) (p *process, f *remote, post func(ctx context.Context, body string) *http.Response) {
	t.Helper()
	f = &remote{over: make(chan struct{})}
	site := httptest.NewServer(f)
	t.Cleanup(site.Close)
	t.Cleanup(func() { close(f.over) })
	p = launchWith(t, "gateway", t.TempDir(), offering, "FAR="+site.URL)
	token, session := p.token("a program", auth.Agent), ""
	post = func(ctx context.Context, body string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/mcp/far", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	begun := post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	_, _ = io.ReadAll(begun.Body)
	session = begun.Header.Get("Mcp-Session-Id")
	return p, f, post
}

func TestAnMCPCallIsWithdrawnWhoseClientGoesWhileTheServerHangs(t *testing.T) {
	t.Parallel()
	p, f, post := far(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	post(ctx, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"work"}}`)
	id := p.sole()
	for range 3 {
		post(t.Context(), `{"jsonrpc":"2.0","method":"notifications/hang"}`)
	}
	leave()
	p.until("it is withdrawn", func() bool { return p.ran(id).Status == approval.Cancelled })
	if n := f.calls.Load(); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
}

func TestAnMCPSessionOutlivesANoticeThatTheServerRefuses(t *testing.T) {
	t.Parallel()
	_, _, post := far(t)
	post(t.Context(), `{"jsonrpc":"2.0","method":"notifications/refuse"}`)
	post(t.Context(), `{"jsonrpc":"2.0","method":"notifications/refuse"}`)
	for range 2 {
		if text, err := io.ReadAll(post(t.Context(), `{"jsonrpc":"2.0","id":2,"method":"ping"}`).Body); err != nil || !strings.Contains(string(text), `"result"`) {
			t.Errorf("a ping is answered with %s, %v", text, err)
		}
	}
}

func TestAnMCPServerIsLeftWhenTheTokenOfItsSessionIsRevoked(t *testing.T) {
	t.Parallel()
	p, f, _ := far(t)
	p.revokes()
	p.until("the session at the server has ended", f.ended.Load)
}
