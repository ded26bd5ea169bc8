package mcpgate

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/lineclear/lineclear/tool"
)

const (
	writeWithin = 30 * time.Second
	aliveEvery  = 15 * time.Second // proxies end streams that are silent for longer
	maxWaiting  = 100              // messages that wait for a stream of the client's
)

// session is a client's connection by HTTP.
type session struct {
	id, server, owner string
	end               context.CancelCauseFunc
	in                chan []byte   // what the client has sent
	done              chan struct{} // closed once the session has ended

	mu      sync.Mutex
	streams map[string]*stream // the answers to its requests, by id
	tokens  map[string]*stream // the same, by the token of their progress
	newest  *stream
	general *stream  // for what belongs to no request
	waiting [][]byte // for a stream to be opened
	open    int      // requests of HTTP
	used    time.Time
}

// stream is an answer of HTTP that is being written.
type stream struct {
	messages chan []byte
	over     chan struct{} // closed once nothing is written any more
	takeBack context.CancelFunc
	back     <-chan struct{} // closed once the client no longer waits for an answer
}

func newStream() *stream {
	ctx, takeBack := context.WithCancel(context.Background())
	return &stream{messages: make(chan []byte), over: make(chan struct{}), takeBack: takeBack, back: ctx.Done()}
}

var _ Conn = (*session)(nil)

// Read implements Conn.
func (s *session) Read(ctx context.Context) ([]byte, error) {
	select {
	case raw := <-s.in:
		return raw, nil
	case <-ctx.Done():
		return nil, io.EOF
	}
}

// Write implements Conn: it hands a message to the stream that it belongs to.
func (s *session) Write(ctx context.Context, raw []byte) error {
	m, err := read(raw)
	if err != nil {
		return err
	}
	return s.hand(ctx, s.streamFor(m), raw)
}

// writeOf hands a message to the stream of a request.
func (s *session) writeOf(ctx context.Context, id tool.JSON, raw []byte) error {
	s.mu.Lock()
	to := s.streams[key(id)]
	s.mu.Unlock()
	return s.hand(ctx, to, raw)
}

func (s *session) hand(ctx context.Context, to *stream, raw []byte) error {
	if to == nil {
		return nil
	}
	select {
	case to.messages <- raw:
	case <-to.over: // the client has gone; what it waits for is cancelled
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// streamFor is where a message goes. What belongs to no request waits for a stream, and
// too much of it is left out.
func (s *session) streamFor(m message) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.isResponse() && m.id != nil {
		return s.streams[key(m.id)]
	}
	if to := s.tokens[key(member(m.params, "progressToken"))]; to != nil && m.method == "notifications/progress" {
		return to
	}
	switch {
	case s.general != nil && !m.isRequest():
		return s.general
	case s.newest != nil:
		return s.newest
	case s.general != nil:
		return s.general
	case len(s.waiting) < maxWaiting:
		s.waiting = append(s.waiting, m.raw)
	}
	return nil
}

// put hands on a message of the client's, and reports whether the session takes it.
func (s *session) put(ctx context.Context, raw []byte) bool {
	s.uses(0)
	select {
	case s.in <- raw:
		return true
	case <-s.done:
		return false
	case <-ctx.Done():
		return false
	}
}

// cancelled ends the stream of a request that the client has cancelled: there is no answer to it.
func (s *session) cancelled(m message) {
	if m.method != "notifications/cancelled" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.streams[key(member(m.params, "requestId"))]; of != nil {
		of.takeBack()
	}
}

// request hands on a request, and answers with a stream up to its response. A client that
// does not wait for that has cancelled the request.
func (s *session) request(w http.ResponseWriter, r *http.Request, m message) {
	id, token := key(m.id), key(member(m.params, "_meta", "progressToken"))
	one := newStream()
	s.mu.Lock()
	taken := s.streams[id] != nil
	if !taken {
		s.streams[id], s.newest = one, one
		if token != "" {
			s.tokens[token] = one
		}
	}
	s.mu.Unlock()
	if taken {
		refuse(w, http.StatusBadRequest, m.id, badRequest, "a request with this id is open already")
		return
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.streams, id)
		if s.tokens[token] == one {
			delete(s.tokens, token)
		}
		if s.newest == one {
			s.newest = nil
			for _, other := range s.streams {
				s.newest = other
			}
		}
	}()
	over := sync.OnceFunc(func() { close(one.over) })
	defer over()
	if !s.put(r.Context(), m.raw) {
		refuse(w, http.StatusNotFound, m.id, unknownSession, "session not found: it has ended")
		return
	}
	if s.stream(w, r, one, func(raw []byte) bool {
		answer, err := read(raw)
		return err == nil && answer.isResponse() && key(answer.id) == id
	}) {
		return
	}
	over() // whoever takes the notice may be writing to this stream
	s.put(context.WithoutCancel(r.Context()), written{Method: "notifications/cancelled", Params: map[string]any{
		"requestId": m.id, "reason": "the client has ended the connection",
	}}.bytes())
}

// listen answers with a stream of what belongs to no request.
func (s *session) listen(w http.ResponseWriter, r *http.Request) {
	one := newStream()
	s.mu.Lock()
	taken := s.general != nil
	var waiting [][]byte
	if !taken {
		s.general, waiting, s.waiting = one, s.waiting, nil
	}
	s.mu.Unlock()
	if taken {
		refuse(w, http.StatusConflict, nil, badRequest, "the session has such a stream already")
		return
	}
	defer func() {
		s.mu.Lock()
		s.general = nil
		s.mu.Unlock()
		close(one.over)
	}()
	s.stream(w, r, one, func([]byte) bool { return false }, waiting...)
}

// stream writes messages as server-sent events up to the last, and reports whether that was
// written.
func (s *session) stream(w http.ResponseWriter, r *http.Request, from *stream, last func(raw []byte) bool, first ...[]byte) bool {
	s.uses(1)
	defer s.uses(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	send := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeWithin)) // where there is none, nothing is limited
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	w.WriteHeader(http.StatusOK)
	if !send(nil) {
		return false
	}
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		var raw []byte
		if len(first) > 0 {
			raw, first = first[0], first[1:]
		} else {
			select {
			case raw = <-from.messages:
			case <-alive.C:
				if !send([]byte(": waiting\n\n")) {
					return false
				}
				continue
			case <-s.done:
				return true
			case <-from.back:
				return true
			case <-r.Context().Done():
				return false
			}
		}
		event := append([]byte("event: message\ndata: "), bytes.TrimSpace(oneLine(raw))...)
		if !send(append(event, "\n\n"...)) {
			return false
		}
		if last(raw) {
			return true
		}
	}
}

// uses notes that the client is there, or has gone.
func (s *session) uses(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	s.used = time.Now()
}

// lastUse is when the client was there, and whether it is.
func (s *session) lastUse() (used time.Time, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.open > 0
}

// watch ends the session once the client has not been there for a time.
func (s *session) watch(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if used, open := s.lastUse(); !open && time.Since(used) > idleFor {
				s.end(ErrClientEnded)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// within carries requests into the gateway's own API, as if they came from the client.
type within struct {
	handler http.Handler
	from    string
}

// RoundTrip implements http.RoundTripper.
func (t within) RoundTrip(r *http.Request) (*http.Response, error) {
	inner := r.Clone(r.Context())
	inner.RemoteAddr, inner.RequestURI = t.from, r.URL.RequestURI()
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	answer := &recorded{header: http.Header{}}
	t.handler.ServeHTTP(answer, inner)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: max(answer.status, http.StatusOK), Header: answer.header, Body: io.NopCloser(&answer.body), Request: r,
		ContentLength: int64(answer.body.Len()), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// recorded is an answer that is kept.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header { return r.header }

func (r *recorded) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *recorded) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}
