package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/lineclear/lineclear/auth"
)

type loginBody struct {
	Token string `json:"token"`         // of a login link, or one that was made for a person or program
	Key   string `json:"key,omitempty"` // the page's public key (ECDSA P-256, SubjectPublicKeyInfo, base64url); without one the login lasts 12 hours at most
}

type identityBody struct {
	Identity auth.Identity `json:"identity"`

	LocalKeyAnswers bool `json:"localKeyAnswers,omitzero"` // programs of the gateway's user can answer, including agents
	Cluster         bool `json:"cluster,omitzero"`         // the gateway is one of several: GET /api/nodes lists them
}

// loggedInBody is the answer to a login.
type loggedInBody struct {
	Identity        auth.Identity `json:"identity"`
	LocalKeyAnswers bool          `json:"localKeyAnswers,omitzero"` // as of GET /api/me
	Cluster         bool          `json:"cluster,omitzero"`         // the gateway is one of several
	Login           string        `json:"loginId"`                  // these three as of POST /api/login/proof
	CSRF            string        `json:"csrf"`                     // the value of X-Lineclear-Csrf, with every request
	ExpiresAt       time.Time     `json:"expiresAt"`                // of a login with a key: then POST /api/login/proof gives a new one
}

// proofBody is what a login's page sends beside the cookie.
type proofBody struct {
	Login     string    `json:"loginId"`   // the login's id
	CSRF      string    `json:"csrf"`      // the value of X-Lineclear-Csrf, with every request
	ExpiresAt time.Time `json:"expiresAt"` // of a login with a key: then POST /api/login/proof gives a new one
}

// login turns a link's one-time token, or a lasting one, into a cookie that
// scripts can't read and other sites' pages don't send.
func (s *Server) login(c *call, in loginBody) (loggedInBody, error) {
	if err := auth.CheckKey(in.Key); err != nil { // before the link is used up
		return loggedInBody{}, err
	}
	who, err := s.bearer(c, in.Token)
	if err != nil {
		return loggedInBody{}, err
	}
	// The link is used up: a browser that has gone away must not waste it.
	page := auth.Page{Key: in.Key, Browser: auth.BrowserOf(c.r.UserAgent())}
	login, secret, proof, err := s.Keyring.NewLogin(context.WithoutCancel(c.r.Context()), who, page)
	if err != nil {
		return loggedInBody{}, err
	}
	s.Keyring.Used(login.ID, s.peer(c.r))
	if before := auth.LoginOf(c.r.Header.Get(csrfHeader)); before != "" {
		http.SetCookie(c.w, s.loginCookie(c.r, before, "", time.Unix(1, 0)))
	}
	http.SetCookie(c.w, s.loginCookie(c.r, login.ID, secret, login.ExpiresAt))
	return loggedInBody{login.Identity(), s.LocalKeyAnswers, s.Nodes != nil, login.ID, proof.Text, proof.ExpiresAt}, nil
}

// look says as whom a link logs in, and leaves it unused.
func (s *Server) look(c *call, in loginBody) (identityBody, error) {
	who, err := s.Links.Look(c.r.Context(), in.Token)
	if errors.Is(err, auth.ErrUnknown) {
		who, err = s.Keyring.LookAt(c.r.Context(), in.Token)
	}
	if errors.Is(err, auth.ErrUnknown) {
		err = s.badLogin(c)
	}
	return identityBody{Identity: who}, err
}

type challengeBody struct {
	Challenge string `json:"challenge"` // to be signed, good for a minute
}

func (s *Server) challenge(*call, none) (challengeBody, error) {
	return challengeBody{s.Keyring.Challenge()}, nil
}

type signedBody struct {
	Login     string `json:"loginId"`   // the login's id
	Challenge string `json:"challenge"` // as it was given
	Signature string `json:"signature"` // of "lineclear login LOGINID CHALLENGE" (ECDSA, SHA-256): r and s, 32 bytes each, base64url
}

// prove gives a page that holds a login's key a fresh proof.
func (s *Server) prove(c *call, in signedBody) (proofBody, error) {
	if end, ok := s.Keyring.SignedEnd(in.Login, in.Challenge, in.Signature); ok {
		return proofBody{}, &endedError{end}
	}
	_, _, leave, err := s.holder(c.r, in.Login)
	if errors.Is(err, auth.ErrUnknown) {
		err = s.badLogin(c)
	}
	if err != nil {
		return proofBody{}, err
	}
	defer leave()
	proof, err := s.Keyring.Prove(in.Login, in.Challenge, in.Signature)
	if err != nil {
		return proofBody{}, s.badLogin(c)
	}
	return proofBody{in.Login, proof.Text, proof.ExpiresAt}, nil
}

// bearer is who shows the token of a link, or a lasting one.
func (s *Server) bearer(c *call, token string) (auth.Identity, error) {
	if auth.TokenSecret.Is(token) {
		who, _, leave, err := s.Keyring.Authenticate(c.r.Context(), token, auth.KindToken)
		if err == nil {
			leave()
			if !s.limits.identities.Allow(who.Root) {
				return who, errTooMany("too many logins with this token")
			}
			c.who = who
			return who, s.mayWrite(c)
		}
	} else if who, err := s.Links.Redeem(c.r.Context(), token); err == nil {
		if s.LinkUsed != nil && who.Subject == s.LinkOwner {
			s.LinkUsed() // also when what follows fails: nobody may be locked out
		}
		return who, nil
	} else if !errors.Is(err, auth.ErrUnknown) {
		return who, err
	}
	who, err := s.Keyring.Redeem(c.r.Context(), token)
	if errors.Is(err, auth.ErrUnknown) {
		err = s.badLogin(c)
	}
	return who, err
}

// badLogin refuses a login that is not valid; whoever tries one after the other waits.
func (s *Server) badLogin(c *call) error {
	if !s.limits.failures.Allow(s.address(c.r)) {
		return errTooMany("too many logins that are not valid came from this address")
	}
	return &fault{http.StatusUnauthorized,
		"this login, link or token is not valid, or has been used: the gateway prints a fresh link in its terminal each time"}
}

func (s *Server) logout(c *call, _ none) (none, error) {
	if _, err := s.Keyring.Revoke(c.r.Context(), c.who, c.who.Credential); err != nil {
		return none{}, err
	}
	http.SetCookie(c.w, s.loginCookie(c.r, c.who.Credential, "", time.Unix(1, 0)))
	return none{}, nil
}

func (s *Server) me(c *call, _ none) (identityBody, error) {
	return identityBody{Identity: c.who, LocalKeyAnswers: s.LocalKeyAnswers, Cluster: s.Nodes != nil}, nil
}

type ticketBody struct {
	Ticket    string    `json:"ticket"`    // what is offered as the subprotocol ticket.TICKET
	ExpiresAt time.Time `json:"expiresAt"` // when it ends
}

func (s *Server) ticket(c *call, _ none) (ticketBody, error) {
	ticket, err := s.Tickets.Issue(c.r.Context(), c.who)
	return ticketBody{Ticket: ticket, ExpiresAt: time.Now().UTC().Add(s.TicketFor)}, err
}
