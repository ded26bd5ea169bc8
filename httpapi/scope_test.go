package httpapi_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/session"
)

// Whoever is for one agent finds nothing of another's, at any address: neither
// what is in it, nor whether it is there.
func TestWhoIsForOneAgentFindsNothingOfAnothers(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", strings.Replace(deploy, "staging", "SENTINEL", 1), g.program)
	m := g.token(t, `{"name":"other","roles":["admin"],"agents":["demo"]}`)
	ids := strings.NewReplacer("{toolCallId}", asked.ToolCallID)
	walked := 0
	for _, route := range httpapi.New(httpapi.Backend{}).Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		if route.Hidden || route.Right < 0 || strings.Contains(path, "/stats") {
			continue
		}
		id := asked.ApprovalID
		switch {
		case strings.Contains(path, "/sessions/"):
			id = asked.SessionID
		case strings.Contains(path, "/agents/"):
			id = "external"
		case strings.Contains(path, "/tokens/"), strings.Contains(path, "/logins/"), strings.Contains(path, "/logout"):
			continue // to which one that is for some agents has no right at all, or its own
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // streams go on
		path = strings.ReplaceAll(ids.Replace(path), "{id}", id)
		r, err := http.NewRequestWithContext(ctx, method, g.URL+path, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", g.URL)
		r.Header.Set("Authorization", "Bearer "+m.Secret)
		response, err := g.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		_, _ = bufio.NewReader(response.Body).WriteTo(&b)
		_ = response.Body.Close()
		cancel()
		walked++
		if text := b.String(); strings.Contains(text, "SENTINEL") || strings.Contains(text, asked.SessionID) && !strings.Contains(text, "unknown session") {
			t.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
		}
		if strings.Contains(route.Pattern, "{id}") && response.StatusCode < 400 {
			t.Errorf("%s %s: %d", method, path, response.StatusCode)
		}
	}
	if walked < 25 {
		t.Errorf("only %d routes were tried", walked)
	}
	if row, err := g.manager.Get(t.Context(), asked.ApprovalID); err != nil || row.Status != approval.Pending {
		t.Errorf("the request is %s, %v", row.Status, err)
	}
	if s, err := g.log.Get(t.Context(), asked.SessionID); err != nil || s.Status != session.StatusWaitingApproval {
		t.Errorf("the session is %s, %v", s.Status, err)
	}
}

func TestAStreamTellsWhoIsForOneAgentNothingOfAnothers(t *testing.T) {
	g := openGate(t)
	m := g.token(t, `{"name":"other","roles":["admin"],"agents":["demo"]}`)
	lines := g.watch(t, m.Secret)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	g.want(t, 200, "POST", "/api/approvals/"+asked.ApprovalID, `{"status":"denied"}`, g.person)
	g.want(t, 200, "POST", "/api/sessions/"+asked.SessionID+"/cancel", "", g.person)
	g.ask(t, "DELETE", "/api/tokens/"+m.Token.ID, "", g.admin(t)) // which ends the stream
	for lines.Scan() {
		if text := lines.Text(); strings.HasPrefix(text, "event: ") || strings.Contains(text, asked.ApprovalID) {
			t.Errorf("it was told %s", text)
		}
	}
}

func TestAStreamsHeaderNamesNoSessionOfAnothersAgent(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	m := g.token(t, `{"name":"other","roles":["viewer"],"agents":["demo"]}`)
	r, err := http.NewRequestWithContext(t.Context(), "GET", g.URL+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+m.Secret)
	r.Header.Set("Last-Event-ID", asked.SessionID+":0")
	response, err := g.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("got %d", response.StatusCode)
	}
}

func TestWhoIsForOneAgentCanNotTellAnothersSessionsFromNone(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	m := g.token(t, `{"name":"other","roles":["operator"],"agents":["demo"]}`)
	for name, c := range map[string][2]string{
		"asking in a session": {`{"agentId":"demo","toolName":"x","sessionId":"` + asked.SessionID + `"}`, `{"agentId":"demo","toolName":"x","sessionId":"none"}`},
	} {
		there, one := g.bearer(t, "POST", "/api/approvals", c[0], m.Secret)
		none, other := g.bearer(t, "POST", "/api/approvals", c[1], m.Secret)
		if there != none || strings.ReplaceAll(one, asked.SessionID, "none") != other {
			t.Errorf("%s: %d %s and %d %s", name, there, one, none, other)
		}
	}
	there, one := g.bearer(t, "POST", "/api/sessions", `{"agentId":"external"}`, m.Secret)
	none, other := g.bearer(t, "POST", "/api/sessions", `{"agentId":"nothing"}`, m.Secret)
	if there != none || strings.ReplaceAll(one, "external", "nothing") != other {
		t.Errorf("starting a session: %d %s and %d %s", there, one, none, other)
	}
}
