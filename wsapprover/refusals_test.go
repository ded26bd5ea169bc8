package wsapprover_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/wsapprover"
)

// asked is a gateway with a tab and one request that waits.
func asked(t *testing.T) (*gateway, *client, approval.Request) {
	t.Helper()
	g := start(t, setup{})
	tab := g.tab(t)
	tab.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	return g, tab, as[approval.Request](t, tab.until("approvalRequest"))
}

func (g *gateway) wantPending(t *testing.T, want int) {
	t.Helper()
	list, err := g.manager.Pending(t.Context(), "")
	if err != nil || len(list) != want {
		t.Errorf("%d requests are pending, want %d (%v)", len(list), want, err)
	}
}

func TestAFrameThatCanNotBeTakenIsAnsweredInWordsAndDecidesNothing(t *testing.T) {
	t.Parallel()
	g, tab, r := asked(t)
	id := `"approvalId":"` + r.ApprovalID + `"`
	for _, c := range []struct{ name, raw, code, says string }{
		{"an unknown id", `{"event":"approvalResponse","id":"1","data":{"approvalId":"x","status":"approved"}}`, "unknown_approval", "unknown approval"},
		{"no id", `{"event":"approvalResponse","id":"1","data":{"status":"approved"}}`, "invalid", "approvalId: missing"},
		{"a foreign session", `{"event":"approvalResponse","id":"1","data":{` + id + `,"sessionId":"x","status":"approved"}}`, "foreign_session", "another session"},
		{"a wrong digest", `{"event":"approvalResponse","id":"1","data":{` + id + `,"argsDigest":"sha256:00","status":"approved"}}`, "digest_mismatch", "argsDigest"},
		{"an unknown status", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"aproved"}}`, "bad_frame", `data: status: unknown status "aproved": use approved, denied or cancelled`},
		{"a status in capitals", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"APPROVED"}}`, "bad_frame", "unknown status"},
		{"a missing status", `{"event":"approvalResponse","id":"1","data":{` + id + `}}`, "invalid", "status: missing"},
		{"status pending", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"pending"}}`, "invalid", "status"},
		{"a duplicate key", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"denied","status":"approved"}}`, "bad_frame", "status: given twice"},
		{"a key in capitals", `{"event":"approvalResponse","id":"1","data":{` + id + `,"STATUS":"approved"}}`, "bad_frame", "STATUS: unknown name"},
		{"a key that folds", `{"event":"approvalResponse","id":"1","data":{` + id + `,"ſtatus":"approved"}}`, "bad_frame", "unknown name"},
		{"who decided", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"approved","by":{"subject":"root","via":"x"}}}`, "bad_frame", "by: unknown name"},
		{"a reason of the system's", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"denied","reason":"timeout"}}`, "invalid", "reason"},
		{"a scope not offered", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"approved","scope":"session","grant":{"covers":"path"}}}`, "invalid", "grant.covers"},
		{"a grant without its scope", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"approved","grant":{"uses":2}}}`, "invalid", "grant"},
		{"an unknown coverage", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"approved","scope":"session","grant":{"covers":"all"}}}`, "bad_frame", "coverage"},
		{"an edit that does not fit", `{"event":"approvalResponse","id":"1","data":{` + id + `,"status":"approved","edit":{"text":1}}}`, "invalid", "edit"},
		{"no data", `{"event":"approvalResponse","id":"1"}`, "bad_frame", "data: missing"},
		{"trailing data", `{"event":"approvalResponse","data":{` + id + `,"status":"approved"}} {}`, "bad_frame", "not valid JSON"},
		{"an unknown event", `{"event":"approve","id":"1","data":{` + id + `}}`, "unknown_event", "approvalResponse"},
		{"no event", `{"id":"1"}`, "bad_frame", "event: missing"},
		{"no JSON", `approve`, "bad_frame", "not valid JSON"},
		{"a message to nowhere", `{"event":"message","id":"1","data":{"sessionId":"x","text":"hi"}}`, "unknown_session", "unknown session"},
		{"a message without text", `{"event":"message","id":"1","data":{"sessionId":"x","text":""}}`, "invalid", "text: missing"},
		{"following nothing", `{"event":"subscribe","id":"1","data":{"session":"x"}}`, "unknown_session", "unknown session"},
		{"cancelling nothing", `{"event":"cancel","id":"1","data":{}}`, "invalid", "name either"},
		{"a result nobody waits for", `{"event":"toolResult","id":"1","data":{"toolCallId":"x"}}`, "unknown_call", "no client tool"},
		{"an unknown capability", `{"event":"hello","id":"1","data":{"capabilities":["root"]}}`, "invalid", "capabilities"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab.raw(websocket.TextMessage, []byte(c.raw))
			got := as[failure](t, tab.until("error"))
			if got.Code != c.code || !strings.Contains(got.Message, c.says) {
				t.Errorf("told %s: %s; want %s with %q", got.Code, got.Message, c.code, c.says)
			}
			g.wantPending(t, 1)
			tab.send("viewing", "still here", map[string]any{"approvalId": ""})
			tab.reply("still here")
		})
	}
}

func TestAFrameThatIsNoTextEndsTheConnectionAsDocumented(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind int
		data []byte
		want int
	}{
		"a binary frame":   {websocket.BinaryMessage, []byte(`{"event":"hello"}`), websocket.CloseUnsupportedData},
		"invalid UTF-8":    {websocket.TextMessage, []byte("{\"event\":\"\xff\"}"), websocket.CloseInvalidFramePayloadData},
		"a frame of 1 MiB": {websocket.TextMessage, bytes.Repeat([]byte(" "), 1<<20), websocket.CloseMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			g, tab, _ := asked(t)
			tab.raw(c.kind, c.data)
			if code := tab.closed(); code != c.want {
				t.Errorf("closed with %d, want %d", code, c.want)
			}
			g.wantPending(t, 1)
		})
	}
}

func TestTenBadFramesInARowEndTheConnection(t *testing.T) {
	t.Parallel()
	g, tab, _ := asked(t)
	for range 9 {
		tab.raw(websocket.TextMessage, []byte(`{}`))
	}
	tab.send("viewing", "good", map[string]any{"approvalId": ""})
	tab.reply("good")
	for range 10 {
		tab.raw(websocket.TextMessage, []byte(`{}`))
	}
	if code := tab.closed(); code != websocket.ClosePolicyViolation {
		t.Errorf("closed with %d", code)
	}
	g.wantPending(t, 1)
}

func TestAFloodOfPingsEndsTheConnection(t *testing.T) {
	t.Parallel()
	g, tab, _ := asked(t)
	for range 50 {
		if err := tab.ws.WriteMessage(websocket.PingMessage, nil); err != nil {
			break // it may be closed already
		}
	}
	if code := tab.closed(); code != websocket.ClosePolicyViolation {
		t.Errorf("closed with %d", code)
	}
	g.wantPending(t, 1)
}

func TestWhoMayNotAnswerIsToldSo(t *testing.T) {
	t.Parallel()
	g, _, r := asked(t)
	viewer := g.connect(t, auth.Identity{Subject: "vic", Roles: []auth.Role{auth.Viewer}})
	viewer.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "approved"})
	if got := as[failure](t, viewer.reply("a")); got.Code != "forbidden" {
		t.Errorf("told %+v", got)
	}
	viewer.send("message", "m", map[string]any{"sessionId": r.SessionID, "text": "hi"})
	if got := as[failure](t, viewer.reply("m")); got.Code != "forbidden" {
		t.Errorf("told %+v", got)
	}
	g.wantPending(t, 1)
}

func TestNobodyGetsInWithoutAFreshTicketOurOriginAndOurProtocol(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	ours := http.Header{"Origin": {g.server.URL}}
	used := issue(t, g.tickets, ada())
	if ws, _, err := g.dial(used, ours); err != nil {
		t.Fatal(err)
	} else {
		_ = ws.Close()
	}
	agent := auth.Identity{Subject: "bot", Roles: []auth.Role{auth.Agent}}
	for name, c := range map[string]struct {
		ticket string
		header http.Header
		want   int
	}{
		"a used ticket":      {used, ours, http.StatusUnauthorized},
		"an invented ticket": {"x", ours, http.StatusUnauthorized},
		"no ticket":          {"", ours, http.StatusUnauthorized},
		"an agent's ticket":  {issue(t, g.tickets, agent), ours, http.StatusUnauthorized},
		"no origin":          {issue(t, g.tickets, ada()), http.Header{}, http.StatusForbidden},
		"a foreign origin":   {issue(t, g.tickets, ada()), http.Header{"Origin": {"http://evil.example"}}, http.StatusForbidden},
		"the null origin":    {issue(t, g.tickets, ada()), http.Header{"Origin": {"null"}}, http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			_, response, err := g.dial(c.ticket, c.header)
			if !errors.Is(err, websocket.ErrBadHandshake) || response.StatusCode != c.want {
				t.Errorf("got %v, %v", err, response)
			}
		})
	}
	dialer := websocket.Dialer{Subprotocols: []string{"other"}}
	_, response, err := dialer.Dial("ws"+strings.TrimPrefix(g.server.URL, "http"), ours)
	if err == nil || response.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("another protocol: %v, %v", err, response)
	}
}

func TestOnlyOurProtocolIsEchoedNeverTheTicket(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	tab := g.connect(t, ada())
	if got := tab.ws.Subprotocol(); got != wsapprover.Protocol {
		t.Errorf("echoed %q", got)
	}
}

func TestAClientWithoutApprovalsIsSentNone(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	deaf, tab := g.tab(t), g.tab(t)
	deaf.send("hello", "h", map[string]any{"client": "lamp", "capabilities": []string{}})
	deaf.reply("h")
	tab.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	tab.until("approvalRequest")
	deaf.send("viewing", "v", map[string]any{"approvalId": "x"})
	for {
		f := deaf.next()
		if f.Event == "approvalRequest" {
			t.Fatal("it was sent a request")
		}
		if f.ID == "v" {
			return
		}
	}
}

func TestAnAnswerAfterTheDeadlineIsToldThatItIsLate(t *testing.T) {
	t.Parallel()
	g := start(t, setup{timeout: time.Millisecond})
	tab := g.tab(t)
	tab.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	late := as[approval.Response](t, tab.until("approvalResponse"))
	for id, send := range map[string]func(){
		"a": func() {
			tab.send("approvalResponse", "a", map[string]any{"approvalId": late.ApprovalID, "status": "approved"})
		},
		"b": func() {
			tab.send("approvalResponse", "b", map[string]any{"approvalId": late.ApprovalID, "status": "denied"})
		},
	} {
		send()
		got := tab.reply(id)
		refused := as[wsapprover.Failure](t, got)
		if got.Event != "error" || refused.Code != "expired" || refused.Response == nil || refused.Response.Reason != approval.Timeout {
			t.Errorf("it is answered with %s %s", got.Event, got.Data)
		}
	}
}

// unreached is where no ticket can be looked up.
type unreached struct{ auth.OneTimeEntries }

func (unreached) Take(context.Context, auth.Secret, string) (auth.Identity, error) {
	return auth.Identity{}, errors.New("store: connection refused")
}

func TestATicketThatCanNotBeLookedUpIsNotCalledInvalid(t *testing.T) {
	g := start(t, setup{})
	valid := issue(t, g.tickets, ada())
	*g.tickets = *auth.NewOneTimeIn(auth.TicketSecret, time.Minute, unreached{})
	_, response, err := g.dial(valid, http.Header{"Origin": {g.server.URL}})
	if err == nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%v, %+v", err, response)
	}
}
