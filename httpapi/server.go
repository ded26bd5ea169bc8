// Package httpapi is the gateway's HTTP doors: logging in, tickets, agents,
// sessions, the WebSocket's address and the dashboard's files.
//
// Every route states what right it needs; one that needs none says so. All of
// them stand behind auth.OriginCheck, bodies are decoded strictly, and errors are
// problem documents (RFC 9457).
package httpapi

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/session"
)

// How long a body may take: of somebody who is not known, and who is.
const (
	strangersTime = time.Second
	bodyTime      = 30 * time.Second
)

// maxBody bounds a request's body, in bytes; maxAsk that of a request for an approval, which
// may carry a whole file.
const (
	maxBody = 64 << 10
	maxAsk  = 1 << 20
)

// Backend is what the doors lead to; all of it but Limits, Frames, LinkUsed,
// Terminals, Nodes, Push, Meter, Metrics and Checks is required.
type Backend struct {
	Door    *door.Door
	Suggest func(ctx context.Context, approvalID string) ([]approval.Suggestion, error)
	Explain func(ctx context.Context, call TriedCall) (Explained, error)

	// SuggestFor is Suggest for a call that nobody has made; Tried is such a call as it can be allowed
	// beforehand, or why it can't be.
	SuggestFor func(ctx context.Context, call TriedCall) ([]approval.Suggestion, error)
	Tried      func(call TriedCall) (approval.Request, error)

	Rules     func(agentID string) []policy.Listed
	Keyring   *auth.Keyring  // tokens and logins
	Places    *auth.Places   // what each holds open; nil: the default
	Links     *auth.OneTime  // login links
	LinkFor   time.Duration  // how long a login link is good
	LinkBase  string         // where it leads: the dashboard's address
	Tickets   *auth.OneTime  // for WebSockets
	TicketFor time.Duration  // how long a ticket is good
	Terminals auth.Terminals // that are waiting to log in; nil: kept in memory
	Origins   *auth.OriginCheck
	Limits    Limits
	Closing   context.Context // ends when the gateway stops: streams end with it
	WebSocket http.Handler
	Frames    Frames // what goes over it, for its description
	Dashboard http.Handler
	LinkOwner string // whose links are made again when one is used up
	LinkUsed  func() // called when one of them has been

	Watched func(context.Context) // called when a stream has begun or ended whose person may answer; may be nil

	MCP MCPDoor // where MCP clients come in; nil: nowhere

	// Reload reads the configuration again and takes it over, or returns ErrNotReloaded; nil: it can't.
	Reload func(ctx context.Context, who auth.Identity) ([]audit.Change, error)

	LocalKeyAnswers bool // the local key has an admin's rights

	// Nodes lists the gateways of the cluster; nil: there is none.
	Nodes func(ctx context.Context) ([]session.Node, error)

	Push    Push   // calls people's browsers; nil: none is called
	PushKey string // what they subscribe with

	Logger  *zap.Logger
	Meter   Meter        // told of every request; nil disables it
	Metrics http.Handler // of /metrics; nil: there are none
	Checks  []Check      // of /readyz
}

// Server is the doors of one gateway.
type Server struct {
	Backend
	log       *zap.Logger
	limits    *limiters
	readiness *readiness
	mux       *http.ServeMux

	openAPI, asyncAPI, docsText func() ([]byte, error) // descriptions, each made once

	pausing atomic.Int64 // refusals that are being delayed

	watching sync.Mutex
	watchers map[*call]struct{} // streams of people who may answer
}

// New makes a server.
func New(b Backend) *Server {
	s := &Server{Backend: b, log: b.Logger, limits: newLimiters(b.Limits), readiness: newReadiness(), watchers: map[*call]struct{}{}}
	s.openAPI = sync.OnceValues(func() ([]byte, error) { return s.OpenAPI().MarshalJSON() })
	s.asyncAPI, s.docsText = sync.OnceValues(s.AsyncAPI), sync.OnceValues(s.docsPage)
	if s.Places == nil {
		s.Places = auth.NewPlaces(0, 0)
	}
	if s.Terminals == nil {
		s.Terminals = &auth.Devices{}
	}
	if s.Closing == nil {
		s.Closing = context.Background()
	}
	if s.log == nil {
		s.log = zap.NewNop()
	}
	return s
}

// Handler is all routes behind the fence.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.mux = mux
	for _, route := range s.Routes() {
		mux.HandleFunc(route.Pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &route) })
	}
	return s.observed(secured(s.hooked(s.fenced(s.sized(mux)))))
}

// fenced lets through what passes the fence.
func (s *Server) fenced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := s.Origins.Refuse(r); status != 0 {
			if status == http.StatusForbidden {
				noteOf(r).refused = "origin"
			}
			w.Header().Set("Connection", "close") // the rest of the request is not read
			if !s.limits.addresses.Allow(s.address(r)) {
				s.fail(&call{w: w, r: r}, errTooMany("too many requests come from this address"))
				return
			}
			s.log.Warn("a request from outside was refused", append(s.about(r),
				zap.Int("status", status), zap.String("host", r.Host), zap.Strings("origin", r.Header.Values("Origin")))...)
			p, _ := problemOf(&fault{status, why})
			writeJSON(w, p.Status, problemType, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serve brings a request to its route if it is admitted. A refused request holds no place
// while the refusal is sent.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, route *Route) {
	noteOf(r).route = route.Pattern
	r.Body = http.MaxBytesReader(w, r.Body, route.limit())
	c := &call{w: w, r: r, route: route}
	if err := s.enter(c); err != nil {
		s.fail(c, err)
	}
}

func (s *Server) enter(c *call) error {
	leave, err := s.admit(c)
	if err != nil {
		return err
	}
	defer leave()
	if c.route.Right != open {
		readWithin(c.w, c.r, bodyTime)
	}
	if err := c.checkQuery(); err != nil {
		return err
	}
	if err := s.inScope(c); err != nil {
		return err
	}
	return c.route.serve(c)
}

// secured sets the headers that every answer carries, and the time for the body.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		// A client that is not authenticated yet gets little time for its body. If the
		// deadline can't be set, there is no connection to hold.
		readWithin(w, r, strangersTime)
		next.ServeHTTP(w, r)
	})
}

// readWithin bounds the time for a request's body. Without one there is no deadline: net/http reads on
// while it answers, and a deadline that passes there ends this request and all that follow on the
// connection.
func readWithin(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	var by time.Time
	if r.ContentLength != 0 {
		by = time.Now().Add(limit)
	}
	_ = http.NewResponseController(w).SetReadDeadline(by)
}
