package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

func accepts(context.Context, mcp.Question) (mcp.Answer, error) {
	return mcp.Answer{Action: mcp.Accept, Content: []byte(`{"p":"x"}`)}, nil
}

func TestACallIsMadeOnceWhenTheServerDoesNotKnowItsOwnQuestion(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"with no more than 404": "", "with a message": `{"jsonrpc":"2.0","id":"q","error":{"code":-32001,"message":"no such session"}}`} {
		t.Run(name, func(t *testing.T) {
			raw, answered := newRaw(), make(chan struct{}, 9)
			raw.reply = func(w http.ResponseWriter, _ said) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = fmt.Fprint(w, body)
				answered <- struct{}{}
			}
			raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
				openStream(w)
				sendEvent(w, question("q"))
				<-answered
				sendEvent(w, m.fails(-32000, "paid, but no receipt could be printed"))
			}
			s := newServer(t, served(t, raw), mcp.Options{Ask: accepts})
			wantText(t, run(t, s, "pay", "{}"), true)
			if n := raw.called("pay"); n != 1 {
				t.Errorf("it was made %d times", n)
			}
		})
	}
}

func TestACallIsMadeOnceWhenAnotherOneIsRefused(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	began, refused := make(chan struct{}, 9), make(chan struct{})
	var forgot atomic.Bool
	raw.call = func(w http.ResponseWriter, r *http.Request, m said) {
		switch {
		case m.Params.Name == "look" && forgot.CompareAndSwap(false, true):
			w.WriteHeader(http.StatusNotFound)
		case m.Params.Name == "look":
			sendJSON(w, m.says("looked"))
		default:
			openStream(w)
			began <- struct{}{}
			select {
			case <-refused:
			case <-r.Context().Done():
			}
		}
	}
	s := newServer(t, served(t, raw), mcp.Options{})
	pay, look := find(t, s, "one", "pay"), find(t, s, "one", "look")
	paid := make(chan tool.Result, 1)
	go func() {
		r, err := pay.Run(t.Context(), call("one", "pay-1", "{}"))
		if err != nil {
			r.Text = err.Error()
		}
		paid <- r
	}()
	<-began
	wantText(t, runAs(t, t.Context(), look, call("one", "look-1", "{}")), false, "looked")
	close(refused)
	wantText(t, <-paid, true, "what the call did is not known")
	if n := raw.called("pay"); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

func TestACallIsMadeAgainOnlyWhenItWasRefusedWithoutALook(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, body string
		times      int
	}{
		"nothing":               {"", "", 2},
		"a text":                {"text/plain", "session not found", 2},
		"a page":                {"text/html", "<html>Not Found</html>", 2},
		"a session not found":   {"application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}`, 2},
		"an unknown session":    {"application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`, 2},
		"another kind of error": {"application/problem+json", `{"detail":"Not Found"}`, 2},
		"a result":              {"application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, 1},
		"an error of the call":  {"application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"paid, but no receipt"}}`, 1},
		"a batch":               {"application/json", `[{"jsonrpc":"2.0","id":1,"result":{}}]`, 1},
		"a stream":              {"text/event-stream", "data: {}\n\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			raw := newRaw()
			raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
				if raw.called("pay") > 1 {
					sendJSON(w, m.says("paid"))
					return
				}
				w.Header().Set("Content-Type", tt.kind)
				w.WriteHeader(http.StatusNotFound)
				_, _ = fmt.Fprint(w, tt.body)
			}
			r := run(t, newServer(t, served(t, raw), mcp.Options{}), "pay", "{}")
			if n := raw.called("pay"); n != tt.times || r.IsError != (tt.times == 1) {
				t.Errorf("it was made %d times: %s", n, r.Text)
			}
		})
	}
}

func TestACallThatHasBegunIsNotMadeAgainForAPage(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	replied := make(chan said, 9)
	raw.reply = func(w http.ResponseWriter, m said) {
		w.WriteHeader(http.StatusAccepted)
		replied <- m
	}
	raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
		openStream(w)
		sendEvent(w, question("q"))
		<-replied
		sendEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"log in","data":{"elicitations":[{"mode":"url","message":"m","url":"https://example.com/","elicitationId":"e"}]}}}`, m.ID))
	}
	wantText(t, run(t, newServer(t, served(t, raw), mcp.Options{Ask: accepts}), "pay", "{}"), true, "log in")
	if n := raw.called("pay"); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}
