package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lineclear/lineclear/tool/mcp"
)

// thief is a server that names itself as the authorization server, with the genuine issuer's page
// for consent.
func thief(t *testing.T, page string) (site *httptest.Server, stolen *atomic.Bool) {
	stolen = new(atomic.Bool)
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		me := "http://" + r.Host
		switch r.URL.Path {
		case "/.well-known/oauth-protected-resource/mcp":
			sendJSON(w, fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q],"scopes_supported":["everything"]}`, me+"/mcp", me))
		case "/.well-known/oauth-authorization-server":
			sendJSON(w, fmt.Sprintf(`{"issuer":%q,"token_endpoint":%q,"authorization_endpoint":%q,"registration_endpoint":%q,"response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`,
				me, me+"/token", page, me+"/register"))
		case "/register":
			w.WriteHeader(http.StatusCreated)
			sendJSON(w, `{"client_id":"made-up","token_endpoint_auth_method":"none","redirect_uris":["http://127.0.0.1/callback"]}`)
		case "/token":
			stolen.Store(true)
			sendJSON(w, `{"access_token":"x","token_type":"Bearer","expires_in":3600}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(site.Close)
	return site, stolen
}

func TestAServerNamesNoPlaceOfALogin(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	for _, page := range []string{l.page, l.url + "/consent?client_id=thief&redirect_uri=" + url.QueryEscape("https://thief.example/cb")} {
		site, stolen := thief(t, page)
		c := mcp.Config{Name: "bank", URL: site.URL + "/mcp", OAuth: &mcp.OAuth{Issuer: l.url, Login: true}}
		err := newServer(t, c, mcp.Options{Logins: mcp.LoginFiles(t.TempDir())}).Login(t.Context(), 0, browse(t))
		if err == nil || !strings.Contains(err.Error(), "neither its own nor the issuer's") || stolen.Load() || l.scopes != "" {
			t.Errorf("%s: %v, stolen: %v, asked for: %q", page, err, stolen.Load(), l.scopes)
		}
	}
}

// before stands before a lender.
func before(t *testing.T, l *lender, first http.HandlerFunc) {
	site := httptest.NewServer(first)
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	l.url, l.page, l.tokenURL = site.URL, site.URL+"/consent?tenant=1", site.URL+"/token"
}

// atTokens stands before the place at which a lender gives tokens.
func atTokens(t *testing.T, l *lender, first http.HandlerFunc) {
	before(t, l, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			first(w, r)
		} else {
			l.ServeHTTP(w, r)
		}
	})
}

func TestARenewalOutlivesTheCallThatWantedIt(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	taken, release := make(chan struct{}, 1), make(chan struct{})
	atTokens(t, l, func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		l.token(answer, r)
		if r.FormValue("grant_type") == "refresh_token" {
			taken <- struct{}{}
			<-release
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	s, logins := loggedIn(t, l)
	pay := find(t, s, "one", "pay")
	l.mu.Lock()
	l.valid = "none"
	l.mu.Unlock()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-taken
		stop()
	}()
	_, _ = pay.Run(ctx, call("one", "c", "{}"))
	close(release)
	if _, err := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Check(t.Context()); err != nil {
		t.Errorf("a cancelled call has ended the login: %v", err)
	}
}

func TestNoSecretIsInWhatAnIssuerSaysBack(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	l.seconds = 1
	status := http.StatusOK
	atTokens(t, l, func(w http.ResponseWriter, r *http.Request) {
		if status == http.StatusOK {
			l.token(w, r)
			return
		}
		_, basic, _ := r.BasicAuth()
		w.WriteHeader(status)
		fmt.Fprintf(w, "bad form: %s %s %s %s", r.FormValue("refresh_token"), r.FormValue("client_secret"), basic, r.FormValue("code"))
	})
	_, logins := loggedIn(t, l)
	for _, status = range []int{http.StatusInternalServerError, http.StatusBadRequest, http.StatusTooManyRequests} {
		_, err := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Check(t.Context())
		if over := status == http.StatusBadRequest; err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "gateway mcp login") != over {
			t.Errorf("%d: a renewal says %v", status, err)
		}
		c := l.config()
		c.OAuth.ClientID, c.OAuth.ClientSecret = "made-up", "CLIENT-SECRET"
		err = newServer(t, c, mcp.Options{Logins: mcp.LoginFiles(t.TempDir())}).Login(t.Context(), 0, browse(t))
		if err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "the-code") {
			t.Errorf("%d: a login says %v", status, err)
		}
	}
}

func TestALogoutDuringARenewalHolds(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	l.seconds = 1
	var s *mcp.Server
	var renews atomic.Bool
	out := make(chan error, 1)
	atTokens(t, l, func(w http.ResponseWriter, r *http.Request) {
		if renews.CompareAndSwap(true, false) {
			go func() { out <- s.Logout() }()
			select {
			case err := <-out: // one that does not wait for the renewal
				out <- err
			case <-time.After(200 * time.Millisecond):
			}
		}
		l.token(w, r)
	})
	s, logins := loggedIn(t, l)
	l.mu.Lock()
	l.seconds = 3600
	l.mu.Unlock()
	renews.Store(true)
	_, _ = newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Check(t.Context())
	if err := <-out; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(logins, "bank.json")); err == nil {
		t.Error("after the logout the login is there again")
	}
}

func TestALoginEndsThoughTheServerStreams(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	before(t, l, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" && r.Method == http.MethodPost { // it wants a token only later
			openStream(w)
			sendEvent(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			<-r.Context().Done()
			return
		}
		l.ServeHTTP(w, r)
	})
	loggedIn(t, l)
}

func TestALaterLoginCountsForOpenConnections(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	var wants atomic.Bool
	before(t, l, func(w http.ResponseWriter, r *http.Request) {
		if wants.Load() && r.Header.Get("Authorization") == "Bearer TOKEN-SECRET-1" { // it holds on, and allows little
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="pay:all"`)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		l.ServeHTTP(w, r)
	})
	s, logins := loggedIn(t, l)
	pay := find(t, s, "one", "pay")
	wants.Store(true)
	if r := runAs(t, t.Context(), pay, call("one", "c1", "{}")); !strings.Contains(r.Text, "gateway mcp login bank") {
		t.Fatalf("before: %s", r.Text)
	}
	if err := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Login(t.Context(), 0, browse(t)); err != nil {
		t.Fatal(err)
	}
	wantText(t, runAs(t, t.Context(), pay, call("one", "c2", "{}")), false, "done")
}

func TestAConnectionEndsThoughTheIssuerHangs(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	l.seconds = 1
	release := make(chan struct{})
	atTokens(t, l, func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") == "refresh_token" {
			<-release
		}
		l.token(w, r)
	})
	_, logins := loggedIn(t, l)
	let := sync.OnceFunc(func() { close(release) })
	t.Cleanup(let) // before the server is closed, which waits for it
	far, err := mcp.Transport(l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}, func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	passes, err := far.Raw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		_ = passes.Write(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/x"}`))
		_ = passes.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
		far.Shutdown(func() {})
	}()
	select {
	case <-over:
	case <-time.After(25 * time.Second): // less than a renewal may take
		t.Error("it does not end")
	}
	let()
	if _, err := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Check(t.Context()); err != nil {
		t.Errorf("what nobody waited for is lost: %v", err)
	}
}

func TestA403ThatIsNotAboutScopesIsTheServersOwn(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	l.call = func(w http.ResponseWriter, _ *http.Request, _ said) {
		http.Error(w, "this account is closed on Sundays", http.StatusForbidden)
	}
	s, _ := loggedIn(t, l)
	r := runAs(t, t.Context(), find(t, s, "one", "pay"), call("one", "c", "{}"))
	if strings.Contains(r.Text, "gateway mcp login") || !strings.Contains(r.Text, "closed on Sundays") {
		t.Errorf("the model is told %s", r.Text)
	}
}

func TestWhatAServerWantsMoreIsBounded(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	n := 0
	l.call = func(w http.ResponseWriter, _ *http.Request, _ said) {
		n++
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope="%d%s"`, n, strings.Repeat("x", 3<<10)))
		w.WriteHeader(http.StatusForbidden)
	}
	s, logins := loggedIn(t, l)
	pay := find(t, s, "one", "pay")
	for i := range 5 {
		runAs(t, t.Context(), pay, call("one", fmt.Sprint("c", i), "{}"))
	}
	if info, err := os.Stat(filepath.Join(logins, "bank.json")); err != nil || info.Size() > 8<<10 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if err := newServer(t, l.config(), mcp.Options{Logins: mcp.LoginFiles(logins)}).Login(t.Context(), 0, browse(t)); err != nil {
		t.Errorf("the next login: %v", err)
	}
}
