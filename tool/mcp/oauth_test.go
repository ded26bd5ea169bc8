package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/tool/mcp"
)

// guarded is a server on HTTP that wants a token, with its authorization server
// beside it.
type guarded struct {
	*raw
	url      string
	issuer   string // as the server names it
	tokenURL string

	mu     sync.Mutex
	asked  int    // for a token
	valid  string // the token that is taken
	secret string // that was sent
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{raw: newRaw()}
	site := httptest.NewServer(g)
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	g.url, g.issuer, g.tokenURL = site.URL, site.URL, site.URL+"/token"
	return g
}

func (g *guarded) config() mcp.Config {
	return mcp.Config{Name: "bank", URL: g.url + "/mcp", OAuth: &mcp.OAuth{Issuer: g.url, ClientID: "lineclear", ClientSecret: "SECRETSECRET"}}
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if about := "/.well-known/oauth-authorization-server"; strings.HasPrefix(path, about) {
		path = about // of any issuer of this host
	}
	switch path {
	case "/.well-known/oauth-protected-resource/mcp":
		sendJSON(w, fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q]}`, g.url+"/mcp", g.issuer))
	case "/.well-known/oauth-authorization-server":
		sendJSON(w, fmt.Sprintf(`{"issuer":%q,"token_endpoint":%q,"authorization_endpoint":%[1]q,"response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["client_secret_basic"]}`, g.issuer, g.tokenURL))
	case "/token":
		_, secret, _ := r.BasicAuth()
		g.mu.Lock()
		g.asked++
		g.secret, g.valid = secret, fmt.Sprintf("TOKEN-SECRET-%d", g.asked)
		token := g.valid
		g.mu.Unlock()
		sendJSON(w, fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token))
	default:
		g.mu.Lock()
		ok := g.valid != "" && r.Header.Get("Authorization") == "Bearer "+g.valid
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.raw.ServeHTTP(w, r)
	}
}

// revoke takes the token that was given back.
func (g *guarded) revoke() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.valid = "none"
}

func TestATokenIsAskedForWithTheClientsSecret(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	s := newServer(t, g.config(), mcp.Options{})
	wantText(t, run(t, s, "pay", "{}"), false, "done")
	if g.asked != 1 || g.secret != "SECRETSECRET" {
		t.Errorf("%d tokens were asked for, with the secret %q", g.asked, g.secret)
	}
	g.revoke()
	pay := find(t, s, "one", "pay")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { wantText(t, runAs(t, t.Context(), pay, call("one", "c", "{}")), false, "done") })
	}
	all.Wait()
	if g.asked > 3 || g.called("pay") != 9 { // the open stream may want one of its own
		t.Errorf("after a revocation %d tokens were asked for, and %d calls made", g.asked, g.called("pay"))
	}
}

func TestMessagesThatPassAsTheyAreHaveATokenToo(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	site, err := mcp.Transport(g.config(), mcp.Options{}, func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Shutdown(func() {}) })
	passes, err := site.Raw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id := range 3 {
		if id == 2 {
			g.revoke()
		}
		if err := passes.Write(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{}}`, id)); err != nil {
			t.Fatal(err)
		}
		if answer, err := passes.Read(t.Context()); err != nil || !strings.Contains(string(answer), `"pay"`) {
			t.Errorf("%d: %s, %v", id, answer, err)
		}
	}
	if g.asked != 2 || g.secret != "SECRETSECRET" {
		t.Errorf("%d tokens were asked for, with the secret %q", g.asked, g.secret)
	}
}

func TestASecretGoesToItsIssuerAlone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(g *guarded, elsewhere string){
		"another issuer":             func(g *guarded, elsewhere string) { g.issuer = elsewhere },
		"another issuer of its host": func(g *guarded, _ string) { g.issuer += "/other" },
		"another token endpoint":     func(g *guarded, elsewhere string) { g.tokenURL = elsewhere + "/token" },
	} {
		var heard []string
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard = append(heard, r.URL.Path) }))
		t.Cleanup(elsewhere.Close)
		g := newGuarded(t)
		change(g, elsewhere.URL)
		_, err := newServer(t, g.config(), mcp.Options{}).Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), "oauth: ") || len(heard)+g.asked > 0 {
			t.Errorf("%s: %v, asked were %q and %d times the issuer", name, err, heard, g.asked)
		}
	}
}

func TestTokensAndSecretsAreInNoWords(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.call = func(w http.ResponseWriter, r *http.Request, m said) {
		sendJSON(w, m.fails(-32000, "not with "+r.Header.Get("Authorization")+" of SECRETSECRET"))
	}
	r := run(t, newServer(t, g.config(), mcp.Options{}), "pay", "{}")
	wantText(t, r, true, "not with Bearer *** of ***")
}

func TestAnOAuthThatCantBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	whole := mcp.OAuth{Issuer: "https://login.example", ClientID: "i", ClientSecret: "s"}
	for why, change := range map[string]func(c *mcp.Config){
		"is for a server with a url":           func(c *mcp.Config) { c.URL, c.Command = "", []string{"x"} },
		"needs a clientId":                     func(c *mcp.Config) { c.OAuth.ClientID = "" },
		"and a clientSecret":                   func(c *mcp.Config) { c.OAuth.ClientSecret = "" },
		"issuer has to be":                     func(c *mcp.Config) { c.OAuth.Issuer = "http://login.example" },
		"the secret is sent to no other":       func(c *mcp.Config) { c.OAuth.Issuer = "" },
		`header "authorization" can't be sent`: func(c *mcp.Config) { c.Headers = map[string]string{"authorization": "Bearer x"} },
	} {
		o := whole
		c := mcp.Config{Name: "bank", URL: "https://bank.example/mcp", OAuth: &o}
		change(&c)
		if _, err := mcp.New(c, mcp.Options{}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", why, err)
		}
	}
}
