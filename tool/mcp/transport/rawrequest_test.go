package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/tool/mcp/transport"
)

func TestACancellationReachesAServerThatAnswersNoRequestAndMakesRoom(t *testing.T) {
	t.Parallel()
	const most = 64 // open at a time
	heard, ended := make(chan string, 2*most), make(chan struct{}, most)
	_, raw := rawSite(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		heard <- string(text)
		switch {
		case strings.Contains(string(text), `"last"`):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"last","result":{}}`)
		case strings.Contains(string(text), "cancelled"):
			w.WriteHeader(http.StatusAccepted)
		default:
			<-r.Context().Done()
			ended <- struct{}{}
		}
	})
	say := func(format string, args ...any) {
		t.Helper()
		if err := raw.Write(t.Context(), fmt.Appendf(nil, format, args...)); err != nil {
			t.Fatal(err)
		}
	}
	cancel := func(id string) {
		t.Helper()
		say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id)
		if text := <-heard; !strings.Contains(text, "cancelled") {
			t.Errorf("the server hears %s", text)
		}
	}
	for id := range most {
		say(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)
		<-heard
	}
	say(`{"jsonrpc":"2.0","id":"waits","method":"ping"}`)
	cancel(`"waits"`)
	cancel("0.0")
	<-ended
	say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	if text := <-heard; !strings.Contains(text, `"last"`) {
		t.Errorf("the server hears %s", text)
	}
	if got, err := raw.Read(t.Context()); err != nil || !strings.Contains(string(got), `"last"`) {
		t.Errorf("it is read as %s, %v", got, err)
	}
}

func TestARawAnswerIsThatOfItsIDHoweverThatIsWritten(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"application/json", "text/event-stream"} {
		_, raw := rawSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			if kind == "text/event-stream" {
				_, _ = io.WriteString(w, "data: ")
			}
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1.0,"result":{}}`+"\n\n")
		})
		if err := raw.Write(t.Context(), []byte(asks)); err != nil {
			t.Fatal(err)
		}
		if got, err := raw.Read(t.Context()); err != nil || !strings.Contains(string(got), `"result"`) {
			t.Errorf("%s: it is read as %s, %v", kind, got, err)
		}
	}
}

// telling is a server whose status line says more than a number.
type telling struct{}

func (telling) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 400, Status: "400 lct_secret", Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

func TestOfARefusedNoticeOnlyTheCodeIsLogged(t *testing.T) {
	t.Parallel()
	said := &logged{}
	tr := transport.NewHTTP(transport.Site{URL: "http://server.example", Base: telling{}}, said.log)
	defer tr.Shutdown(func() {})
	raw, err := tr.Raw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/odd"}`))
	if text := said.text(); err != nil || !strings.Contains(text, "400") || strings.Contains(text, "lct_secret") {
		t.Errorf("it is written with %v; the log is %s", err, text)
	}
}
