package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/httpapi"
)

// tally is a meter that writes down what it is told.
type tally struct {
	mu   sync.Mutex
	told []string
}

func (m *tally) Served(route, method string, code int) {
	m.add(fmt.Sprint(method, " ", route, " ", code))
}
func (m *tally) Refused(why string) { m.add("refused: " + why) }

func (m *tally) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = append(m.told, text)
}

func (m *tally) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	told := m.told
	m.told = nil
	return told
}

// watched are doors whose log and counts can be read. They are asked without a
// network, from an address that a test chooses.
type watched struct {
	t       *testing.T
	handler http.Handler
	meter   *tally
	log     *observer.ObservedLogs
	token   string
	scoped  string
	links   *auth.OneTime
	backend httpapi.Backend
}

func watch(t *testing.T, change func(*httpapi.Backend)) *watched {
	t.Helper()
	core, log := observer.New(zapcore.DebugLevel)
	fence, err := auth.NewOriginCheck("http://gate.test")
	if err != nil {
		t.Fatal(err)
	}
	keys := keyring(t, &auth.Memory{})
	w := &watched{t: t, meter: &tally{}, log: log, links: auth.NewOneTime(auth.LinkSecret, time.Hour)}
	w.token = keys.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}})
	plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	w.backend = httpapi.Backend{
		Door:    door.New(door.Backend{Agents: house{}, Sessions: house{}, Approvals: memory{}}, approval.ViaREST),
		Suggest: suggest, Explain: explain, SuggestFor: suggestFor, Tried: allowable, Rules: rules, Keyring: keys,
		Closing: t.Context(), Links: w.links, LinkFor: time.Hour, Tickets: auth.NewOneTime(auth.TicketSecret, time.Minute), TicketFor: time.Minute, Origins: fence,
		Limits:    httpapi.Limits{FailureRate: 1000, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.2/32")}},
		WebSocket: plain, Dashboard: plain, Logger: zap.New(core), Meter: w.meter,
	}
	if change != nil {
		change(&w.backend)
	}
	w.handler = httpapi.New(w.backend).Handler()
	return w
}

func (w *watched) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, "http://gate.test"+path, strings.NewReader(body))
	r.RemoteAddr = "10.0.0.2:1"
	r.Header.Set("Origin", "http://gate.test")
	for i := 0; i < len(headers); i += 2 {
		switch headers[i] {
		case "Host":
			r.Host = headers[i+1]
		case "from":
			r.RemoteAddr = headers[i+1]
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

func TestEveryRequestIsCountedByItsRouteAndWhyItWasRefused(t *testing.T) {
	t.Parallel()
	w := watch(t, nil)
	bearer := "Bearer " + w.token
	for _, c := range []struct {
		method, path, body string
		headers            []string
		want               []string
	}{
		{"GET", "/api/me", "", []string{"Authorization", bearer}, []string{"GET /api/me 200"}},
		{"GET", "/api/sessions/s", "", []string{"Authorization", bearer}, []string{"GET /api/sessions/{id} 200"}},
		{"GET", "/api/sessions/nothing", "", []string{"Authorization", bearer}, []string{"GET /api/sessions/{id} 404"}},
		{"GET", "/api/me", "", nil, []string{"GET /api/me 401", "refused: login"}},
		{"POST", "/api/login", `{"token":"x"}`, nil, []string{"POST /api/login 401", "refused: login"}},
		{"GET", "/api/me", "", []string{"Host", "evil.test"}, []string{"GET  421", "refused: host"}},
		{"POST", "/api/login", "{}", []string{"Origin", "http://evil.test"}, []string{"POST  403", "refused: origin"}},
		{"GET", "/api/what", "", nil, []string{"GET /api/ 404"}},
		{"GET", "/ws", "", nil, []string{"GET /ws 429", "refused: connections"}},
		{"GET", "/some/page", "", nil, []string{"GET / 429", "refused: rate"}},
		{"GET", "/healthz", "", nil, []string{"GET /healthz 200"}},
	} {
		w.ask(c.method, c.path, c.body, c.headers...)
		if diff := cmp.Diff(c.want, w.meter.take()); diff != "" {
			t.Errorf("%s %s %q (-want +got):\n%s", c.method, c.path, c.headers, diff)
		}
	}
}

func TestARoleThatDoesNotDoAndTooManyRequestsAreToldApart(t *testing.T) {
	t.Parallel()
	w := watch(t, func(b *httpapi.Backend) { b.Limits.AddressRate = 0.2 })
	viewer := w.backend.Keyring.Local(auth.Identity{Subject: "v", Roles: []auth.Role{auth.Viewer}})
	w.ask("GET", "/api/tokens", "", "Authorization", "Bearer "+viewer)
	w.ask("GET", "/api/tokens", "")
	w.ask("GET", "/api/tokens", "")
	want := []string{"GET /api/tokens 403", "refused: role", "GET /api/tokens 401", "refused: login", "GET /api/tokens 429", "refused: rate"}
	if diff := cmp.Diff(want, w.meter.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARequestHasOneIdInItsAnswerAndInEveryLineOfTheLogAboutIt(t *testing.T) {
	w := watch(t, nil)
	for name, c := range map[string]struct {
		from, given string
		kept        bool
	}{
		"of a trusted proxy":            {"10.0.0.2:1", "abc-DEF_1.23456", true},
		"of somebody else":              {"10.0.0.3:1", "abc-DEF_1.23456", false},
		"that would write into the log": {"10.0.0.2:1", "abcdefgh\nWARN", false},
		"that is long":                  {"10.0.0.2:1", strings.Repeat("x", 65), false},
		"that is short":                 {"10.0.0.2:1", "x", false},
		"none":                          {"10.0.0.2:1", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := w.ask("GET", "/api/me", "", "from", c.from, "X-Request-Id", c.given)
			id := answer.Header().Get("X-Request-Id")
			if (id == c.given) != c.kept || len(id) < 8 {
				t.Errorf("it is %q", id)
			}
			lines := w.log.TakeAll()
			if len(lines) != 2 { // refused, and answered
				t.Errorf("there are %d lines", len(lines))
			}
			for _, line := range lines {
				if got := line.ContextMap()["requestId"]; got != id {
					t.Errorf("%q has the id %v, want %s", line.Message, got, id)
				}
			}
		})
	}
	// As when the store can't be read.
	w = watch(t, func(b *httpapi.Backend) {
		b.Door = door.New(door.Backend{Agents: house{}, Sessions: house{broken: errors.New("disk I/O error")}, Approvals: memory{}}, approval.ViaREST)
	})
	id := w.ask("GET", "/api/sessions", "", "Authorization", "Bearer "+w.token).Header().Get("X-Request-Id")
	failed := w.log.FilterMessage("a request could not be served").TakeAll()
	if len(failed) != 1 || failed[0].ContextMap()["requestId"] != id {
		t.Errorf("logged are %v, want one with %s", failed, id)
	}
}

func TestTheGatewayIsReadyWhileItsPartsAre(t *testing.T) {
	var asked atomic.Int64
	broken := map[string]error{}
	check := func(name string) httpapi.Check {
		return httpapi.Check{Name: name, Do: func(context.Context) error {
			asked.Add(1)
			return broken[name]
		}}
	}
	closing, stop := context.WithCancel(t.Context())
	opened := func() *watched {
		return watch(t, func(b *httpapi.Backend) {
			b.Closing, b.Checks = closing, []httpapi.Check{check("store"), check("websockets")}
		})
	}
	w := opened()
	for range 20 {
		if got := w.ask("GET", "/readyz", ""); got.Code != http.StatusOK || got.Body.String() != `{"status":"ready"}` {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}
	if n := asked.Load(); n > 20 {
		t.Errorf("the parts were asked %d times for 20 questions within a moment", n)
	}
	broken["store"] = errors.New("/srv/data/lineclear.db: disk full")
	w = opened()
	got := w.ask("GET", "/readyz", "")
	want := `{"title":"Service Unavailable","status":503,"code":"unavailable","detail":"not ready: store","notReady":["store"]}`
	if got.Code != http.StatusServiceUnavailable || got.Body.String() != want || got.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if lines := w.log.FilterMessage("the gateway is not ready").All(); len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0].ContextMap()), "disk full") {
		t.Errorf("the log has %v", lines)
	}
	stop()
	if got := w.ask("GET", "/readyz", ""); got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), `"notReady":["stopping"]`) {
		t.Errorf("while it stops: %d %s", got.Code, got.Body)
	}
	if got := w.ask("GET", "/healthz", ""); got.Code != http.StatusOK {
		t.Errorf("it lives: %d", got.Code)
	}
}

func TestWhoAsksAndGoesAwayHasNobodyToldThatSomethingIsMissing(t *testing.T) {
	w := watch(t, func(b *httpapi.Backend) {
		b.Checks = []httpapi.Check{{Name: "store", Do: func(ctx context.Context) error { return ctx.Err() }}}
	})
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequest("GET", "http://gate.test/readyz", nil).WithContext(gone)
	w.handler.ServeHTTP(httptest.NewRecorder(), r)
	if got := w.ask("GET", "/readyz", ""); got.Code != http.StatusOK {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

func TestMetricsAreForWhoMaySeeEverything(t *testing.T) {
	counts := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("lineclear_pending 3\n")) })
	w := watch(t, func(b *httpapi.Backend) { b.Metrics = counts })
	for name, c := range map[string]struct {
		who  auth.Identity
		want int
	}{
		"a viewer":                    {auth.Identity{Roles: []auth.Role{auth.Viewer}}, http.StatusOK},
		"an agent":                    {auth.Identity{Roles: []auth.Role{auth.Agent}}, http.StatusForbidden},
		"a viewer of one agent alone": {auth.Identity{Roles: []auth.Role{auth.Viewer}, Agents: []string{"demo"}}, http.StatusForbidden},
	} {
		_, secret, err := w.backend.Keyring.NewToken(t.Context(), auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}},
			auth.Access{Name: name, Roles: c.who.Roles, Agents: c.who.Agents})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.ask("GET", "/metrics", "", "Authorization", "Bearer "+secret); got.Code != c.want {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
	if got := w.ask("GET", "/metrics", ""); got.Code != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", got.Code)
	}
	without := watch(t, func(b *httpapi.Backend) { b.Meter = nil })
	if got := without.ask("GET", "/metrics", "", "Authorization", "Bearer "+without.token); got.Code != http.StatusNotFound {
		t.Errorf("where nothing is counted: %d", got.Code)
	}
}

func TestNoSecretStandsInTheLog(t *testing.T) {
	t.Parallel()
	w := watch(t, nil)
	link := issue(t, w.links, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Admin}})
	secrets := []string{link, w.token, "guessed-secret", "lineclear_login=guessed-cookie", "in-the-query"}
	login := w.ask("POST", "/api/login", `{"token":"`+link+`"}`)
	for _, c := range login.Result().Cookies() {
		secrets = append(secrets, c.Value)
	}
	ticket := w.ask("POST", "/api/ws-ticket", "", "Authorization", "Bearer "+w.token)
	secrets = append(secrets, field(t, ticket.Body.String(), "ticket"))
	made := w.ask("POST", "/api/tokens", `{"name":"ci","roles":["viewer"]}`, "Authorization", "Bearer "+w.token)
	secrets = append(secrets, field(t, made.Body.String(), "secret"))
	w.ask("POST", "/api/login", `{"token":"guessed-secret"}`)
	w.ask("GET", "/api/me?token=in-the-query", "", "Authorization", "Bearer guessed-secret")
	w.ask("GET", "/api/me", "", "Cookie", "lineclear_login=guessed-cookie")
	w.ask("GET", "/ws?ticket=in-the-query", "", "Sec-WebSocket-Protocol", "lineclear.v1, ticket."+secrets[len(secrets)-2])
	w.ask("GET", "/api/me?x=in-the-query", "", "Host", "evil.test")
	if len(secrets) != 8 || slices.Contains(secrets, "") {
		t.Fatalf("the secrets are %q", secrets)
	}
	for _, line := range w.log.All() {
		text := fmt.Sprint(line.Message, line.ContextMap())
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s\nhas %s", text, secret)
			}
		}
	}
	if w.log.Len() < 10 {
		t.Errorf("only %d lines were written", w.log.Len())
	}
}

// field is a text of a JSON object.
func field(t *testing.T, body, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(body, `"`+name+`":"`)
	value, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed {
		t.Fatalf("%s has no %s", body, name)
	}
	return value
}
