package mcpgate_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/mcpgate"
)

// visit is a client's session at a door, and the server behind it.
type visit struct {
	*desk
	server  *wire
	door    string
	session string
	revoke  context.CancelFunc // of the client's token
}

// held is a keyring with one token that is good until ctx ends.
type held struct{ ctx context.Context }

func (h held) Follow(ctx context.Context, _ string) (auth.Identity, context.Context, context.CancelFunc, error) {
	access, end := context.WithCancel(ctx)
	stop := context.AfterFunc(h.ctx, end)
	return auth.Identity{}, access, func() { stop(); end() }, nil
}

// visits begins a session by HTTP.
func (d *desk) visits(o mcpgate.Options) *visit {
	d.t.Helper()
	v := &visit{desk: d}
	theirs, server := wires(d.t)
	v.server = server
	gateway, err := url.Parse(d.url)
	if err != nil {
		d.t.Fatal(err)
	}
	o.Server, o.AgentID = "notes", "desk"
	good, revoke := context.WithCancel(d.t.Context())
	v.revoke = revoke
	door := mcpgate.NewDoor(d.t.Context(), map[string]mcpgate.Offer{"notes": {Options: o, Connect: func(context.Context) (mcpgate.Conn, func(), error) {
		return theirs.conn, func() {}, nil
	}}}, held{good}, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(gateway) }})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		door.Serve(w, r, "notes", auth.Identity{Root: "a program"})
	}))
	d.t.Cleanup(func() { _ = door.Close(); site.Close() })
	v.door = site.URL
	go func() {
		if _, err := v.server.conn.Read(d.t.Context()); err == nil {
			_ = v.server.conn.Write(d.t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		}
	}()
	begun := v.posts(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	begun.hears(`"result"`)
	v.session = begun.session
	return v
}

// answer is the stream that answers a request.
type answer struct {
	t       *testing.T
	lines   *bufio.Scanner
	session string
}

func (v *visit) posts(message string) *answer {
	v.t.Helper()
	ctx, stop := context.WithTimeout(v.t.Context(), patience)
	v.t.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.door, strings.NewReader(message))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.secret)
	if v.session != "" {
		r.Header.Set("Mcp-Session-Id", v.session)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = response.Body.Close() })
	return &answer{v.t, bufio.NewScanner(response.Body), response.Header.Get("Mcp-Session-Id")}
}

func (a *answer) hears(text string) {
	a.t.Helper()
	if !a.has(text) {
		a.t.Fatalf("%s is not heard: %v", text, a.lines.Err())
	}
}

// has reports whether a text comes.
func (a *answer) has(text string) bool {
	for a.lines.Scan() {
		if strings.Contains(a.lines.Text(), text) {
			return true
		}
	}
	return false
}

func TestProgressGoesToTheStreamOfItsCallThoughTwoHaveOneToken(t *testing.T) {
	v := open(t).visits(mcpgate.Options{ProgressEvery: time.Millisecond})
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","_meta":{"progressToken":"t"},"arguments":{"text":"%[1]d"}}}`
	first := v.posts(fmt.Sprintf(call, 7))
	asked := v.server.hears("tools/list")
	v.server.say(`{"jsonrpc":"2.0","id":` + string(part(t, asked, "id")) + `,"result":{"tools":[` + write + `]}}`)
	second := v.posts(fmt.Sprintf(call, 8))
	second.hears("notifications/progress")
	// What is on its way is heard at once, so many more must have come to the first.
	for range 1000 {
		first.hears("notifications/progress")
	}
}

func TestASessionEndsWhenItsTokenIsRevoked(t *testing.T) {
	v := open(t).visits(mcpgate.Options{})
	call := v.posts(called)
	v.server.hears("tools/list")
	v.revoke()
	for call.lines.Scan() { // to its end
	}
	if err := call.lines.Err(); err != nil {
		t.Error(err)
	}
	if again := v.posts(`{"jsonrpc":"2.0","id":8,"method":"ping"}`); !again.has("session not found") {
		t.Error("it is still there")
	}
}

func TestTheStreamOfACancelledCallEnds(t *testing.T) {
	v := open(t).visits(mcpgate.Options{})
	call := v.posts(called)
	v.server.hears("tools/list")
	v.posts(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7.0}}`)
	for call.lines.Scan() { // to its end
	}
	if err := call.lines.Err(); err != nil {
		t.Error(err)
	}
}
