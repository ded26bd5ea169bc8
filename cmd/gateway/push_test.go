package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/notify/webpush/webpushtest"
)

// calling is a gateway that calls browsers at one push service.
const calling = `
gateway: {listen: "127.0.0.1:0", localKey: answers, %s, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models:
  demo: {provider: scripted}
agents:
  demo:
    model: demo
    toolConfirmation: {timeout: none}
    tools: {shell: {approval: {required: true}}}
`

// next is the next message that a browser reads.
func next(t *testing.T, s *webpushtest.Service) string {
	t.Helper()
	select {
	case m := <-s.Messages:
		return m.To + ": " + m.Text
	case <-time.After(patience):
		t.Fatal("no message came")
		return ""
	}
}

// deny denies a request.
func (p *process) deny(approvalID string) {
	p.t.Helper()
	var row standing
	p.post("/api/approvals/"+approvalID, map[string]string{"status": "denied"}, &row)
}

// subscribe has the browser that is logged in called.
func (p *process) subscribe(s *webpushtest.Service, name string) {
	p.t.Helper()
	if !p.sent(http.MethodPost, "/api/push/subscriptions", s.Subscription(name)) {
		p.t.Fatal("the subscription was refused")
	}
}

// sent sends a body to a route that answers nothing.
func (p *process) sent(method, path, body string) bool {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Origin", p.url)
	r.Header.Set("Cookie", p.cookie)
	r.Header.Set("X-Lineclear-Csrf", p.csrf)
	response, err := browser.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusNoContent
}

func TestABrowserIsCalledAlsoOverARestartUntilItsLoginEnds(t *testing.T) {
	t.Parallel()
	s := webpushtest.Open(t)
	trust, yaml, dir := "SSL_CERT_FILE="+s.Certificate(t), fmt.Sprintf(calling, `pushHosts: ["`+s.Host()+`"]`), t.TempDir()
	asked := func(id string, waiting int) string {
		return fmt.Sprintf(`ada: {"approvalId":%q,"waiting":%d}`, id, waiting)
	}
	settled := func(id string, waiting int) string {
		return fmt.Sprintf(`ada: {"approvalId":%q,"settled":true,"waiting":%d}`, id, waiting)
	}
	want := func(want string) {
		t.Helper()
		if got := next(t, s); got != want {
			t.Fatalf("it reads %s, and should read %s", got, want)
		}
	}

	p := launchWith(t, "gateway", dir, yaml, trust)
	p.subscribe(s, "ada")
	ws := p.tab()
	_, first := p.ask(ws, "echo first")
	want(asked(first, 1))
	_, second := p.ask(ws, "echo second")
	want(asked(second, 2))
	p.deny(first)
	want(settled(first, 1))
	if err := p.end(syscall.SIGKILL); err == nil {
		t.Fatal("it was not killed")
	}

	// Another login, of which the browser knows nothing.
	p = launchWith(t, "gateway", dir, yaml, trust)
	_, third := p.ask(p.tab(), "echo third")
	want(asked(third, 2))
	p.deny(second)
	want(settled(second, 1))

	var logins struct {
		Logins []struct {
			ID string `json:"id"`
		} `json:"logins"`
	}
	if err := p.request(http.MethodGet, "/api/logins", struct{}{}, &logins); err != nil || len(logins.Logins) != 2 {
		t.Fatalf("%+v, %v", logins, err)
	}
	for _, login := range logins.Logins {
		if !strings.Contains(p.cookie, login.ID) {
			p.sent(http.MethodDelete, "/api/logins/"+login.ID, "")
		}
	}
	p.subscribe(s, "ben")
	_, fourth := p.ask(p.tab(), "echo fourth")
	if got := next(t, s); got != fmt.Sprintf(`ben: {"approvalId":%q,"waiting":2}`, fourth) {
		t.Errorf("after ada's login was ended: %s", got)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if log := p.stderr.String(); strings.Contains(log, "/push/") || strings.Contains(log, "could not be told") {
		t.Errorf("the log has %s", log)
	}
}

func TestASubscriptionThatHasEndedIsDropped(t *testing.T) {
	t.Parallel()
	s := webpushtest.Open(t)
	p := launchWith(t, "gateway", t.TempDir(), fmt.Sprintf(calling, `pushHosts: ["`+s.Host()+`"]`), "SSL_CERT_FILE="+s.Certificate(t))
	endpoint := func() string {
		var told struct {
			Endpoint string `json:"endpoint"`
		}
		if err := p.request(http.MethodGet, "/api/push", struct{}{}, &told); err != nil {
			t.Fatal(err)
		}
		return told.Endpoint
	}
	p.subscribe(s, "ada")
	if got := endpoint(); got != s.Endpoint("ada") {
		t.Errorf("it is called at %q", got)
	}
	s.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	p.ask(p.tab(), "echo one")
	next(t, s)
	p.until("it is dropped", func() bool { return endpoint() == "" })
}

func TestAGatewayWhosePushIsOffSendsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := webpushtest.Open(t)
	p := launchWith(t, "gateway", dir, fmt.Sprintf(calling, `push: off, pushHosts: ["`+s.Host()+`"]`), "SSL_CERT_FILE="+s.Certificate(t))
	if p.sent(http.MethodPost, "/api/push/subscriptions", s.Subscription("ada")) {
		t.Error("it takes a subscription")
	}
	_, id := p.ask(p.tab(), "echo one")
	p.deny(id)
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if len(s.Messages) > 0 {
		t.Error("it has sent something")
	}
	if _, err := os.Stat(dir + "/data/push.pem"); err == nil {
		t.Error("it has made a key")
	}
}
