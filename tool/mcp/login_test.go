package mcp_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/tool/mcp"
)

// lender is a server on HTTP that is used in a person's name, with its authorization
// server beside it. Tokens to renew with are taken once.
type lender struct {
	*raw
	url      string
	page     string // for consent, as it is named
	tokenURL string
	says     url.Values // what the page says instead of yes
	seconds  int        // that a token holds

	mu         sync.Mutex
	challenge  string
	registered int
	given      int
	valid      string // the token that is taken
	renewal    string // what renews it
	over       bool   // nothing is renewed any more
	revoked    bool   // the first token is
	wants      string // a scope, without which nothing is lent
	scopes     string // for which consent was asked last
}

func newLender(t *testing.T) *lender {
	t.Helper()
	l := &lender{raw: newRaw(), seconds: 3600}
	site := httptest.NewServer(l)
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	l.url, l.page, l.tokenURL = site.URL, site.URL+"/consent?tenant=1", site.URL+"/token"
	return l
}

func (l *lender) config() mcp.Config {
	return mcp.Config{Name: "bank", URL: l.url + "/mcp", OAuth: &mcp.OAuth{Issuer: l.url, Login: true}}
}

func (l *lender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	ok := l.valid != "" && r.Header.Get("Authorization") == "Bearer "+l.valid
	little := ok && !strings.Contains(l.scopes, l.wants)
	l.mu.Unlock()
	switch {
	case r.URL.Path == "/.well-known/oauth-protected-resource/mcp":
		sendJSON(w, fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q]}`, l.url+"/mcp", l.url))
	case r.URL.Path == "/.well-known/oauth-authorization-server":
		sendJSON(w, fmt.Sprintf(`{"issuer":%q,"token_endpoint":%q,"authorization_endpoint":%q,"registration_endpoint":%q,"response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`,
			l.url, l.tokenURL, l.page, l.url+"/register"))
	case r.URL.Path == "/register":
		l.mu.Lock()
		defer l.mu.Unlock()
		l.registered++
		w.WriteHeader(http.StatusCreated)
		sendJSON(w, `{"client_id":"made-up","token_endpoint_auth_method":"none","redirect_uris":["http://127.0.0.1/callback"]}`)
	case r.URL.Path == "/consent":
		l.consent(w, r)
	case r.URL.Path == "/token":
		l.token(w, r)
	case little:
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, l.wants))
		w.WriteHeader(http.StatusForbidden)
	case ok:
		l.raw.ServeHTTP(w, r)
	default:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func (l *lender) consent(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	l.mu.Lock()
	l.challenge, l.scopes = q.Get("code_challenge"), q.Get("scope")
	l.mu.Unlock()
	answer := url.Values{"state": {q.Get("state")}}
	if l.says == nil {
		answer.Set("code", "the-code")
	}
	for name, values := range l.says {
		answer[name] = values
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (l *lender) token(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	proof := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case r.FormValue("client_id") != "made-up":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.FormValue("grant_type") == "authorization_code" && r.FormValue("code") == "the-code" && base64.RawURLEncoding.EncodeToString(proof[:]) == l.challenge:
	case r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") == l.renewal && !l.over:
	default: // used twice, all of it ends
		l.valid, l.over = "none", true
		w.WriteHeader(http.StatusBadRequest)
		sendJSON(w, `{"error":"invalid_grant"}`)
		return
	}
	l.given++
	l.valid, l.renewal = fmt.Sprintf("TOKEN-SECRET-%d", l.given), fmt.Sprintf("RENEWAL-SECRET-%d", l.given)
	sendJSON(w, fmt.Sprintf(`{"access_token":%q,"refresh_token":%q,"token_type":"Bearer","expires_in":%d}`, l.valid, l.renewal, l.seconds))
}

// browse is a person who says yes.
func browse(t *testing.T) func(address string) {
	return func(address string) {
		resp, err := http.Get(address)
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	}
}

// loggedIn is a server at which a person has logged in, and the folder with that.
func loggedIn(t *testing.T, l *lender) (*mcp.Server, string) {
	t.Helper()
	logins := filepath.Join(t.TempDir(), "logins")
	s := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)})
	if err := s.Login(t.Context(), 0, browse(t)); err != nil {
		t.Fatal(err)
	}
	return s, logins
}

func TestAServerIsUsedInThePersonsNameThatHasLoggedIn(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	s, logins := loggedIn(t, l)
	wantText(t, run(t, s, "pay", "{}"), false, "done")
	if l.registered != 1 || l.given != 1 {
		t.Errorf("we were registered %d times, and given %d tokens", l.registered, l.given)
	}
	for path, want := range map[string]fs.FileMode{logins: 0o700, filepath.Join(logins, "bank.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	again := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}) // as after a restart
	wantText(t, run(t, again, "pay", "{}"), false, "done")
	if l.given != 1 {
		t.Errorf("%d tokens were given", l.given)
	}
	if err := s.Logout(); err != nil {
		t.Fatal(err)
	}
	if _, err := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Check(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "gateway mcp login bank: nobody has yet") {
		t.Errorf("after the logout: %v", err)
	}
	if err := s.Logout(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the second logout: %v", err)
	}
}

func TestATokenIsRenewedOnceHoweverManyNeedIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(l *lender){
		"it has expired": func(l *lender) { l.seconds = 1 }, // which is as good as over
		"it was revoked": func(l *lender) { l.revoked = true },
	} {
		l := newLender(t)
		change(l)
		_, logins := loggedIn(t, l)
		l.mu.Lock()
		l.seconds = 3600
		if l.revoked {
			l.valid = "none"
		}
		l.mu.Unlock()
		var all sync.WaitGroup
		for range 8 { // sessions, each with a connection of its own
			s := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)})
			all.Go(func() { wantText(t, run(t, s, "pay", "{}"), false, "done") })
		}
		all.Wait()
		if l.given != 2 || l.called("pay") != 8 {
			t.Errorf("%s: %d tokens were given, %d calls made", name, l.given, l.called("pay"))
		}
	}
}

func TestWhereALoginIsOverAPersonIsTold(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(l *lender, c *mcp.Config, file string){
		"does not renew the token: it answers 400": func(l *lender, _ *mcp.Config, _ string) { l.valid, l.over = "none", true },
		"the last login was for ":                  func(_ *lender, c *mcp.Config, _ string) { c.URL += "?other" },
		"can't be read":                            func(_ *lender, _ *mcp.Config, file string) { _ = os.WriteFile(file, []byte(`{}`), 0o600) },
		"chmod go-rwx":                             func(_ *lender, _ *mcp.Config, file string) { _ = os.Chmod(file, 0o644) },
	} {
		l := newLender(t)
		_, logins := loggedIn(t, l)
		c := l.config()
		change(l, &c, filepath.Join(logins, "bank.json"))
		_, err := newServer(t, c, mcp.Options{Logins: mcp.LoginFiles(logins)}).Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

func TestWhatAServerWantsMoreIsAskedForAtTheNextLogin(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	l.wants = "pay:all"
	s, logins := loggedIn(t, l)
	if _, err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "gateway mcp login bank: the server wants to be allowed more") {
		t.Errorf("with too little: %v", err)
	}
	for range 2 { // it is asked for from then on
		l.mu.Lock()
		l.scopes = ""
		l.mu.Unlock()
		s = newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)})
		if err := s.Login(t.Context(), 0, browse(t)); err != nil {
			t.Fatal(err)
		}
		wantText(t, run(t, s, "pay", "{}"), false, "done")
	}
}

func TestALoginThatFailsLeavesTheLastOne(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(l *lender, elsewhere string){
		`"access_denied": not today`: func(l *lender, _ string) {
			l.says = url.Values{"error": {"access_denied"}, "error_description": {"not today"}}
		},
		"and not of the issuer":            func(l *lender, elsewhere string) { l.says = url.Values{"code": {"the-code"}, "iss": {elsewhere}} },
		"authorization_endpoint":           func(l *lender, _ string) { l.page = "javascript:alert(1)" },
		"neither its own nor the issuer's": func(l *lender, elsewhere string) { l.tokenURL = elsewhere + "/token" },
		"it answers 400":                   func(l *lender, _ string) { l.says = url.Values{"code": {"another"}} },
	} {
		elsewhere := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(elsewhere.Close)
		l := newLender(t)
		_, logins := loggedIn(t, l)
		before, _ := os.ReadFile(filepath.Join(logins, "bank.json"))
		c := l.config()
		change(l, elsewhere.URL)
		err := newServer(t, c, mcp.Options{Logins: mcp.LoginFiles(logins)}).Login(t.Context(), 0, browse(t))
		after, _ := os.ReadFile(filepath.Join(logins, "bank.json"))
		if err == nil || !strings.Contains(err.Error(), want) || string(before) != string(after) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

func TestOnlyTheAnswerToOurOwnQuestionEndsALogin(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	logins := filepath.Join(t.TempDir(), "logins")
	s := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)})
	err := s.Login(t.Context(), 0, func(address string) {
		there, _ := url.Parse(address)
		back := there.Query().Get("redirect_uri")
		for _, guess := range []string{"?code=stolen", "?code=stolen&state=guessed", "/other?state=" + there.Query().Get("state")} {
			resp, err := http.Get(back + guess)
			if err != nil {
				t.Error(err)
				continue
			}
			if resp.StatusCode != http.StatusNotFound {
				t.Errorf("%s is answered with %s", guess, resp.Status)
			}
			resp.Body.Close()
		}
		browse(t)(address)
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if err := s.Login(ctx, 0, func(string) { stop() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a login that nobody answers ends with %v", err)
	}
}
