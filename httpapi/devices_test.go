package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

func TestASecretOfOneKindIsNotTakenInThePlaceOfAnother(t *testing.T) {
	g := openGate(t)
	_, cookie, _ := strings.Cut(g.admin(t), "=")
	m := g.token(t, `{"name":"carol","roles":["admin"]}`)
	if status, body := g.bearer(t, "GET", "/api/me", "", cookie); status != http.StatusUnauthorized {
		t.Errorf("a cookie as bearer token: %d %s", status, body)
	}
	for name, secret := range map[string]string{"a token": m.Secret, "the local key": g.doors.token} {
		if response, body := g.ask(t, "GET", "/api/me", "", "lineclear_login="+secret); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s as cookie: %d %s", name, response.StatusCode, body)
		}
	}
	for name, secret := range map[string]string{"a cookie": cookie, "the local key": g.doors.token} {
		if response, body := g.ask(t, "POST", "/api/login", `{"token":"`+secret+`"}`, ""); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s logs in: %d %s", name, response.StatusCode, body)
		}
	}
}

// The cookie reaches every port of the host: nothing that it opens may tell the rest.
func TestNoRouteTellsTheSecondProofToWhoeverHasTheCookie(t *testing.T) {
	g := openGate(t)
	cookie := g.admin(t)
	proof, _ := proofs.Load(cookie)
	for _, route := range g.api.Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		if method != http.MethodGet || route.Hidden || path == "/api/events" {
			continue
		}
		path = strings.NewReplacer("{id}", "x", "{toolCallId}", "x", "{code}", "x").Replace(path)
		if _, body := g.ask(t, method, path, "", cookie); strings.Contains(body, proof.(string)) || strings.Contains(body, `"csrf":"`) {
			t.Errorf("%s tells it: %s", route.Pattern, body)
		}
	}
}

type terminalAsked struct {
	DeviceCode string `json:"deviceCode"`
	UserCode   string `json:"userCode"`
	URL        string `json:"url"`
}

func (g *opened) askDevice(t *testing.T) terminalAsked {
	t.Helper()
	response, body := g.ask(t, "POST", "/api/device-logins", `{"name":"ada@laptop"}`, "")
	var asked terminalAsked
	if err := json.Unmarshal([]byte(body), &asked); err != nil || response.StatusCode != http.StatusCreated || !strings.HasSuffix(asked.URL, "/terminal/"+asked.UserCode) {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	return asked
}

func TestATerminalLogsInByAPressInTheBrowser(t *testing.T) {
	g := openGate(t)
	asked := g.askDevice(t)
	collect := func(code string) (int, string) {
		response, body := g.ask(t, "POST", "/api/device-logins/collect", `{"deviceCode":"`+code+`"}`, "")
		return response.StatusCode, body
	}
	if status, body := collect(asked.DeviceCode); status != 200 || body != `{"waiting":true}` {
		t.Errorf("before the press: %d %s", status, body)
	}
	at := "/api/device-logins/" + asked.UserCode
	if _, body := g.ask(t, "GET", at, "", g.person); !strings.Contains(body, `"name":"ada@laptop"`) || strings.Contains(body, asked.DeviceCode) {
		t.Errorf("the page reads %s", body)
	}
	m := g.token(t, `{"name":"carol","roles":["admin"]}`)
	for name, secret := range map[string]string{"a token": m.Secret, "the local key": g.doors.token} {
		if status, body := g.bearer(t, "POST", at, `{"allow":true}`, secret); status != http.StatusForbidden {
			t.Errorf("%s allows it: %d %s", name, status, body)
		}
	}
	for body, want := range map[string]int{`{"allow":true,"hours":-1}`: 422, `{"allow":true,"hours":169}`: 422, `{"allow":true,"hours":9223372036854775807}`: 422} {
		if response, text := g.ask(t, "POST", at, body, g.person); response.StatusCode != want {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
	if response, body := g.ask(t, "POST", at, `{"allow":true,"hours":1}`, g.person); response.StatusCode != http.StatusNoContent {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	status, body := collect(asked.DeviceCode)
	var got struct {
		Secret string          `json:"secret"`
		Login  auth.Credential `json:"login"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
		t.Fatalf("%d %s, %v", status, body, err)
	}
	if got.Login.Kind != auth.KindTerminal || got.Login.Subject != "ada" || got.Login.Name != "ada@laptop" {
		t.Errorf("it is %+v", got.Login)
	}
	if status, body := g.bearer(t, "GET", "/api/me", "", got.Secret); status != 200 || !strings.Contains(body, `"subject":"ada","roles":["approver","operator"]`) {
		t.Errorf("it is in as %d %s", status, body)
	}
	if status, _ := collect(asked.DeviceCode); status != http.StatusNotFound {
		t.Errorf("collected again: %d", status)
	}
	g.ask(t, "POST", "/api/logout", "", g.person)
	if status, _ := g.bearer(t, "GET", "/api/me", "", got.Secret); status != http.StatusUnauthorized {
		t.Errorf("after its login's end: %d", status)
	}
}

func TestATerminalThatAPersonRefusesGetsNothing(t *testing.T) {
	g := openGate(t)
	asked := g.askDevice(t)
	if response, body := g.ask(t, "POST", "/api/device-logins/"+asked.UserCode, `{"allow":false}`, g.person); response.StatusCode != http.StatusNoContent {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	if response, body := g.ask(t, "POST", "/api/device-logins/collect", `{"deviceCode":"`+asked.DeviceCode+`"}`, ""); response.StatusCode != http.StatusForbidden {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	for name, body := range map[string]string{"no name": `{}`, "hidden letters": `{"name":"a\u202eb"}`, "the gateway's name": `{"name":"system"}`} {
		if response, text := g.ask(t, "POST", "/api/device-logins", body, ""); response.StatusCode != 422 {
			t.Errorf("%s: %d %s", name, response.StatusCode, text)
		}
	}
}

// unreached is a database that does not answer, where links, tickets and terminals are kept.
type unreached struct{}

var errUnreached = errors.New("store: connection refused")

func (unreached) Add(context.Context, auth.Secret, string, auth.Identity, time.Duration) error {
	return errUnreached
}

func (unreached) Take(context.Context, auth.Secret, string) (auth.Identity, error) {
	return auth.Identity{}, errUnreached
}

func (unreached) Look(context.Context, auth.Secret, string) (auth.Identity, error) {
	return auth.Identity{}, errUnreached
}

func (unreached) Ask(context.Context, string, string, time.Duration) (auth.Device, string, error) {
	return auth.Device{}, "", errUnreached
}

func (unreached) Get(context.Context, string) (auth.Device, error) {
	return auth.Device{}, errUnreached
}

func (unreached) Answer(context.Context, string, *auth.Identity, time.Duration) error {
	return errUnreached
}

func (unreached) Collect(context.Context, string) (auth.Allowed, error) {
	return auth.Allowed{}, errUnreached
}

// forgetful is a store of credentials that can't say whether there is a newer version.
type forgetful struct{ auth.Memory }

func (*forgetful) Behind(context.Context, auth.Version) (bool, error) { return false, errUnreached }

func TestWhatCanNotBeLookedUpIsNotCalledInvalid(t *testing.T) {
	fence, err := auth.NewOriginCheck("http://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	keys := keyring(t, &auth.Memory{})
	away := keyring(t, &forgetful{})
	handler := func(k *auth.Keyring) http.Handler {
		return httpapi.New(httpapi.Backend{
			Keyring: k, Origins: fence, Terminals: unreached{},
			Links:   auth.NewOneTimeIn(auth.LinkSecret, time.Hour, unreached{}),
			Tickets: auth.NewOneTimeIn(auth.TicketSecret, time.Hour, unreached{}),
		}).Handler()
	}
	_, secret, err := keys.NewToken(t.Context(), auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}, auth.Access{Name: "ci", Roles: []auth.Role{auth.Viewer}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		keys               *auth.Keyring
		path, body, bearer string
	}{
		"a link":            {keys, "/api/login", `{"token":"lci_x"}`, ""},
		"a link looked at":  {keys, "/api/login/look", `{"token":"lci_x"}`, ""},
		"a ticket":          {keys, "/api/ws-ticket", `{}`, secret},
		"a terminal":        {keys, "/api/device-logins", `{"name":"laptop"}`, ""},
		"a terminal's code": {keys, "/api/device-logins/collect", `{"deviceCode":"lcd_x"}`, ""},
		"a token":           {away, "/api/ws-ticket", `{}`, "lct_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "http://gate.example"+c.path, strings.NewReader(c.body))
			r.Header.Set("Origin", "http://gate.example")
			if c.bearer != "" {
				r.Header.Set("Authorization", "Bearer "+c.bearer)
			}
			w := httptest.NewRecorder()
			handler(c.keys).ServeHTTP(w, r)
			if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "connection refused") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}
