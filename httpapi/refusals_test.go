package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

// fitting are bodies that are taken, for routes whose other bodies are refused before
// anything is looked for.
var fitting = map[string]string{
	"PUT /api/agents/{id}/mode":                      `{"mode":"manual","version":0}`,
	"POST /api/sessions/{id}/messages":               `{"text":"hi"}`,
	"POST /api/sessions/{id}/approve":                `{"seen":0}`,
	"POST /api/sessions/{id}/approvals/{toolCallId}": `{"decision":"approve"}`,
	"POST /api/approvals/{id}":                       `{"status":"approved"}`,
	"POST /api/approvals/{id}/result":                `{"text":"done"}`,
	"POST /api/approvals/{id}/extend":                `{"expiresIn":"1m"}`,
	"PATCH /api/tokens/{id}":                         `{"name":"x"}`,
	"PATCH /api/logins/{id}":                         `{"name":"x"}`,
	"POST /api/device-logins/{code}":                 `{"allow":true}`,
	"POST /api/device-logins/collect":                `{"deviceCode":"nothing"}`,
	"POST /api/login":                                `{"token":"nothing"}`,
	"POST /api/login/look":                           `{"token":"nothing"}`,
	"POST /api/login/proof":                          `{"loginId":"nothing","challenge":"x","signature":"x"}`,
}

// TestEveryRouteRefusesAsItIsDescribed brings every route into every refusal that follows
// from its form. That what comes is described is checked with every answer.
func TestEveryRouteRefusesAsItIsDescribed(t *testing.T) {
	t.Parallel()
	g := openGate(t)
	busy := openBusy(t, g)
	often := g.admin(t)
	for range 10 { // until it is too often
		refused(t, busy, "GET", "/healthz", "", often, nil)
		refused(t, busy, "GET", "/api/me", "", often, nil)
	}
	someAgents := begunFor(t, g, auth.Identity{Subject: "some", Roles: []auth.Role{auth.Admin}, Agents: []string{"demo"}})
	for _, r := range g.api.Routes() {
		if r.Hidden {
			continue
		}
		method, pattern, _ := strings.Cut(r.Pattern, " ")
		path := strings.NewReplacer("{id}", "nothing", "{toolCallId}", "nothing", "{code}", "nothing").Replace(pattern)
		body, admin, program := fitting[r.Pattern], g.admin(t), g.loginAs(t, "robot", auth.Agent)
		send := func(d *doors, path, body, cookie string, change func(*http.Request)) {
			refused(t, d, method, path, body, cookie, change)
		}
		send(g.doors, path, body, "", nil)
		send(g.doors, path+"?nonsense=1", body, admin, nil)
		send(g.doors, path, "{", admin, nil)
		large := 70 << 10
		if r.Large {
			large = 2 << 20
		}
		send(g.doors, path, strings.Repeat(" ", large)+"{}", admin, nil)
		send(g.doors, path, body, admin, func(r *http.Request) { r.Host = "elsewhere.example" })
		send(g.doors, path, body, admin, func(r *http.Request) { r.Header.Set("X-Big", strings.Repeat("x", 40<<10)) })
		if method != "GET" {
			send(g.doors, path, body, admin, func(r *http.Request) { r.Header.Set("Origin", "http://elsewhere.example") })
		}
		send(g.doors, path, body, program, nil) // by an agent
		send(busy, path, body, often, nil)
		send(g.doors, path, body, admin, nil)
		send(g.doors, path+"?sessionId=nothing", body, someAgents, nil)
		for _, status := range r.Refusals() {
			elsewhere := status == http.StatusConflict || status == http.StatusGone || status == http.StatusServiceUnavailable ||
				status == http.StatusNotFound && !strings.Contains(pattern, "{") && !strings.Contains(r.Pattern, "collect")
			ofPrograms := r.Pattern == "GET /api/approvals/{id}" || r.Pattern == "GET /api/approvals/{id}/change"
			elsewhere = elsewhere || ofPrograms && status == http.StatusForbidden // another program's
			if !elsewhere && !g.checker.Seen(r.Pattern, status) && !busy.checker.Seen(r.Pattern, status) {
				t.Errorf("%s never answered %d, which is described", r.Pattern, status)
			}
		}
	}
}

// openBusy is the same gateway behind doors that are shut to whoever comes too often.
func openBusy(t *testing.T, g *opened) *doors {
	t.Helper()
	closing, cancel := context.WithCancel(t.Context())
	cancel() // a 429 is delayed until the gateway closes
	d := &doors{Server: httptest.NewUnstartedServer(nil), keyring: g.keyring}
	fence, err := auth.NewOriginCheck("http://" + d.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b := g.api.Backend
	b.Origins, b.Closing, b.Limits = fence, closing, httpapi.Limits{AddressRate: 1e-6, IdentityRate: 1e-6}
	d.Config.Handler = httpapi.New(b).Handler()
	d.start(t)
	return d
}

// begunFor is the cookie of an identity.
func begunFor(t *testing.T, g *opened, who auth.Identity) string {
	t.Helper()
	response, body := g.ask(t, "POST", "/api/login", `{"token":"`+issue(t, g.links, who)+`"}`, "")
	return begun(t, response, body)
}

// refused sends a request whose answer is not read, as a stream has no end.
func refused(t *testing.T, d *doors, method, path, body, cookie string, change func(*http.Request)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", d.URL)
	if cookie != "" {
		withCookie(r, cookie)
	}
	if change != nil {
		change(r)
	}
	response, err := d.Client().Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	_ = response.Body.Close()
}

func TestAWrongMethodIsRefusedAtEveryAddress(t *testing.T) {
	t.Parallel()
	g := openGate(t)
	methods := map[string][]string{}
	for _, r := range g.api.Routes() {
		if method, path, ok := strings.Cut(r.Pattern, " "); ok && path != "/ws" {
			methods[path] = append(methods[path], method)
		}
	}
	for path, has := range methods {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			if slices.Contains(has, method) {
				continue
			}
			response, body := g.ask(t, method, strings.NewReplacer("{", "", "}", "").Replace(path), "", "")
			allowed := strings.Split(response.Header.Get("Allow"), ", ")
			// An address such as /api/approvals/cancel is also that of an approval.
			for _, one := range has {
				if response.StatusCode != http.StatusMethodNotAllowed && response.StatusCode != http.StatusUnauthorized || response.StatusCode == http.StatusMethodNotAllowed && !slices.Contains(allowed, one) {
					t.Errorf("%s %s: %d, allowed %q: %s", method, path, response.StatusCode, allowed, body)
				}
			}
		}
	}
}
