package modeltest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/model"
)

// Wire is what a provider's server speaks.
type Wire int

// The wires.
const (
	ChatCompletions Wire = iota // POST /v1/chat/completions
	Messages                    // POST /v1/messages
)

// Answer is what a server says to one request: a message, or an error in its
// place or in the middle of it. The zero value is a message without anything.
type Answer struct {
	Thoughts []string // in pieces; signed by the server
	Hidden   bool     // beside them a thought that can't be read, where the wire has such
	Text     []string // in pieces
	Calls    []Call
	Stop     model.Stop
	Usage    *model.Usage // nil: none is told

	Whole bool // as one JSON body, though a stream is asked for
	Chunk int  // how many bytes of the body are sent at a time; 0: an event

	Status int // another than 200: the answer is an error, with Code and Words
	Header map[string]string
	Code   string
	Words  string

	End   Ending
	After string        // End comes after the first event that has this in it; empty: before all
	Every time.Duration // of Trickle and KeptAlive: the pause
}

// Call is a tool call of an Answer.
type Call struct {
	ID, Name string
	Args     []string // in pieces
}

// Ending is how an answer ends.
type Ending int

// The endings.
const (
	Complete   Ending = iota
	CutOff            // the body ends, as if all was said
	Dropped           // the connection breaks
	Silent            // nothing comes any more
	Trickle           // single bytes of an event that does not end
	Garbage           // an event that is no JSON, and the rest
	ErrorEvent        // an error with Code and Words
	Empty             // of an answer without anything in it: no choice, no message
	KeptAlive         // four comments to keep the line, then the rest
)

// Server answers as it is told, and refuses with a 400 what the real ones
// refuse. It is a http.Handler.
type Server struct {
	Key    string // that requests must have; empty: none may be sent
	Always Answer // once the script is used up
	Extras bool   // of ChatCompletions: takes the fields by which thoughts are sent back

	Pages map[string]string // what GET answers to a path below the wire's base, beside 404

	wire dialect

	mu       sync.Mutex
	script   []Answer
	requests []Request
}

// Request is one that has been answered.
type Request struct {
	Header http.Header
	Body   []byte
	Fault  error // why it was refused as malformed; nil: it was not
}

// NewServer makes a server, which Start or Connect bring up.
func NewServer(w Wire, script ...Answer) *Server {
	s := &Server{script: script, wire: chat{}}
	if w == Messages {
		s.wire = messages{}
	}
	return s
}

// dialect is one wire.
type dialect interface {
	base() string // what clients have as the path of their address
	path() string
	check(s *Server, h http.Header, body []byte) error
	events(a Answer) []string
	whole(a Answer) string
	empty() []string // of the ending Empty
	complaint(code, words string) string
	errorEvent(code, words string) string
	thoughts(body []byte) string // those of the last message of the assistant
}

// Start brings the server up on loopback until the test ends.
func (s *Server) Start(t testing.TB) (baseURL string, c *http.Client) {
	t.Helper()
	up := httptest.NewServer(s)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		up.CloseClientConnections()
		up.Close()
	})
	return up.URL + s.wire.base(), &http.Client{Transport: transport}
}

// Connect brings the server up in memory, for tests in a bubble of
// testing/synctest.
func (s *Server) Connect(t testing.TB) (baseURL string, c *http.Client) {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	up := &http.Server{Handler: s}
	done := make(chan error, 1)
	go func() { done <- up.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := up.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return "http://model.test" + s.wire.base(), &http.Client{Transport: transport}
}

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "model.test", Net: "pipe"} }

// Requests are those that have come so far, each attempt of its own.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// next takes the request down, and the next answer from the script.
func (s *Server) next(r Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if r.Fault != nil || len(s.script) == 0 {
		return s.Always
	}
	a := s.script[0]
	s.script = s.script[1:]
	return a
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	if r.Method == http.MethodGet {
		s.page(w, r)
		return
	}
	request := Request{Header: r.Header, Body: body}
	if r.Method != http.MethodPost || r.URL.Path != s.wire.path() {
		request.Fault = errors.New(r.Method + " " + r.URL.Path + ": no such thing here")
	} else {
		request.Fault = s.wire.check(s, r.Header, body)
	}
	a := s.next(request)
	if request.Fault != nil {
		a = Answer{Status: http.StatusBadRequest, Code: "invalid_request_error", Words: request.Fault.Error()}
	}
	s.answer(w, r, a)
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	page, ok := s.Pages[strings.TrimPrefix(r.URL.EscapedPath(), s.wire.base())]
	if r.Header.Get("Authorization") != "Bearer "+s.Key {
		s.answer(w, r, Answer{Status: http.StatusUnauthorized, Code: "authentication_error", Words: "wrong key " + r.Header.Get("Authorization")})
		return
	}
	if !ok {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = io.WriteString(w, page) // a client that has gone is no fault
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, a Answer) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, s.wire.complaint(a.Code, a.Words))
		return
	}
	out := &outlet{w: w, r: r, chunk: a.Chunk}
	if a.Whole {
		w.Header().Set("Content-Type", "application/json")
		out.send(s.wire.whole(a))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	events := s.wire.events(a)
	if a.End == Empty {
		events = s.wire.empty()
	}
	out.flush()
	if a.End != Complete && a.End != Empty {
		n := 0
		for a.After != "" && n < len(events) {
			n++
			if strings.Contains(events[n-1], a.After) {
				break
			}
		}
		out.send(events[:n]...)
		events = s.end(out, a, events[n:])
	}
	out.send(events...)
}

// end does what the ending says, and returns the events that still follow.
func (s *Server) end(out *outlet, a Answer, rest []string) []string {
	switch a.End {
	case Dropped:
		panic(http.ErrAbortHandler)
	case Silent:
		<-out.r.Context().Done()
	case Trickle:
		out.send("data: ")
		for out.pause(a.Every) {
			out.send("x")
		}
	case Garbage:
		out.send("event: message_delta\ndata: {\"choices\":[}\n\n")
		return rest
	case ErrorEvent:
		out.send(s.wire.errorEvent(a.Code, a.Words))
	case KeptAlive:
		for range 4 {
			out.pause(a.Every)
			out.send(": still there\n\n")
		}
		out.pause(a.Every)
		return rest
	case CutOff, Complete, Empty:
	}
	return nil
}

// outlet sends a body in pieces.
type outlet struct {
	w     http.ResponseWriter
	r     *http.Request
	chunk int
}

func (o *outlet) send(texts ...string) {
	if o.chunk > 0 {
		all := strings.Join(texts, "")
		texts = nil
		for len(all) > 0 {
			n := min(o.chunk, len(all))
			texts, all = append(texts, all[:n]), all[n:]
		}
	}
	for _, text := range texts {
		_, _ = io.WriteString(o.w, text) // a client that has gone is no fault
		o.flush()
	}
}

func (o *outlet) flush() { _ = http.NewResponseController(o.w).Flush() }

// pause waits, and reports whether the client is still there.
func (o *outlet) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-o.r.Context().Done():
		return false
	}
}
