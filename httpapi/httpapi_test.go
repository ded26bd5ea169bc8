package httpapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/httpapi/apitest"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// keyring is one over store.
func keyring(t testing.TB, store auth.CredentialStore) *auth.Keyring {
	t.Helper()
	k, err := auth.OpenKeyring(t.Context(), store, 0)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// house is the agents and sessions behind the doors.
type house struct{ broken error }

func (house) Agents() []agent.Info {
	return []agent.Info{{AgentID: "demo", Kind: session.KindAgent, Mode: approval.AutoDeny, ModeVersion: 3}}
}

func (h house) NewSession(_ context.Context, who auth.Identity, agentID, title string) (session.Session, error) {
	if h.broken != nil {
		return session.Session{}, h.broken
	}
	if agentID != "demo" {
		return session.Session{}, session.ErrNoAgent
	}
	return session.Session{ID: "s", AgentID: agentID, Title: title, CreatedBy: who.Subject, Kind: session.KindAgent, Status: session.StatusIdle}, nil
}

func (h house) Get(_ context.Context, id string) (session.Session, error) {
	if id != "s" {
		return session.Session{}, session.ErrUnknown
	}
	return session.Session{ID: id, Kind: session.KindAgent, Status: session.StatusIdle}, nil
}

func (h house) Head(ctx context.Context, id string) (session.Session, error) { return h.Get(ctx, id) }

func (h house) External(ctx context.Context, _ auth.Identity, _, _ string, _ *session.Run) (session.Session, error) {
	return h.Get(ctx, "s")
}

func (house) EndRun(context.Context, auth.Identity, string) error { return nil }

func (house) Prompt(context.Context, string, []session.Event) (model.Prompt, error) {
	return model.Prompt{}, nil
}

func (h house) Send(context.Context, auth.Identity, string, string) (int64, error) {
	return 0, h.broken
}

func (h house) Interrupt(ctx context.Context, _ auth.Identity, _ approval.Via, id string) (<-chan struct{}, error) {
	over := make(chan struct{})
	close(over)
	_, err := h.Get(ctx, id)
	return over, err
}

func (h house) Events(ctx context.Context, id string, after int64, limit int) ([]session.Event, error) {
	events := []session.Event{}
	for seq := after + 1; seq <= 3; seq++ {
		events = append(events, session.Event{SessionID: id, Seq: seq, Type: session.TypeUserMessage, Data: tool.JSON("{}")})
	}
	_, err := h.Get(ctx, id)
	return events, err
}

func (h house) End(ctx context.Context, _ auth.Identity, via approval.Via, id string) error {
	if via != "rest" {
		return errors.New("by which door?")
	}
	_, err := h.Get(ctx, id)
	return err
}

func (h house) List(context.Context, session.Query) ([]session.Session, error) {
	return []session.Session{}, h.broken
}

type doors struct {
	*httptest.Server
	links   *auth.OneTime
	keyring *auth.Keyring
	token   string // of a program on the same machine, an admin
	api     *httpapi.Server
	checker *apitest.Checker
	used    int
}

func open(t *testing.T, h house) *doors {
	t.Helper()
	return openOn(t, h, memory{})
}

func openOn(t *testing.T, h house, approvals door.Approvals) *doors {
	t.Helper()
	d := &doors{Server: httptest.NewUnstartedServer(nil), links: auth.NewOneTime(auth.LinkSecret, time.Hour)}
	fence, err := auth.NewOriginCheck("http://" + d.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	plain := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) })
	keys := keyring(t, &auth.Memory{})
	d.keyring, d.token = keys, keys.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}})
	d.Config.Handler = httpapi.New(httpapi.Backend{
		Door:    door.New(door.Backend{Agents: h, Sessions: h, Approvals: approvals}, approval.ViaREST),
		Suggest: suggest, Explain: explain, SuggestFor: suggestFor, Tried: allowable, Rules: rules, Keyring: keys, Closing: t.Context(), Links: d.links, LinkFor: time.Hour, LinkOwner: "ada",
		Tickets: auth.NewOneTime(auth.TicketSecret, time.Minute), TicketFor: time.Minute, Origins: fence, Limits: httpapi.Limits{FailureRate: 1000},
		WebSocket: plain, Dashboard: plain, LinkUsed: func() { d.used++ },
	}).Handler()
	d.start(t)
	return d
}

// start serves, and holds every answer against the description of the API.
func (d *doors) start(t testing.TB) {
	t.Helper()
	d.Start()
	t.Cleanup(d.Close)
	raw, err := (&httpapi.Server{Backend: httpapi.Backend{Frames: frames()}}).OpenAPI().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if d.checker, err = apitest.New(raw); err != nil {
		t.Fatal(err)
	}
	d.Client().Transport = d.checker.Transport(d.Client().Transport)
	t.Cleanup(func() {
		for _, misfit := range d.checker.Misfits() {
			t.Error(misfit)
		}
	})
}

// ask sends a request as our own page would, and returns status and body.
func (d *doors) ask(t testing.TB, method, path, body, cookie string) (*http.Response, string) {
	t.Helper()
	return d.askWith(t, method, path, body, cookie, http.Header{})
}

func (d *doors) askWith(t testing.TB, method, path, body, cookie string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	r.Header.Set("Origin", d.URL)
	if cookie != "" {
		withCookie(r, cookie)
	}
	response, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(raw)
}

// withCookie sends a login as our own pages do: with its second proof.
func withCookie(r *http.Request, cookie string) {
	r.Header.Set("Cookie", cookie)
	proof, _ := proofs.Load(cookie)
	text, _ := proof.(string)
	r.Header.Set("X-Lineclear-Csrf", text)
}

// proofs are the second proofs of the logins, by their cookies.
var proofs sync.Map

// begun is the cookie that a login was answered with.
func begun(t testing.TB, response *http.Response, body string) string {
	t.Helper()
	var told struct {
		CSRF string `json:"csrf"`
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil || told.CSRF == "" || response.StatusCode != http.StatusOK {
		t.Fatalf("login: %s, %v", body, err)
	}
	c := response.Cookies()[0]
	cookie := c.Name + "=" + c.Value
	proofs.Store(cookie, told.CSRF)
	return cookie
}

// login returns the cookie of an identity with the roles.
func (d *doors) login(t testing.TB, roles ...auth.Role) string {
	t.Helper()
	return d.loginAs(t, "ada", roles...)
}

func (d *doors) loginAs(t testing.TB, subject string, roles ...auth.Role) string {
	t.Helper()
	token := issue(t, d.links, auth.Identity{Subject: subject, Roles: roles})
	response, body := d.ask(t, "POST", "/api/login", `{"token":"`+token+`"}`, "")
	return begun(t, response, body)
}

func TestALinkLogsInOnceAndItsCookieIsOutOfReachOfScripts(t *testing.T) {
	d := open(t, house{})
	token := issue(t, d.links, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}})
	response, body := d.ask(t, "POST", "/api/login", `{"token":"`+token+`"}`, "")
	if response.StatusCode != http.StatusOK || !strings.Contains(body, `"subject":"ada"`) || strings.Contains(body, token) {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	first, told := response, body
	c := response.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Expires.Before(time.Now()) {
		t.Errorf("the cookie is %+v", c)
	}
	if response, body = d.ask(t, "POST", "/api/login", `{"token":"`+token+`"}`, ""); response.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "fresh link") {
		t.Errorf("again: %d %s", response.StatusCode, body)
	}
	cookie := begun(t, first, told)
	if _, body = d.ask(t, "GET", "/api/me", "", cookie); body != `{"identity":{"subject":"ada","roles":["approver"]}}` {
		t.Errorf("me: %s", body)
	}
	d.ask(t, "POST", "/api/logout", "", cookie)
	if response, _ = d.ask(t, "GET", "/api/me", "", cookie); response.StatusCode != http.StatusUnauthorized || d.used != 1 {
		t.Errorf("after the logout: %d; links used: %d", response.StatusCode, d.used)
	}
}

// Every route that is not on the list of the open ones refuses whoever has not
// logged in, and whoever lacks its right.
func TestEveryRouteStatesItsRightAndHoldsToIt(t *testing.T) {
	d := open(t, house{})
	openRoutes := map[string]bool{
		"POST /api/device-logins": true, "POST /api/device-logins/collect": true,
		"POST /api/login": true, "POST /api/login/look": true, "GET /api/login/challenge": true, "POST /api/login/proof": true,
		"GET /healthz": true, "GET /ws": true, "/": true, "/api/": true,
		"GET /openapi.json": true, "GET /asyncapi.json": true, "GET /docs": true, "GET /readyz": true,
	}
	agentCookie := d.login(t, auth.Agent)
	seen := 0
	for _, route := range httpapi.New(httpapi.Backend{}).Routes() {
		if openRoutes[route.Pattern] {
			seen++
			continue
		}
		if route.Right <= 0 {
			t.Errorf("%s states no right", route.Pattern)
		}
		method, path, _ := strings.Cut(route.Pattern, " ")
		if response, _ := d.ask(t, method, path, "{}", ""); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a login: %d", route.Pattern, response.StatusCode)
		}
		if response, _ := d.ask(t, method, path, "{}", "lineclear_login=x"); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s with an invented cookie: %d", route.Pattern, response.StatusCode)
		}
		if route.Right == auth.Ask || route.Or == auth.Ask {
			continue // which is all that an agent may
		}
		if response, _ := d.ask(t, method, path, "{}", agentCookie); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s as an agent: %d", route.Pattern, response.StatusCode)
		}
	}
	if seen != len(openRoutes) {
		t.Errorf("%d of %d open routes are there", seen, len(openRoutes))
	}
}

func TestASessionIsStartedByWhoMayTalk(t *testing.T) {
	d := open(t, house{})
	operator, viewer := d.login(t, auth.Operator), d.login(t, auth.Viewer)
	for name, c := range map[string]struct {
		cookie, body string
		want         int
		says         string
	}{
		"an operator":      {operator, `{"agentId":"demo","title":"Disk"}`, 201, `"createdBy":"ada"`},
		"a viewer":         {viewer, `{"agentId":"demo"}`, 403, "role"},
		"an unknown agent": {operator, `{"agentId":"x"}`, 404, "agent"},
		"no agent":         {operator, `{}`, 422, "agentId: missing"},
		"an unknown name":  {operator, `{"agentId":"demo","titel":"x"}`, 400, "titel: unknown name"},
		"a duplicate name": {operator, `{"agentId":"demo","agentId":"x"}`, 400, "agentId: given twice"},
		"no JSON":          {operator, `agent=demo`, 400, "not valid JSON"},
		"too much":         {operator, `{"title":"` + strings.Repeat("x", 70<<10) + `"}`, 413, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := d.ask(t, "POST", "/api/sessions", c.body, c.cookie)
			if response.StatusCode != c.want || !strings.Contains(body, c.says) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
			if c.want >= 400 && response.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("the error is %s", response.Header.Get("Content-Type"))
			}
		})
	}
}

func TestAStoreThatFailsIsToldInGeneralWords(t *testing.T) {
	d := open(t, house{broken: errors.New("open /secret/path: no space left on device")})
	response, body := d.ask(t, "GET", "/api/sessions", "", d.login(t, auth.Viewer))
	if response.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, "secret") || !strings.Contains(body, "try again") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

func TestOneSessionIsReadByItsId(t *testing.T) {
	d := open(t, house{})
	viewer := d.login(t, auth.Viewer)
	for path, want := range map[string]int{"/api/sessions/s": 200, "/api/sessions/x": 404} {
		if response, body := d.ask(t, "GET", path, "", viewer); response.StatusCode != want {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
		if response, body := d.ask(t, "POST", path+"/cancel", "", d.login(t, auth.Operator)); response.StatusCode != want {
			t.Errorf("cancel %s: %d %s", path, response.StatusCode, body)
		}
	}
}

func TestATicketIsFreshEachTime(t *testing.T) {
	d := open(t, house{})
	cookie := d.login(t, auth.Viewer)
	var tickets [2]struct {
		Ticket    string    `json:"ticket"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	for i := range tickets {
		if _, body := d.ask(t, "POST", "/api/ws-ticket", "", cookie); json.Unmarshal([]byte(body), &tickets[i]) != nil {
			t.Fatal(body)
		}
	}
	if tickets[0].Ticket == tickets[1].Ticket || len(tickets[0].Ticket) < 40 || tickets[0].ExpiresAt.IsZero() {
		t.Errorf("the tickets are %+v", tickets)
	}
}

func TestWhatIsNotThereIsSaidSoAndEverythingElseIsTheDashboard(t *testing.T) {
	d := open(t, house{})
	if response, body := d.ask(t, "GET", "/api/nothing", "", ""); response.StatusCode != 404 || !strings.Contains(body, "/api/nothing") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	response, body := d.ask(t, "GET", "/sessions/x", "", "")
	if response.StatusCode != 200 || body != "page /sessions/x" || response.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

// failing is a credential store on a full disk.
type failing struct{ auth.Memory }

func (*failing) SaveCredentials(context.Context, auth.Version, string, ...auth.Credential) (auth.Version, error) {
	return auth.Version{}, errors.New("no space left")
}

func TestALoginThatFailsLocksNobodyOut(t *testing.T) {
	fence, err := auth.NewOriginCheck("http://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	links, used := auth.NewOneTime(auth.LinkSecret, time.Hour), 0
	handler := httpapi.New(httpapi.Backend{
		Keyring: keyring(t, &failing{}), Links: links, Origins: fence, LinkOwner: "ada", LinkUsed: func() { used++ },
	}).Handler()
	body := strings.NewReader(`{"token":"` + issue(t, links, auth.Identity{Subject: "ada"}) + `"}`)
	r := httptest.NewRequest(http.MethodPost, "http://gate.example/api/login", body)
	r.Header.Set("Origin", "http://gate.example")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || used != 1 {
		t.Errorf("got %d, %d fresh links were printed", w.Code, used)
	}
}
