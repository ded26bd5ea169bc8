package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/lineclear/lineclear/auth"
)

type loginBody struct {
	Token string `json:"token"`
}

type identityBody struct {
	Identity auth.Identity `json:"identity"`
}

// login turns a link's one-time token into a cookie that scripts can't read
// and other sites' pages don't send.
func (s *Server) login(c *call, in loginBody) (identityBody, error) {
	who, err := s.Links.Redeem(in.Token)
	if err != nil {
		return identityBody{}, &fault{http.StatusUnauthorized,
			"this login link is not valid, or has been used: the gateway prints a fresh one in its terminal each time"}
	}
	if s.LinkUsed != nil {
		s.LinkUsed() // also when what follows fails: nobody may be locked out
	}
	// The link is used up: a browser that has gone away must not waste it.
	secret, expires, err := s.Logins.Begin(context.WithoutCancel(c.r.Context()), who)
	if err != nil {
		return identityBody{}, err
	}
	http.SetCookie(c.w, loginCookie(secret, expires))
	return identityBody{who}, nil
}

func loginCookie(secret string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: secret, Path: "/", Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

func (s *Server) logout(c *call, _ none) (none, error) {
	cookie, err := c.r.Cookie(cookieName)
	if err != nil {
		return none{}, errLogin()
	}
	if err := s.Logins.End(c.r.Context(), cookie.Value); err != nil {
		return none{}, err
	}
	http.SetCookie(c.w, loginCookie("", time.Unix(1, 0)))
	return none{}, nil
}

func (s *Server) me(c *call, _ none) (identityBody, error) { return identityBody{c.who}, nil }

type ticketBody struct {
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (s *Server) ticket(c *call, _ none) (ticketBody, error) {
	return ticketBody{Ticket: s.Tickets.Issue(c.who), ExpiresAt: time.Now().UTC().Add(s.TicketFor)}, nil
}
