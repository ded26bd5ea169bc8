package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/lineclear/lineclear/auth"
)

type loginBody struct {
	Token string `json:"token"` // of a login link, or one that was made for a person or program
}

type identityBody struct {
	Identity auth.Identity `json:"identity"`
	CSRF     string        `json:"csrf,omitempty"` // in the response to a login only: the value of X-Lineclear-Csrf

	LocalKeyAnswers bool `json:"localKeyAnswers,omitzero"` // programs of the gateway's user can answer, including agents
}

// login turns a link's one-time token, or a lasting one, into a cookie that
// scripts can't read and other sites' pages don't send.
func (s *Server) login(c *call, in loginBody) (identityBody, error) {
	who, err := s.bearer(c, in.Token)
	if err != nil {
		return identityBody{}, err
	}
	// The link is used up: a browser that has gone away must not waste it.
	login, secret, proof, err := s.Keyring.NewLogin(context.WithoutCancel(c.r.Context()), who)
	if err != nil {
		return identityBody{}, err
	}
	http.SetCookie(c.w, s.loginCookie(c.r, secret, login.ExpiresAt))
	return identityBody{Identity: login.Identity(), CSRF: proof, LocalKeyAnswers: s.LocalKeyAnswers}, nil
}

// bearer is who shows the token of a link, or a lasting one.
func (s *Server) bearer(c *call, token string) (auth.Identity, error) {
	if strings.HasPrefix(token, auth.TokenPrefix) {
		who, _, leave, err := s.Keyring.Authenticate(c.r.Context(), token, auth.KindToken)
		if err == nil {
			leave()
			return who, nil
		}
	} else if who, err := s.Links.Redeem(token); err == nil {
		if s.LinkUsed != nil && who.Subject == s.LinkOwner {
			s.LinkUsed() // also when what follows fails: nobody may be locked out
		}
		return who, nil
	}
	if !s.limits.failures.allow(s.address(c.r)) {
		return auth.Identity{}, errTooMany("too many logins that are not valid came from this address")
	}
	return auth.Identity{}, &fault{http.StatusUnauthorized,
		"this login link or token is not valid, or has been used: the gateway prints a fresh link in its terminal each time"}
}

func (s *Server) logout(c *call, _ none) (none, error) {
	if _, err := s.Keyring.Revoke(c.r.Context(), c.who, c.who.Credential); err != nil {
		return none{}, err
	}
	http.SetCookie(c.w, s.loginCookie(c.r, "", time.Unix(1, 0)))
	return none{}, nil
}

func (s *Server) me(c *call, _ none) (identityBody, error) {
	return identityBody{Identity: c.who, LocalKeyAnswers: s.LocalKeyAnswers}, nil
}

type ticketBody struct {
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (s *Server) ticket(c *call, _ none) (ticketBody, error) {
	return ticketBody{Ticket: s.Tickets.Issue(c.who), ExpiresAt: time.Now().UTC().Add(s.TicketFor)}, nil
}
