package mcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool/mcp"
)

// site is a server on streamable HTTP.
type site struct {
	*httptest.Server
	mcp   *sdk.Server
	inner atomic.Pointer[http.Handler]
	wrap  atomic.Pointer[func(http.Handler) http.Handler]
}

func newSite(t *testing.T, kind string, o *sdk.StreamableHTTPOptions) *site {
	t.Helper()
	over := make(chan struct{})
	s := &site{mcp: newTestServer(kind, over)}
	s.restart(o)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := *s.inner.Load()
		if wrap := s.wrap.Load(); wrap != nil {
			h = (*wrap)(h)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		close(over) // a call goes on without its connection, and Close waits for it
		s.Close()
		for left := range s.mcp.Sessions() { // of connections that it has forgotten
			_ = left.Close()
		}
	})
	return s
}

// restart makes the server forget all connections.
func (s *site) restart(o *sdk.StreamableHTTPOptions) {
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.mcp }, o)
	s.inner.Store(&h)
}

func (s *site) wraps(f func(http.Handler) http.Handler) { s.wrap.Store(&f) }

func (s *site) config() mcp.Config { return mcp.Config{Name: "remote", URL: s.URL + "/mcp?key=sesame"} }

func TestAServerOnHTTPIsUsedLikeAProgram(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old", "new, one answer", "old, one answer"} {
		t.Run(kind, func(t *testing.T) {
			a := newAsker()
			site := newSite(t, kind, &sdk.StreamableHTTPOptions{JSONResponse: strings.HasSuffix(kind, "answer")})
			s := newServer(t, site.config(), a.options())
			if got, want := run(t, s, "echo", `{"z":9007199254740993,"a":1.50}`).Text, `{"z":9007199254740993,"a":1.50}`; got != want {
				t.Errorf("the arguments arrive as %s", got)
			}
			if got := string(run(t, s, "contents", "{}").Structured); got != `{"z":9007199254740993,"a":1.50}` {
				t.Errorf("the structured result arrives as %s", got)
			}
			wantText(t, run(t, s, "refuse", "{}"), true, "The server remote answered with an error: the shop is closed.")
			if strings.HasSuffix(kind, "answer") {
				return // which has no room for what comes beside an answer
			}
			a.answers <- mcp.Answer{Action: mcp.Accept, Content: []byte(`{"name":"Ada"}`)}
			wantText(t, run(t, s, "ask", "{}"), false, `{"action":"accept","content":{"name":"Ada"}}`)
			if q := <-a.questions; string(q.Schema) != form || q.ToolCallID != "call-ask" {
				t.Errorf("the question is %+v", q)
			}
			_ = s.Close()
			for range site.mcp.Sessions() {
				t.Error("the server was not told that a connection is over")
			}
		})
	}
}

func TestHeadersGoWithEveryRequestToTheServersOwnHostOnly(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		elsewhere := newSite(t, kind, nil)
		strangers := newJournal()
		elsewhere.wraps(func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				strangers.add(fmt.Sprint("visited ", r.Header))
				h.ServeHTTP(w, r)
			})
		})
		site := newSite(t, kind, nil)
		var without, away atomic.Int64
		site.wraps(func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Api-Key") != "open" || r.Header.Get("Authorization") != "Bearer me" {
					without.Add(1)
				}
				if away.Load() > 0 {
					http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
					return
				}
				h.ServeHTTP(w, r)
			})
		})
		c := site.config()
		c.Headers = map[string]string{"x-api-key": "open", "Authorization": "Bearer me"}
		s := newServer(t, c, mcp.Options{})
		wantText(t, run(t, s, "echo", "{}"), false, "{}")
		away.Store(1)
		_, err := s.Check(t.Context())
		if want := "it leads to another place, where nothing is sent: " + elsewhere.URL; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %s", err, want)
		}
		if without.Load() > 0 {
			t.Errorf("%d requests came without the headers", without.Load())
		}
		if strangers.has("visited") {
			t.Errorf("the other host sees %v", strangers.entries)
		}
		_ = s.Close()
	}
}

func TestAConnectionThatTheServerHasForgottenIsMadeAnewAndTheCallWithIt(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(s *site){
		"with no more than 404": func(s *site) { s.restart(nil) },
		"with a message": func(s *site) {
			s.restart(nil)
			s.wraps(func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					rec := httptest.NewRecorder()
					if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") != "" {
						h.ServeHTTP(rec, r)
						if rec.Code == http.StatusNotFound {
							w.Header().Set("Content-Type", "application/json")
							w.WriteHeader(http.StatusNotFound)
							_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`))
							return
						}
						for k, v := range rec.Header() {
							w.Header()[k] = v
						}
						w.WriteHeader(rec.Code)
						_, _ = w.Write(rec.Body.Bytes())
						return
					}
					h.ServeHTTP(w, r)
				})
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			site := newSite(t, "old", nil)
			s := newServer(t, site.config(), mcp.Options{})
			count := find(t, s, "one", "count")
			for i, want := range []string{"1", "2"} {
				if i == 1 {
					forget(site)
				}
				if r := runAs(t, t.Context(), count, call("one", "c", "{}")); r.Text != want {
					t.Errorf("call %d: %+v", i, r)
				}
			}
		})
	}
}

func TestAServerOnHTTPThatCanNotBeUsedSaysWhyWithoutItsKey(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer locked.Close()
	for url, want := range map[string]string{
		closed.URL + "/mcp?key=sesame": "mcp: server remote: " + closed.URL + " can't be used: dial tcp ",
		locked.URL + "/mcp?key=sesame": "mcp: server remote: " + locked.URL + " can't be used: Unauthorized: see whether it runs, and whether its url and headers are right",
	} {
		s := newServer(t, mcp.Config{Name: "remote", URL: url}, mcp.Options{})
		_, err := s.Tools(t.Context(), "one")
		var e *mcp.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
}

func TestAStartIsGivenUpAlsoWhenTheServerHoldsUpItsEnd(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{StartTimeout: time.Minute}, mcp.Options{}, func(t *testing.T, s *mcp.Server, w *wire) {
		raw := newRaw()
		w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Session-Id") != "" { // all that comes after the first answer
				<-r.Context().Done()
				return
			}
			raw.ServeHTTP(rw, r)
		})
		began := time.Now()
		_, err := s.Tools(t.Context(), "one")
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "did not answer within 1m0s") || took != time.Minute {
			t.Errorf("after %s it says %v", took, err)
		}
	})
}

func TestAServerOnHTTPThatBreaksOffInACallSaysThatNothingIsKnown(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		said := newJournal()
		site := newSite(t, kind, nil)
		o := said.options()
		o.HTTP = &http.Transport{DisableKeepAlives: true} // so that no call is sent on a connection that was just closed
		s := newServer(t, site.config(), o)
		hanging := hangIn(t, t.Context(), s, said)
		site.CloseClientConnections()
		wantText(t, <-hanging, true, "The call to the server remote failed: ", "what the call did is not known.")
		wantText(t, run(t, s, "echo", `{"still":"there"}`), false, "still")
		_ = s.Close()
	}
}
