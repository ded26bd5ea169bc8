package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool/mcp"
)

// wire carries requests to a handler without a network, so that its time can be
// the test's.
type wire struct {
	handler  http.Handler
	down     atomic.Bool
	sessions atomic.Int64 // connections begun
	ended    atomic.Int64 // connections ended by us
}

func newWire() *wire {
	s := newTestServer("old", nil)
	return &wire{handler: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{DisableLocalhostProtection: true})}
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.down.Load() {
		return nil, errors.New("the line is down")
	}
	if r.Method == http.MethodDelete {
		w.ended.Add(1)
	}
	if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Method") != "server/discover" {
		w.sessions.Add(1)
	}
	out, in := io.Pipe()
	a := &answerWriter{header: http.Header{}, in: in, begun: make(chan *http.Response, 1), out: out}
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		defer cancel()
		w.handler.ServeHTTP(a, r.Clone(ctx))
		a.WriteHeader(http.StatusOK)
		_ = in.Close()
	}()
	context.AfterFunc(r.Context(), func() { _ = out.CloseWithError(io.EOF) })
	select {
	case resp := <-a.begun:
		resp.Request = r
		return resp, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

type answerWriter struct {
	header http.Header
	in     *io.PipeWriter
	out    *io.PipeReader
	once   sync.Once
	begun  chan *http.Response
}

func (a *answerWriter) Header() http.Header { return a.header }
func (a *answerWriter) Flush()              { a.WriteHeader(http.StatusOK) }

func (a *answerWriter) WriteHeader(code int) {
	a.once.Do(func() {
		a.begun <- &http.Response{StatusCode: code, Header: a.header.Clone(), Body: a.out, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	})
}

func (a *answerWriter) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.in.Write(p)
}

// timed runs a test in a time of its own, with a server on a wire.
func timed(t *testing.T, c mcp.Config, o mcp.Options, test func(t *testing.T, s *mcp.Server, w *wire)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		c.Name, c.URL, o.HTTP = "remote", "http://localhost/mcp", w
		s, err := mcp.New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		test(t, s, w)
		synctest.Wait() // what was cancelled is told so before all is closed
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAConnectionThatIsNotUsedIsEndedAndTheNextUseStartsOne(t *testing.T) {
	timed(t, mcp.Config{Idle: time.Minute}, mcp.Options{}, func(t *testing.T, s *mcp.Server, w *wire) {
		echo := find(t, s, "one", "echo")
		for range 5 { // each use restarts the minute
			<-time.After(40 * time.Second)
			wantText(t, runAs(t, t.Context(), echo, call("one", "c", "{}")), false, "{}")
		}
		if w.sessions.Load() != 1 || w.ended.Load() != 0 {
			t.Errorf("%d connections begun, %d ended", w.sessions.Load(), w.ended.Load())
		}
		<-time.After(61 * time.Second)
		synctest.Wait()
		if w.ended.Load() != 1 {
			t.Errorf("%d connections ended", w.ended.Load())
		}
		wantText(t, runAs(t, t.Context(), echo, call("one", "c", "{}")), false, "{}")
		if w.sessions.Load() != 2 {
			t.Errorf("%d connections begun", w.sessions.Load())
		}
	})
}

func TestAConnectionIsNotEndedUnderACall(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{Idle: time.Minute, CallTimeout: time.Hour}, mcp.Options{}, func(t *testing.T, s *mcp.Server, _ *wire) {
		r := run(t, s, "hang", "{}")
		wantText(t, r, true, "did not answer within 1h0m0s and was told to stop")
	})
}

func TestAfterFailuresItIsStartedLaterAndLater(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{}, mcp.Options{}, func(t *testing.T, s *mcp.Server, w *wire) {
		w.down.Store(true)
		failed := func() *mcp.Error {
			t.Helper()
			_, err := s.Tools(t.Context(), "one")
			var e *mcp.Error
			if !errors.As(err, &e) {
				t.Fatalf("it says %v", err)
			}
			return e
		}
		for _, pause := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
			began := time.Now()
			e := failed()
			if want := fmt.Sprintf("it can be started again in %s, at ", time.Duration(pause)*time.Second); !e.Again.Equal(began.Add(time.Duration(pause)*time.Second)) || !strings.Contains(e.Error(), want) {
				t.Errorf("it says %v, want %s", e, want)
			}
			<-time.After(e.Again.Sub(began) - time.Millisecond)
			if e := failed(); !strings.Contains(e.Error(), "the line is down") || !strings.Contains(e.Error(), "again in 1ms, at") {
				t.Errorf("just before, it says %v", e)
			}
			<-time.After(time.Millisecond)
		}
		// Another session does not have to wait, and after a success nobody has.
		w.down.Store(false)
		find(t, s, "two", "echo")
		find(t, s, "one", "echo")
	})
}

func TestProgressSetsTheClockOfACallBack(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{CallTimeout: time.Minute}, mcp.Options{}, func(t *testing.T, s *mcp.Server, _ *wire) {
		began := time.Now()
		wantText(t, run(t, s, "slow", `{"seconds":[50,50,50]}`), false, "done")
		if took := time.Since(began); took != 150*time.Second {
			t.Errorf("it took %s", took)
		}
		began = time.Now()
		wantText(t, run(t, s, "slow", `{"seconds":[50,70]}`), true, "did not answer within 1m0s")
		if took := time.Since(began); took != 110*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestTheClockOfACallStandsStillWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	ask := func(context.Context, mcp.Question) (mcp.Answer, error) {
		<-time.After(time.Hour)
		return mcp.Answer{Action: mcp.Accept, Content: []byte(`{"name":"Ada"}`)}, nil
	}
	timed(t, mcp.Config{CallTimeout: time.Minute}, mcp.Options{Ask: ask}, func(t *testing.T, s *mcp.Server, _ *wire) {
		wantText(t, run(t, s, "ask-aside", "{}"), false, `"accept"`)
	})
}

func TestAServerThatListsNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{StartTimeout: time.Minute}, mcp.Options{}, func(t *testing.T, s *mcp.Server, w *wire) {
		inner := w.handler
		w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Body == nil {
				r.Body = http.NoBody
			}
			body, err := io.ReadAll(r.Body)
			if err == nil && bytes.Contains(body, []byte("tools/list")) {
				<-r.Context().Done()
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			inner.ServeHTTP(rw, r)
		})
		_, err := s.Tools(t.Context(), "one")
		if err == nil || !strings.Contains(err.Error(), "it did not list its tools within 1m0s") {
			t.Errorf("it says %v", err)
		}
	})
}

func TestACallThatIsGivenUpWhileTheServerStartsDoesNotEndTheStart(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{}, mcp.Options{}, func(t *testing.T, s *mcp.Server, w *wire) {
		inner := w.handler
		w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			<-time.After(time.Second)
			inner.ServeHTTP(rw, r)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Tools(ctx, "one"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it says %v", err)
		}
		find(t, s, "one", "echo")
		if w.sessions.Load() != 1 {
			t.Errorf("%d connections begun", w.sessions.Load())
		}
	})
}
