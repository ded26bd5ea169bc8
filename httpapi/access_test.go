package httpapi_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

// admin is a cookie of somebody who may do everything.
func (g *opened) admin(t *testing.T) string { return g.loginAs(t, "root", auth.Admin) }

// bearer sends a request as a program does.
func (d *doors) bearer(t *testing.T, method, path, body, secret string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", d.URL)
	r.Header.Set("Authorization", "Bearer "+secret)
	response, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var b strings.Builder
	_, _ = bufio.NewReader(response.Body).WriteTo(&b)
	return response.StatusCode, b.String()
}

// watch opens the stream and reads its snapshot.
func (d *doors) watch(t *testing.T, secret string) *bufio.Scanner {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", d.URL+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	stream, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Body.Close() })
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() && lines.Text() != "event: snapshot" {
	}
	return lines
}

type made struct {
	Token  auth.Credential `json:"token"`
	Secret string          `json:"secret"`
}

func (g *opened) token(t *testing.T, body string) made {
	t.Helper()
	response, text := g.ask(t, "POST", "/api/tokens", body, g.admin(t))
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", response.StatusCode, text)
	}
	var m made
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestATokenIsShownOnceWorksAsWhatItIsAndEndsAtOnce(t *testing.T) {
	g := openGate(t)
	admin := g.admin(t)
	m := g.token(t, `{"name":"ci","roles":["agent"],"agents":["external"]}`)
	if !strings.HasPrefix(m.Secret, "lct_") || m.Token.By != "root" || m.Token.Subject != "ci" {
		t.Errorf("it is %+v", m)
	}
	if _, list := g.ask(t, "GET", "/api/tokens", "", admin); !strings.Contains(list, m.Token.ID) || strings.Contains(list, m.Secret) {
		t.Errorf("listed as %s", list)
	}
	if status, text := g.bearer(t, "POST", "/api/approvals", deploy, m.Secret); status != 201 {
		t.Errorf("it asks: %d %s", status, text)
	}
	if status, text := g.bearer(t, "GET", "/api/sessions", "", m.Secret); status != 403 {
		t.Errorf("it looks around: %d %s", status, text)
	}
	elsewhere := strings.Replace(deploy, "{", `{"agentId":"demo",`, 1)
	if status, text := g.bearer(t, "POST", "/api/approvals", elsewhere, m.Secret); status != 403 || !strings.Contains(text, "other agents") {
		t.Errorf("it asks as another agent: %d %s", status, text)
	}
	if response, text := g.ask(t, "DELETE", "/api/tokens/"+m.Token.ID, "", admin); response.StatusCode != 200 {
		t.Errorf("revoked: %d %s", response.StatusCode, text)
	}
	if status, _ := g.bearer(t, "POST", "/api/approvals", deploy, m.Secret); status != 401 {
		t.Errorf("afterwards: %d", status)
	}
	if response, _ := g.ask(t, "DELETE", "/api/tokens/"+m.Token.ID, "", admin); response.StatusCode != 404 {
		t.Errorf("revoked again: %d", response.StatusCode)
	}
}

func TestWhatWaitsWithATokenEndsWhenItIsRevoked(t *testing.T) {
	g := openGate(t)
	admin := g.admin(t)
	m := g.token(t, `{"name":"watcher","roles":["admin"]}`)
	asked := g.want(t, 201, "POST", "/api/approvals", deploy, g.program)
	lines := g.watch(t, m.Secret)
	polled := make(chan int, 1)
	go func() {
		status, _ := g.bearer(t, "GET", "/api/approvals/"+asked.ApprovalID+"?wait=60s", "", m.Secret)
		polled <- status
	}()
	g.ask(t, "DELETE", "/api/tokens/"+m.Token.ID, "", admin)
	for lines.Scan() { // until the stream ends, which the test's deadline bounds
	}
	if status := <-polled; status != http.StatusUnauthorized && status != http.StatusOK {
		t.Errorf("the one that waited: %d", status)
	}
	if row, err := g.manager.Get(t.Context(), asked.ApprovalID); err != nil || row.Status != approval.Pending {
		t.Errorf("the request is %s, %v", row.Status, err)
	}
}

func TestALoginByTokenIsWhatTheTokenIs(t *testing.T) {
	g := openGate(t)
	m := g.token(t, `{"name":"carol","roles":["viewer"]}`)
	response, text := g.ask(t, "POST", "/api/login", `{"token":"`+m.Secret+`"}`, "")
	if response.StatusCode != 200 || !strings.Contains(text, `"subject":"carol"`) {
		t.Fatalf("%d %s", response.StatusCode, text)
	}
	cookie := begun(t, response, text)
	g.ask(t, "DELETE", "/api/tokens/"+m.Token.ID, "", g.admin(t))
	if response, _ := g.ask(t, "GET", "/api/me", "", cookie); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the token's end: %d", response.StatusCode)
	}
}

func TestACookieAloneChangesNothing(t *testing.T) {
	g := openGate(t)
	_, secret, _ := strings.Cut(g.person, "=")
	own, _ := proofs.Load(g.person)
	for name, proof := range map[string][]string{
		"no proof":         nil,
		"an empty one":     {""},
		"the cookie":       {secret},
		"made from it":     {auth.Fingerprint("csrf:" + secret)},
		"two, one of them": {"x", own.(string)},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", g.URL+"/api/ws-ticket", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", g.URL)
		r.Header.Set("Cookie", g.person)
		r.Header["X-Lineclear-Csrf"] = proof
		response, err := g.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
}

func TestWhoSendsTooManyCookiesIsToldAndRidOfThem(t *testing.T) {
	g := openGate(t)
	flood := strings.Repeat("planted="+strings.Repeat("x", 1000)+"; ", 30) + g.person
	own, _ := proofs.Load(g.person)
	proofs.Store(flood, own)
	if response, body := g.ask(t, "GET", "/api/me", "", flood); response.StatusCode != 431 || !strings.Contains(body, "cookies") {
		t.Errorf("the page's own request: %d %s", response.StatusCode, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", g.URL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", flood)
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	response, err := g.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != 431 || !strings.Contains(string(body), "log in again") || response.Header.Get("Clear-Site-Data") != `"cookies"` {
		t.Errorf("the page itself: %d %s, %v", response.StatusCode, body, err)
	}
	for _, c := range response.Cookies() {
		if c.MaxAge >= 0 || c.Value != "" {
			t.Errorf("it keeps %v", c)
		}
	}
}

func TestWhatIsRemovedOfManyCookiesIsBounded(t *testing.T) {
	g := openGate(t)
	r, err := http.NewRequestWithContext(t.Context(), "GET", g.URL+strings.Repeat("/a", 3000), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", strings.Repeat("planted=1; ", 2000))
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	response, err := g.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if n := len(response.Header.Values("Set-Cookie")); response.StatusCode != 431 || n == 0 || n > 1500 {
		t.Errorf("%d, %d cookies are removed", response.StatusCode, n)
	}
}

func TestOneTokenHoldsSoManyPlacesOverAllRoutes(t *testing.T) {
	t.Parallel()
	g := openGate(t)
	cookie := g.person
	for range auth.DefaultPlaces {
		if status := g.streams(t, cookie); status != http.StatusOK {
			t.Fatalf("one of those that are its: %d", status)
		}
	}
	if status := g.streams(t, cookie); status != http.StatusTooManyRequests {
		t.Errorf("one more: %d", status)
	}
	if status := g.streams(t, g.admin(t)); status != http.StatusOK {
		t.Errorf("somebody else: %d", status)
	}
}

// streams opens a stream until the test ends, and returns its status.
func (g *opened) streams(t *testing.T, cookie string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", g.URL+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", g.URL)
	withCookie(r, cookie)
	response, err := g.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response.StatusCode
}

func TestACookieAloneOpensNothing(t *testing.T) {
	g := openGate(t)
	cookie := g.admin(t) // which another port of the host is sent
	proofs.Store(cookie+"; x=y", "")
	for _, route := range httpapi.New(httpapi.Backend{}).Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		if route.Right < 0 {
			continue
		}
		path = strings.NewReplacer("{id}", "x", "{code}", "x", "{toolCallId}", "x").Replace(path)
		if response, body := g.ask(t, method, path, "{}", cookie+"; x=y"); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", route.Pattern, response.StatusCode, body)
		}
	}
}

// Of all that a browser may send, each kind of secret opens in its own place alone.
func TestACookieThatWasPlantedShutsNobodyOut(t *testing.T) {
	g := openGate(t)
	name, secret, _ := strings.Cut(g.person, "=")
	own, _ := proofs.Load(g.person)
	token := g.token(t, `{"name":"other","roles":["viewer"]}`).Secret
	for _, c := range []struct {
		cookies string
		want    int
	}{
		{g.person + "; " + name + "=planted; lineclear_login=x", 200},
		{name + "=planted; " + g.person, 200},
		{name + "=" + token + "; " + g.person, 200},
		{name + "=" + token, 401},
		{strings.Repeat(name+"=planted; ", 100) + g.person, 401},
		{"lineclear_login=" + secret, 401},
	} {
		proofs.Store(c.cookies, own)
		if response, _ := g.ask(t, "GET", "/api/me", "", c.cookies); response.StatusCode != c.want {
			t.Errorf("%s: %d", c.cookies, response.StatusCode)
		}
	}
}

func TestBehindTLSTheCookieIsTheHostsAlone(t *testing.T) {
	fence, err := auth.NewOriginCheck("https://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	links := auth.NewOneTime(auth.LinkSecret, time.Hour)
	handler := httpapi.New(httpapi.Backend{Keyring: keyring(t, &auth.Memory{}), Links: links, Origins: fence}).Handler()
	proof := ""
	send := func(method, path, body, cookie string) *http.Response {
		r := httptest.NewRequest(method, "https://gate.example"+path, strings.NewReader(body))
		r.Header.Set("Origin", "https://gate.example")
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
			r.Header.Set("X-Lineclear-Csrf", proof)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	}
	token := issue(t, links, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Viewer}})
	response := send("POST", "/api/login", `{"token":"`+token+`"}`, "")
	var told struct {
		Login string `json:"loginId"`
		CSRF  string `json:"csrf"`
	}
	if err := json.UnmarshalRead(response.Body, &told); err != nil {
		t.Fatal(err)
	}
	proof = told.CSRF
	c := response.Cookies()[0]
	if c.Name != "__Host-lineclear_login_"+told.Login || !c.Secure || !c.HttpOnly || c.Domain != "" || c.Path != "/" || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %+v", c)
	}
	if got := send("GET", "/api/me", "", c.Name+"="+c.Value).StatusCode; got != 200 {
		t.Errorf("with it: %d", got)
	}
	if got := send("GET", "/api/me", "", "lineclear_login_"+told.Login+"="+c.Value).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("under the name that a neighbour can plant: %d", got)
	}
}

// A route is for those who have its right, and each states one; what is open
// can be counted.
func TestEveryRouteStatesWhoMayUseIt(t *testing.T) {
	var opened []string
	for _, route := range httpapi.New(httpapi.Backend{}).Routes() {
		switch {
		case route.Right < 0:
			opened = append(opened, route.Pattern)
		case route.Right == 0:
			t.Errorf("%s states no right", route.Pattern)
		}
	}
	want := []string{"POST /api/login", "POST /api/login/look", "GET /api/login/challenge", "POST /api/login/proof", "POST /api/device-logins", "POST /api/device-logins/collect", "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /asyncapi.json", "GET /docs", "GET /ws", "/", "/api/"}
	if strings.Join(opened, "\n") != strings.Join(want, "\n") {
		t.Errorf("open are %q", opened)
	}
}

func TestAWrongMethodIsToldWhichThereAre(t *testing.T) {
	g := openGate(t)
	for what, want := range map[string]string{
		"PUT /api/approvals": "GET, POST", "GET /api/login": "POST", "DELETE /api/approvals/x/claim": "POST", "POST /api/nothing": "",
	} {
		method, path, _ := strings.Cut(what, " ")
		response, body := g.ask(t, method, path, "{}", g.person)
		status := http.StatusMethodNotAllowed
		if want == "" {
			status = http.StatusNotFound
		}
		if response.StatusCode != status || response.Header.Get("Allow") != want {
			t.Errorf("%s: %d, allowed %q: %s", what, response.StatusCode, response.Header.Get("Allow"), body)
		}
	}
}
