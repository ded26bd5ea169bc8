package modeltest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"
)

// server stands for a provider's server, at every address. It is in memory, so that it
// works in a bubble of testing/synctest.
type server struct {
	mu       sync.Mutex
	answers  []answer // the last one is for all requests that follow
	requests []request
	talking  sync.WaitGroup
}

// answer says something to one request. Without a head there is no connection.
type answer func(*line)

var errNobody = errors.New("nobody is there")

// newServer makes a server. The test ends once all its answers have.
func newServer(t testing.TB, answers ...answer) *server {
	s := &server{answers: answers}
	t.Cleanup(s.talking.Wait)
	return s
}

// answer makes these the answers to the requests that follow.
func (s *server) answer(answers ...answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers, s.requests = answers, nil
}

// sent are the requests since the answers were given, each attempt of its own.
func (s *server) sent() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

// next records a request, and returns the answer to it.
func (s *server) next(r request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answers[0]
	if s.requests = append(s.requests, r); len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return a
}

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a := s.next(request{method: r.Method, url: r.URL.String(), header: r.Header.Clone(), body: raw})
	body, out := io.Pipe()
	l := &line{ctx: r.Context(), out: out, res: make(chan *http.Response, 1), body: body}
	context.AfterFunc(l.ctx, func() { _ = out.CloseWithError(context.Cause(l.ctx)) })
	s.talking.Go(func() {
		a(l)
		close(l.res)
		_ = out.Close() // a no-op where the line has broken
	})
	select {
	case res, ok := <-l.res:
		if !ok {
			return nil, errNobody
		}
		res.Request = r
		return res, nil
	case <-l.ctx.Done():
		return nil, context.Cause(l.ctx)
	}
}

// line is what an answer goes through.
type line struct {
	ctx  context.Context // of the request: it ends when the client goes
	res  chan *http.Response
	body io.ReadCloser
	out  *io.PipeWriter
}

// head sends the status and the headers.
func (l *line) head(r response) {
	l.res <- &http.Response{StatusCode: r.status, Header: r.header.Clone(), Body: l.body}
}

// say sends a piece of the body. A client that has gone is no fault.
func (l *line) say(text string) { _, _ = io.WriteString(l.out, text) }

// pause waits, and reports whether the client is still there.
func (l *line) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// hold stays silent until the client goes.
func (l *line) hold() { <-l.ctx.Done() }

// drop breaks the connection.
func (l *line) drop() { _ = l.out.CloseWithError(errors.New("the connection broke")) }
