package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// siege is a running gateway with a call that waits, and must neither run nor
// be decided, whatever is thrown at it.
type siege struct {
	*process
	host                string
	sessionID, approval string
	proof               string
}

func besiege(t *testing.T) *siege {
	t.Helper()
	dir := t.TempDir()
	s := &siege{process: launch(t, dir), proof: filepath.Join(dir, "ran")}
	s.host = strings.TrimPrefix(s.url, "http://")
	s.sessionID, s.approval = s.ask(s.tab(), "touch "+s.proof)
	return s
}

// stands checks that the call still waits, has not run, and that the gateway
// answers.
func (s *siege) stands(after string) {
	s.t.Helper()
	var row struct {
		Status approval.Status `json:"status"`
	}
	if err := s.request(http.MethodGet, "/api/approvals/"+s.approval, struct{}{}, &row); err != nil || row.Status != approval.Pending {
		s.t.Errorf("after %s the request is %s (%v)", after, row.Status, err)
	}
	if _, err := os.Stat(s.proof); err == nil {
		s.t.Errorf("after %s the call has run", after)
	}
}

// raw sends bytes and returns the status of the answer; 0 where there is none.
func (s *siege) raw(request string) (status int, body string) {
	s.t.Helper()
	c, err := net.Dial("tcp", s.host)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, request) // it may be refused before it is whole
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response.StatusCode, ""
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	return response.StatusCode, string(text)
}

// approve is a request that would approve the call, with the headers given.
func (s *siege) approve(path string, headers ...string) string {
	body := `{"status":"approved"}`
	return fmt.Sprintf("POST %s HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n\r\n%s",
		path, len(body), strings.Join(headers, "\r\n"), body)
}

// login is what a browser of ours would send along: an attacker's page can't,
// but the gateway must not rely on that.
func (s *siege) login() []string {
	return []string{"Cookie: " + s.cookie, "X-Lineclear-Csrf: " + s.csrf}
}

func TestNoOtherPageGetsIn(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	host, own := "Host: "+s.host, "Origin: "+s.url
	port := s.host[strings.LastIndex(s.host, ":"):]
	// The log has the first of them; of as many as follow it has a part.
	_, _ = s.raw(s.approve("/api/approvals/"+s.approval, append(s.login(), host, "Origin: http://evil.example")...))
	s.logged("a request from outside was refused")
	s.logged(`"origin": ["http://evil.example"]`)
	for name, headers := range map[string][]string{
		"no origin":                       {host},
		"an empty origin":                 {host, "Origin: "},
		"the null origin":                 {host, "Origin: null"},
		"another origin":                  {host, "Origin: http://evil.example"},
		"another port":                    {host, "Origin: http://127.0.0.1:1"},
		"another scheme":                  {host, "Origin: https://" + s.host},
		"a subdomain's":                   {host, "Origin: http://a." + s.host},
		"ours as a prefix":                {host, own + ".evil.example"},
		"ours with a path":                {host, own + "/"},
		"ours as its user":                {host, "Origin: http://" + s.host + "@evil.example"},
		"two, ours first":                 {host, own, "Origin: http://evil.example"},
		"two, ours last":                  {host, "Origin: http://evil.example", own},
		"two in one":                      {host, own + ", http://evil.example"},
		"a rebound host":                  {"Host: evil.example" + port, "Origin: http://evil.example" + port},
		"a rebound host, with our origin": {"Host: evil.example" + port, own},
		"a host with a dot at its end":    {"Host: localhost." + port, "Origin: http://localhost." + port},
		"two hosts":                       {host, "Host: evil.example", own},
		"no host":                         {own},
		"a forwarded host":                {"Host: evil.example", "X-Forwarded-Host: " + s.host, own},
	} {
		status, _ := s.raw(s.approve("/api/approvals/"+s.approval, append(headers, s.login()...)...))
		if status != 403 && status != 421 && status != 400 {
			t.Errorf("%s: %d", name, status)
		}
		var ticket struct {
			Ticket string `json:"ticket"`
		}
		s.post("/api/ws-ticket", struct{}{}, &ticket)
		upgrade := append(append([]string{}, headers...), "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: lineclear.v1, ticket."+ticket.Ticket)
		if status, _ := s.raw("GET /ws HTTP/1.1\r\n" + strings.Join(upgrade, "\r\n") + "\r\n\r\n"); status != 403 && status != 421 && status != 400 {
			t.Errorf("a WebSocket with %s: %d", name, status)
		}
	}
	s.stands("requests of other pages")
	// The same request from our own page is taken: it was the headers that kept the others out.
	if status, body := s.raw(s.approve("/api/approvals/"+s.approval, append(s.login(), host, own)...)); status != http.StatusOK {
		t.Errorf("our own page: %d %s", status, body)
	}
}

func TestNoFormOfAnotherSiteChangesAnything(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	for name, headers := range map[string][]string{
		"a form":                  {"Content-Type: application/x-www-form-urlencoded"},
		"a form of plain text":    {"Content-Type: text/plain"},
		"a form with files":       {"Content-Type: multipart/form-data; boundary=x"},
		"a form that claims JSON": nil,
	} {
		headers = append(headers, "Host: "+s.host, "Cookie: "+s.cookie)
		for _, origin := range []string{"Origin: null", "Origin: http://evil.example", "Origin: " + s.url} {
			// Without what only our own pages know; the last is a hole in the Origin check.
			if status, _ := s.raw(s.approve("/api/approvals/"+s.approval, append(headers, origin)...)); status != 403 && status != 401 {
				t.Errorf("%s with %s: %d", name, origin, status)
			}
		}
	}
	s.stands("forms")
}

func TestNoPathLeadsAroundTheDoors(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	headers := []string{"Host: " + s.host, "Origin: " + s.url} // and no login
	at := "/api/approvals/" + s.approval
	for _, path := range []string{
		at, "/" + at, "/." + at, "/x/.." + at, "/%2e%2e" + at, at + "/", at + "/.", at + "/../" + s.approval,
		strings.ToUpper(at), "/API/approvals/" + s.approval, "/api//approvals/" + s.approval, "/api%2fapprovals%2f" + s.approval,
		"/assets/.." + at, "/assets/..%2f" + strings.TrimPrefix(at, "/"), at + ";x=1", at + "%00", at + "%20", at + "?x=1", at + "#x",
		"http://evil.example" + at, "http://" + s.host + at, "//evil.example" + at, "/ws/.." + at, "/healthz/.." + at, "/api/login/.." + at,
	} {
		status, body := s.raw(s.approve(path, headers...))
		if status < 300 && !strings.Contains(body, "<!doctype html>") && status != 0 {
			t.Errorf("%s: %d %s", path, status, body)
		}
		status, body = s.raw("GET " + path + " HTTP/1.1\r\nConnection: close\r\nHost: " + s.host + "\r\n\r\n")
		if strings.Contains(body, "argsDigest") {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	for _, line := range []string{"POST " + at + " HTTP/1.0", "POST " + at + " HTTP/0.9", "PRI * HTTP/2.0", "CONNECT " + s.host + " HTTP/1.1", "TRACE " + at + " HTTP/1.1"} {
		if status, body := s.raw(line + "\r\nHost: " + s.host + "\r\nOrigin: " + s.url + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); status/100 == 2 && !strings.Contains(body, "<!doctype html>") {
			t.Errorf("%s: %d %s", line, status, body)
		}
	}
	s.stands("paths")
}

func TestNothingThatAClientSaysOfItselfMakesItMore(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	viewer, err := s.member("viewer")
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]string{
		"a role in a header":      s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+viewer, "X-Role: admin", "X-Lineclear-Role: admin", "X-Forwarded-User: owner"),
		"a role in the query":     s.approve("/api/approvals/"+s.approval+"?role=admin", "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+viewer),
		"two authorisations":      s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+viewer, "Authorization: Bearer "+viewer),
		"a cookie beside a token": s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+viewer, "Cookie: "+s.cookie, "X-Lineclear-Csrf: "+s.csrf),
		"basic authorisation":     s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Basic b3duZXI6b3duZXI="),
		"another method":          strings.Replace(s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+viewer, "X-HTTP-Method-Override: POST"), "POST", "PUT", 1),
	} {
		if status, body := s.raw(try); status/100 == 2 {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, body := range []string{
		`{"token":"%s","roles":["admin"]}`, `{"token":"%s","role":"admin"}`, `{"token":"%s","identity":{"subject":"owner","roles":["admin"]}}`, `{"token":"%s","token":"%[1]s"}`, `{"Token":"%s"}`,
	} {
		sent := fmt.Sprintf(body, viewer)
		status, text := s.raw(fmt.Sprintf("POST /api/login HTTP/1.1\r\nConnection: close\r\nHost: %s\r\nOrigin: %s\r\nContent-Length: %d\r\n\r\n%s", s.host, s.url, len(sent), sent))
		if status/100 == 2 || strings.Contains(text, "admin\"") {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	s.stands("claims")
}

// member makes a token with one role.
func (p *process) member(role string) (secret string, err error) {
	var made struct {
		Token  auth.Credential `json:"token"`
		Secret string          `json:"secret"`
	}
	err = p.request(http.MethodPost, "/api/tokens", map[string]any{"name": role, "roles": []string{role}}, &made)
	return made.Secret, err
}

func TestATicketOpensOneWebSocketForWhoGotIt(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	var ticket struct {
		Ticket string `json:"ticket"`
	}
	s.post("/api/ws-ticket", struct{}{}, &ticket)
	dial := func(protocols ...string) int {
		dialer := websocket.Dialer{Subprotocols: protocols}
		ws, response, err := dialer.Dial("ws://"+s.host+"/ws", http.Header{"Origin": {s.url}})
		if err == nil {
			_ = ws.Close()
		}
		return response.StatusCode
	}
	if got := dial("lineclear.v1", "ticket."+ticket.Ticket); got != http.StatusSwitchingProtocols {
		t.Fatalf("the first time: %d", got)
	}
	for name, protocols := range map[string][]string{
		"again":                  {"lineclear.v1", "ticket." + ticket.Ticket},
		"none":                   {"lineclear.v1"},
		"an empty one":           {"lineclear.v1", "ticket."},
		"the cookie":             {"lineclear.v1", "ticket." + strings.SplitN(s.cookie, "=", 2)[1]},
		"the ticket alone":       {"ticket." + ticket.Ticket},
		"another protocol":       {"lineclear.v2", "ticket." + ticket.Ticket},
		"the ticket as protocol": {ticket.Ticket},
	} {
		if got := dial(protocols...); got == http.StatusSwitchingProtocols {
			t.Errorf("%s: it was opened", name)
		}
	}
	if got := func() int {
		dialer := websocket.Dialer{Subprotocols: []string{"lineclear.v1"}}
		ws, response, err := dialer.Dial("ws://"+s.host+"/ws?ticket="+ticket.Ticket, http.Header{"Origin": {s.url}, "Cookie": {s.cookie}})
		if err == nil {
			_ = ws.Close()
		}
		return response.StatusCode
	}(); got == http.StatusSwitchingProtocols {
		t.Error("by a cookie, or a ticket in the address, it was opened")
	}
	s.stands("tickets")
}

func TestRevokingATokenOfARunningGatewayPutsItsBearerOut(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	secret, err := s.member("approver")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tokens []auth.Credential `json:"tokens"`
	}
	if err := s.request(http.MethodGet, "/api/tokens", struct{}{}, &list); err != nil || len(list.Tokens) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	stream, err := http.DefaultClient.Do(r)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", stream, err)
	}
	defer func() { _ = stream.Body.Close() }()
	var gone auth.Credential
	if err := s.request(http.MethodDelete, "/api/tokens/"+list.Tokens[0].ID, struct{}{}, &gone); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(stream.Body); err != nil { // it ends
		t.Errorf("the stream: %v", err)
	}
	if status, _ := s.raw(s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+secret)); status != http.StatusUnauthorized {
		t.Errorf("an answer: %d", status)
	}
	s.stands("the revocation")
	s.expires(t)
	if log := s.stderr.String(); strings.Contains(log, secret) || strings.Contains(log, strings.SplitN(s.cookie, "=", 2)[1]) {
		t.Error("a secret is in the log")
	}
}

// expires checks that a token ends by itself, with what came in by it.
func (s *siege) expires(t *testing.T) {
	t.Helper()
	var made struct {
		Token  auth.Credential `json:"token"`
		Secret string          `json:"secret"`
	}
	brief := map[string]any{"name": "brief", "roles": []string{"approver"}, "expiresAt": time.Now().Add(time.Second)}
	s.post("/api/tokens", brief, &made)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+made.Secret)
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	if _, err := io.ReadAll(stream.Body); err != nil { // until its time is over
		t.Errorf("the stream of a token that ends: %v", err)
	}
	answer := s.approve("/api/approvals/"+s.approval, "Host: "+s.host, "Origin: "+s.url, "Authorization: Bearer "+made.Secret)
	if status, _ := s.raw(answer); status != http.StatusUnauthorized {
		t.Errorf("an answer after its end: %d", status)
	}
	s.stands("the end of a token")
}
