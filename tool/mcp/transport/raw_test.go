package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// rawProgram is the raw connection to a program that writes a line some times.
func rawProgram(t *testing.T, line string, times int) (*transport.Transport, transport.Raw, *logged) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said := &logged{}
	tr := transport.NewStdio(transport.Program{
		Command: []string{self}, Environ: []string{lineVariable + "=" + line, timesVariable + "=" + strconv.Itoa(times)}, Family: family(),
	}, said.log)
	raw, err := tr.Raw(t.Context())
	t.Cleanup(func() { tr.Shutdown(func() {}) })
	if err != nil {
		t.Fatal(err)
	}
	return tr, raw, said
}

func TestRawMessagesPassAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	const odd = `{"jsonrpc":"2.0","id":12345678901234567890,"method":"x","params":{"inputSchema":{"b":1,"a":1.50}},"more":null}`
	_, raw, said := rawProgram(t, odd, 1000) // more notifications and requests than are taken otherwise
	for range 1000 {
		if got, err := raw.Read(t.Context()); err != nil || string(got) != odd {
			t.Fatalf("it is read as %s, %v", got, err)
		}
	}
	if got, err := raw.Read(t.Context()); err != nil || string(got) != end {
		t.Fatalf("it is read as %s, %v", got, err)
	}
	if said.text() != "" {
		t.Errorf("the log is %s", said.text())
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	if _, err := raw.Read(ctx); err == nil || err.Error() != "enough" {
		t.Errorf("a read whose ctx has ended says %v", err)
	}
}

func TestRawGreetingsAreLogged(t *testing.T) {
	t.Parallel()
	_, raw, said := rawProgram(t, "Hello", 1)
	if got, err := raw.Read(t.Context()); err != nil || string(got) != end || !strings.Contains(said.text(), "stdout: Hello") {
		t.Errorf("it is read as %s, %v; the log is %s", got, err, said.text())
	}
}

func TestARawProgramThatEndsIsRead(t *testing.T) {
	t.Parallel()
	tr := transport.NewStdio(transport.Program{Command: []string{"echo", end}, Family: family()}, (&logged{}).log)
	t.Cleanup(func() { tr.Shutdown(func() {}) })
	raw, err := tr.Raw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := raw.Read(t.Context()); err != nil || string(got) != end {
		t.Errorf("it is read as %s, %v", got, err)
	}
	if _, err := raw.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after its end it is read with %v", err)
	}
}

// rawSite is the raw connection to a server on HTTP.
func rawSite(t *testing.T, handler http.HandlerFunc) (*transport.Transport, transport.Raw) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	tr := transport.NewHTTP(transport.Site{URL: server.URL, Base: server.Client().Transport}, (&logged{}).log)
	raw, err := tr.Raw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Shutdown(func() {}) })
	return tr, raw
}

const asks = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`

func TestARawRequestIsAnsweredWhateverTheServerDoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, body string
		status     int
		want       string
	}{
		"an answer":                  {"application/json", `{"jsonrpc":"2.0","id":1,"result":{"n":1.50}}`, 200, `{"jsonrpc":"2.0","id":1,"result":{"n":1.50}}`},
		"a stream":                   {"text/event-stream", "id: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n", 200, "{\"jsonrpc\":\"2.0\",\n\"id\":1,\"result\":{}}"},
		"an error with its code":     {"application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"old"}}`, 400, `"code":-32022`},
		"a failure":                  {"text/plain", "oops", 500, "500 Internal Server Error"},
		"an answer to another":       {"application/json", `{"jsonrpc":"2.0","id":2,"result":{}}`, 200, "the server answered 200"},
		"a stream without an answer": {"text/event-stream", "data: {}\n\n", 200, "{}"},
	} {
		_, raw := rawSite(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		if err := raw.Write(t.Context(), []byte(asks)); err != nil {
			t.Fatal(err)
		}
		if got, err := raw.Read(t.Context()); err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s is read as %s, %v", name, got, err)
		}
	}
}

func TestARawSessionIsNamedAndEnded(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	tr, raw := rawSite(t, func(w http.ResponseWriter, r *http.Request) {
		heard <- r.Method + " " + r.Header.Get("Mcp-Session-Id") + " " + r.Header.Get("Mcp-Protocol-Version")
		w.Header().Set("Mcp-Session-Id", "s1")
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
	})
	if err := raw.Write(t.Context(), []byte(asks)); err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := raw.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"POST  ", "POST s1 2025-06-18", "GET s1 2025-06-18"} {
		if got := <-heard; got != want {
			t.Errorf("the server hears %q, not %q", got, want)
		}
	}
	tr.Shutdown(func() {})
	if got := <-heard; got != "DELETE s1 2025-06-18" {
		t.Errorf("at the end the server hears %q", got)
	}
	if _, err := raw.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after its end it is read with %v", err)
	}
}

func TestARawNoticeThatTheServerRefusesIsLoggedAndNoMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message, logged string
		status          int
		want            error
	}{
		"a notice":            {`{"jsonrpc":"2.0","method":"notifications/odd"}`, `"notifications/odd" with 400`, 400, nil},
		"an answer":           {`{"jsonrpc":"2.0","id":3,"result":{}}`, `"an answer" with 500`, 500, nil},
		"a forgotten session": {`{"jsonrpc":"2.0","method":"notifications/odd"}`, "", 404, transport.ErrForgotten},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				w.Header().Set("Mcp-Session-Id", "s1")
				w.Header().Set("Content-Type", "application/json")
				if string(text) != asks {
					w.WriteHeader(c.status)
					return
				}
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			}))
			t.Cleanup(server.Close)
			said := &logged{}
			tr := transport.NewHTTP(transport.Site{URL: server.URL, Base: server.Client().Transport}, said.log)
			t.Cleanup(func() { tr.Shutdown(func() {}) })
			raw, err := tr.Raw(t.Context())
			if err = errors.Join(err, raw.Write(t.Context(), []byte(asks))); err != nil {
				t.Fatal(err)
			}
			if _, err := raw.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := raw.Write(t.Context(), []byte(c.message)); !errors.Is(err, c.want) || !strings.Contains(said.text(), c.logged) {
				t.Errorf("it is written with %v; the log is %s", err, said.text())
			}
		})
	}
}

// silent is a server that answers nothing.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestARawNoticeThatTheServerDoesNotTakeHoldsUpTheNextForALimitedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := &logged{}
		tr := transport.NewHTTP(transport.Site{URL: "http://server.example", Base: silent{}}, said.log)
		defer tr.Shutdown(func() {})
		raw, err := tr.Raw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		err = raw.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/odd"}`))
		if took := time.Since(begun); err != nil || took != 30*time.Second || !strings.Contains(said.text(), "did not take") {
			t.Errorf("it is written after %s with %v; the log is %s", took, err, said.text())
		}
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer stop()
		if err := raw.Write(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/odd"}`)); err == nil {
			t.Error("it is written once its ctx has ended")
		}
	})
}

func TestARawRequestIsAnsweredWhateverItsParamsAre(t *testing.T) {
	t.Parallel()
	_, raw := rawSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
	for _, params := range []string{`{"name":5}`, `{"uri":[]}`, `{"_meta":7}`, `[1]`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":{}}}`} {
		if err := raw.Write(t.Context(), []byte(`{"jsonrpc":"2.0","params":`+params+`,"id":1,"method":"ping"}`)); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		if got, err := raw.Read(ctx); err != nil || !strings.Contains(string(got), `"result"`) {
			t.Errorf("with params %s it is read as %s, %v", params, got, err)
		}
		stop()
	}
}

func TestRawBytesThatAreNoTextPassToAProgramAsTheyAre(t *testing.T) {
	t.Parallel()
	tr := transport.NewStdio(transport.Program{Command: []string{"cat"}, Family: family()}, (&logged{}).log)
	t.Cleanup(func() { tr.Shutdown(func() {}) })
	raw, err := tr.Raw(t.Context())
	if err = errors.Join(err, raw.Write(t.Context(), []byte("{\"a\":\r\n\"\xff\xc3\"}"))); err != nil {
		t.Fatal(err)
	}
	if got, err := raw.Read(t.Context()); err != nil || string(got) != "{\"a\":  \"\xff\xc3\"}" {
		t.Errorf("it is read as %q, %v", got, err)
	}
}
