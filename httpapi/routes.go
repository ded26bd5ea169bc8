package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

const jsonType = "application/json"

type loginBody struct {
	Token string `json:"token"`
}

type identityBody struct {
	Identity auth.Identity `json:"identity"`
}

// login turns a link's one-time token into a cookie that scripts can't read
// and other sites' pages don't send.
func (s *Server) login(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	body, err := decode[loginBody](r)
	if err != nil {
		return err
	}
	who, err := s.Links.Redeem(body.Token)
	if err != nil {
		return &fault{http.StatusUnauthorized,
			"this login link is not valid, or has been used: the gateway prints a fresh one in its terminal each time"}
	}
	if s.LinkUsed != nil {
		s.LinkUsed() // also when what follows fails: nobody may be locked out
	}
	// The link is used up: a browser that has gone away must not waste it.
	secret, expires, err := s.Logins.Begin(context.WithoutCancel(r.Context()), who)
	if err != nil {
		return err
	}
	http.SetCookie(w, loginCookie(secret, expires))
	writeJSON(w, http.StatusOK, jsonType, identityBody{who})
	return nil
}

func loginCookie(secret string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: secret, Path: "/", Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return errLogin()
	}
	if err := s.Logins.End(r.Context(), cookie.Value); err != nil {
		return err
	}
	http.SetCookie(w, loginCookie("", time.Unix(1, 0)))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) me(w http.ResponseWriter, _ *http.Request, who auth.Identity) error {
	writeJSON(w, http.StatusOK, jsonType, identityBody{who})
	return nil
}

type ticketBody struct {
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (s *Server) ticket(w http.ResponseWriter, _ *http.Request, who auth.Identity) error {
	writeJSON(w, http.StatusOK, jsonType, ticketBody{
		Ticket: s.Tickets.Issue(who), ExpiresAt: time.Now().UTC().Add(s.TicketFor),
	})
	return nil
}

type agentsBody struct {
	Agents []agent.Info `json:"agents"`
}

func (s *Server) agents(w http.ResponseWriter, _ *http.Request, _ auth.Identity) error {
	writeJSON(w, http.StatusOK, jsonType, agentsBody{s.Backend.Agents.Agents()})
	return nil
}

type sessionsBody struct {
	Sessions []session.Session `json:"sessions"`
}

func (s *Server) sessions(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	list, err := s.Backend.Sessions.List(r.Context())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, sessionsBody{list})
	return nil
}

func (s *Server) session(w http.ResponseWriter, r *http.Request, _ auth.Identity) error {
	found, err := s.Backend.Sessions.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jsonType, found)
	return nil
}

// cancelSession ends a session for good, and answers with it.
func (s *Server) cancelSession(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	if err := s.Backend.Agents.End(r.Context(), who, door, r.PathValue("id")); err != nil {
		return err
	}
	return s.session(w, r, who)
}

type newSessionBody struct {
	AgentID string `json:"agentId"`
	Title   string `json:"title,omitempty"`
}

func (s *Server) newSession(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	body, err := decode[newSessionBody](r)
	if err != nil {
		return err
	}
	if body.AgentID == "" {
		return &fault{http.StatusUnprocessableEntity, "agentId: missing; GET /api/agents lists the agents"}
	}
	made, err := s.Backend.Agents.NewSession(r.Context(), who, body.AgentID, body.Title)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, jsonType, made)
	return nil
}

func health(w http.ResponseWriter, _ *http.Request, _ auth.Identity) error {
	writeJSON(w, http.StatusOK, jsonType, map[string]string{"status": "ok"})
	return nil
}
