package httpapi

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"
)

// givenID matches the request ids that are taken from a proxy.
var givenID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// Meter counts what happens at the doors; *metrics.Metrics is it.
type Meter interface {
	// Served is told the route, empty where a request did not come so far.
	Served(route, method string, code int)
	// Refused is told why: host, origin, login, role, rate or connections.
	Refused(why string)
}

// requestID is the header by which a request is found in the log: its own, or,
// of a proxy that is trusted, the one that it has there.
const requestID = "X-Request-Id"

// note is what is found out about a request on its way.
type note struct {
	route   string
	refused string // why
}

type noteKey struct{}

// noteOf is the request's note; one that nobody reads, where there is none.
func noteOf(r *http.Request) *note {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

// observed gives each request its id, and counts it when it is over. From here
// on the header is ours, whatever the client has put there.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, n := time.Now(), &note{}
		id := s.requestID(r)
		r = r.WithContext(context.WithValue(r.Context(), noteKey{}, n))
		r.Header.Set(requestID, id)
		w.Header().Set(requestID, id)
		seen := &recorder{ResponseWriter: w, pause: func() { s.pause(r) }}
		defer func() { s.count(r, n, seen.code(), time.Since(began)) }()
		next.ServeHTTP(seen, r)
	})
}

func (s *Server) count(r *http.Request, n *note, code int, took time.Duration) {
	s.log.Debug("a request was answered", append(s.about(r), zap.Int("status", code), zap.Duration("took", took))...)
	if s.Meter == nil {
		return
	}
	_, path, ok := strings.Cut(n.route, " ")
	if !ok {
		path = n.route
	}
	s.Meter.Served(path, r.Method, code)
	if why := n.why(code); why != "" {
		s.Meter.Refused(why)
	}
}

// why is the reason of a refusal by its code, where nobody has noted another.
func (n *note) why(code int) string {
	switch {
	case n.refused != "":
		return n.refused
	case code == http.StatusMisdirectedRequest:
		return "host"
	case code == http.StatusUnauthorized:
		return "login"
	case code == http.StatusForbidden:
		return "role"
	case code == http.StatusTooManyRequests && n.route == socketRoute:
		return "connections"
	case code == http.StatusTooManyRequests:
		return "rate"
	default:
		return ""
	}
}

// requestID is the id under which a request stands in the log. What a client
// says counts only through a proxy that is trusted, and if it could be an id: it
// would otherwise write into the log.
func (s *Server) requestID(r *http.Request) string {
	given := r.Header.Values(requestID)
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err == nil && len(given) == 1 && s.limits.trusted(host) && givenID.MatchString(given[0]) {
		return given[0]
	}
	return uuid.NewString()
}

// pause delays a 429, the longer the more responses are delayed, so that clients that retry
// at once cost the others little. Its random part spreads the retries.
func (s *Server) pause(r *http.Request) {
	waiting := s.pausing.Add(1)
	defer s.pausing.Add(-1)
	select {
	case <-time.After(pauseAmong(waiting)):
	case <-r.Context().Done():
	case <-endingOf(r): // the context does not end with a connection that gives way
	case <-s.Closing.Done():
	}
}

// pauseAmong is one to two seconds, and 10 ms more for each response that waits already,
// so that about a hundred are sent a second, however many clients retry.
func pauseAmong(waiting int64) time.Duration {
	return time.Second + rand.N(time.Second) + time.Duration(min(waiting, 2000))*10*time.Millisecond
}

// recorder notes the code of an answer. It hands on what a stream and a
// WebSocket need of the writer beneath it.
type recorder struct {
	http.ResponseWriter
	pause  func() // before a 429 is sent
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(code int) {
	if w.status == 0 && code >= http.StatusOK {
		w.status = code
	}
	if code == http.StatusTooManyRequests {
		w.pause()
	}
	w.ResponseWriter.WriteHeader(code)
}

// Hijack implements http.Hijacker, for WebSockets.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// code is the answer's; an answer without one is a success.
func (w *recorder) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
