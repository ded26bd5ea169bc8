// Package httpapi is the gateway's HTTP doors: logging in, tickets, agents,
// sessions, the WebSocket's address and the dashboard's files.
//
// Every route states what right it needs; one that needs none says so. All of
// them stand behind auth.Fence, bodies are decoded strictly, and errors are
// problem documents (RFC 9457).
package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
)

// maxBody bounds a request's body in bytes.
const maxBody = 64 << 10

// cookieName is the login cookie on a server without TLS, where the __Host-
// prefix can't be used.
const cookieName = "lineclear_login"

// Agents is what the doors do with agents; *agent.Roster is it.
type Agents interface {
	Agents() []agent.Info
	NewSession(ctx context.Context, who auth.Identity, agentID, title string) (session.Session, error)
	End(ctx context.Context, who auth.Identity, via, sessionID string) error
}

// Sessions is what the doors read; every session.Log is it.
type Sessions interface {
	List(ctx context.Context) ([]session.Session, error)
	Get(ctx context.Context, id string) (session.Session, error)
}

// Approvals is what the doors do with grants and modes; *approval.Manager is
// it.
type Approvals interface {
	Grants(ctx context.Context, q approval.GrantQuery) ([]approval.Grant, error)
	Revoke(ctx context.Context, who auth.Identity, via, grantID string) (approval.Grant, error)
	SetMode(ctx context.Context, who auth.Identity, via, agentID string, mode approval.Mode, seen int64) (approval.ModeSetting, error)
	Pending(ctx context.Context, sessionID string) ([]approval.Request, error)
}

// Backend is what the doors lead to; all of it but Local and LinkUsed is
// required.
type Backend struct {
	Agents    Agents
	Sessions  Sessions
	Approvals Approvals
	Suggest   func(ctx context.Context, approvalID string) ([]approval.Suggestion, error)
	Local     *auth.Key // of programs on this machine
	Logins    *auth.Logins
	Links     *auth.OneTime // login links
	Tickets   *auth.OneTime // for WebSockets
	TicketFor time.Duration // how long a ticket is good
	Fence     *auth.Fence
	WebSocket http.Handler
	Dashboard http.Handler
	LinkUsed  func() // called when a login link has been used up
	Logger    *zap.Logger
}

// Server is the doors of one gateway.
type Server struct {
	Backend
	log *zap.Logger
}

// New makes a server.
func New(b Backend) *Server {
	s := &Server{Backend: b, log: b.Logger}
	if s.log == nil {
		s.log = zap.NewNop()
	}
	return s
}

// open marks a route that needs no login. It is not a right that anybody
// holds: forgetting a route's right shuts it.
const open = auth.Right(-1)

// Route is one address and the right that it needs.
type Route struct {
	Pattern string // as net/http.ServeMux takes it
	Right   auth.Right
	serve   func(w http.ResponseWriter, r *http.Request, who auth.Identity) error
}

// Routes lists every route; Handler serves these and no others.
func (s *Server) Routes() []Route {
	return []Route{
		{"POST /api/login", open, s.login},
		{"POST /api/logout", auth.See, s.logout},
		{"GET /api/me", auth.See, s.me},
		{"POST /api/ws-ticket", auth.See, s.ticket},
		{"GET /api/agents", auth.See, s.agents},
		{"GET /api/sessions", auth.See, s.sessions},
		{"POST /api/sessions", auth.Talk, s.newSession},
		{"GET /api/sessions/{id}", auth.See, s.session},
		{"POST /api/sessions/{id}/cancel", auth.Talk, s.cancelSession},
		{"PUT /api/agents/{id}/mode", auth.Manage, s.setMode},
		{"GET /api/approvals", auth.See, s.approvals},
		{"GET /api/approvals/{id}/suggestions", auth.See, s.suggestions},
		{"GET /api/grants", auth.See, s.grants},
		{"DELETE /api/grants/{id}", auth.Answer, s.revoke},
		{"GET /healthz", open, health},
		{"GET /ws", open, handled(s.WebSocket)}, // by ticket
		{"/", open, handled(s.Dashboard)},
		{"/api/", open, notFound},
	}
}

// Handler is all routes behind the fence.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.Routes() {
		mux.HandleFunc(route.Pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			who, err := s.admit(r, route.Right)
			if err == nil {
				err = route.serve(w, r, who)
			}
			if err != nil {
				s.fail(w, r, err)
			}
		})
	}
	return secured(s.Fence.Handler(mux))
}

// secured sets the headers that every answer carries.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}

// admit says who asks, and refuses who may not.
func (s *Server) admit(r *http.Request, right auth.Right) (auth.Identity, error) {
	if right == open {
		return auth.Identity{}, nil
	}
	who, err := s.identify(r)
	if errors.Is(err, auth.ErrUnknown) {
		return who, errLogin()
	}
	if err != nil {
		return who, err
	}
	if !who.May(right) {
		return who, auth.ErrForbidden
	}
	return who, nil
}

// identify takes a bearer token where there is one, and otherwise the login
// cookie.
func (s *Server) identify(r *http.Request) (auth.Identity, error) {
	if secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.Local.Check(secret)
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return auth.Identity{}, auth.ErrUnknown
	}
	return s.Logins.Check(r.Context(), cookie.Value)
}

func errLogin() error {
	return &fault{http.StatusUnauthorized, "log in first: open the link that the gateway printed in its terminal"}
}

// decode reads a body strictly.
func decode[T any](r *http.Request) (T, error) {
	var v T
	err := strictjson.DecodeReader(r.Body, &v)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return v, &fault{http.StatusRequestEntityTooLarge, "the body is too large"}
	case err != nil:
		return v, &fault{http.StatusBadRequest, err.Error()}
	}
	return v, nil
}

func handled(h http.Handler) func(http.ResponseWriter, *http.Request, auth.Identity) error {
	return func(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

func notFound(_ http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	return &fault{http.StatusNotFound, "there is no " + r.Method + " " + r.URL.Path}
}
