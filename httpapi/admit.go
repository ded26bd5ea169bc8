package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/auth"
)

// Prefixes of a login cookie's name; the login's id follows. Browsers take the first only
// over TLS, from this host and for all its paths (RFC 6265bis, section 4.1.3.2), so that
// no neighbouring host can plant one. Without TLS there is no such protection.
const (
	secureCookie = "__Host-lineclear_login_"
	plainCookie  = "lineclear_login_"
)

// csrfHeader carries a login's proof (auth.Proof) with every request. Cookies are sent to
// every port of a host; what our page stores is not.
const csrfHeader = "X-Lineclear-Csrf"

// maxPlanted is how many cookies of one name are looked at: others may have been planted.
const maxPlanted = 8

// admit says who asks, and refuses who may not. The request's context is from
// then on that of the access: it ends when what let it in is revoked.
func (s *Server) admit(c *call) (leave context.CancelFunc, err error) {
	if c.route.Right == open {
		if !s.limits.addresses.Allow(s.address(c.r)) && !s.isKnown(c.r) {
			return nil, errTooMany("too many requests come from this address")
		}
		return func() {}, nil
	}
	who, access, leave, err := s.identify(c.r)
	if errors.Is(err, auth.ErrUnknown) {
		return nil, s.stranger(c.r)
	}
	if err != nil {
		return nil, err
	}
	left := recognised(c.r, who.Root)
	c.who, c.r = who, c.r.WithContext(access)
	s.Keyring.Used(who.Credential, s.peer(c.r))
	free, ok := s.Places.Take(who)
	out := leave
	leave = func() {
		left()
		free()
		out()
	}
	switch {
	case !ok:
		err = errTooMany("too many tabs, streams and requests are open with this login or token")
	case !s.limits.identities.Allow(who.Root):
		err = errTooMany("too many requests with this login or token")
	case !who.May(c.route.Right) && !who.May(c.route.Or):
		err = c.who.Forbidden(c.route.Right, c.route.Or)
	}
	if err == nil {
		err = s.mayWrite(c)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// identify takes a bearer token where there is one, and otherwise the login cookie with
// its proof.
func (s *Server) identify(r *http.Request) (auth.Identity, context.Context, context.CancelFunc, error) {
	if given := r.Header.Values("Authorization"); len(given) > 0 {
		secret, ok := strings.CutPrefix(given[0], "Bearer ")
		if !ok || len(given) > 1 {
			return auth.Identity{}, nil, nil, auth.ErrUnknown
		}
		return s.Keyring.Authenticate(r.Context(), secret, auth.KindToken, auth.KindTerminal, auth.KindLocal)
	}
	proof := r.Header.Get(csrfHeader)
	id := auth.LoginOf(proof)
	who, access, leave, err := s.holder(r, id)
	if err == nil && !s.Keyring.Proven(id, proof) {
		leave()
		return auth.Identity{}, nil, nil, auth.ErrUnknown
	}
	return who, access, leave, err
}

// holder finds the cookie of a login; one that was planted beside it shuts nobody out.
func (s *Server) holder(r *http.Request, login string) (auth.Identity, context.Context, context.CancelFunc, error) {
	failed := auth.ErrUnknown
	for i, cookie := range r.CookiesNamed(s.cookieName(r, login)) {
		if i == maxPlanted {
			break
		}
		who, access, leave, err := s.Keyring.Authenticate(r.Context(), cookie.Value, auth.KindLogin)
		switch {
		case err == nil && who.Credential == login:
			return who, access, leave, nil
		case err == nil:
			leave()
		case !errors.Is(err, auth.ErrUnknown):
			failed = err // whether it is known could not be found out
		}
	}
	return auth.Identity{}, nil, nil, failed
}

// isKnown reports whether a request to an open route carries a valid login or token that is
// within its own rate. It is served even if strangers at the same address are over theirs.
func (s *Server) isKnown(r *http.Request) bool {
	logins := []string{}
	for _, cookie := range r.Cookies() {
		if id, ok := strings.CutPrefix(cookie.Name, s.cookieName(r, "")); ok && len(logins) < maxPlanted {
			logins = append(logins, id)
		}
	}
	who, _, leave, err := s.identify(r)
	for i := 0; err != nil && i < len(logins); i++ {
		who, _, leave, err = s.holder(r, logins[i])
	}
	if err != nil {
		return false
	}
	leave()
	return s.limits.known.Allow(who.Root) // counted apart, since browsers send the cookie to other ports of the host, too
}

// stranger is the refusal of a request without a valid login or token. Whoever guesses
// many is told to wait; a valid one is always let in.
func (s *Server) stranger(r *http.Request) error {
	if _, _, leave, err := s.holder(r, auth.LoginOf(r.Header.Get(csrfHeader))); err == nil {
		leave() // the cookie is valid, but the proof is too old or from before a restart
		return &fault{http.StatusUnauthorized, "the proof of this login has expired: get another with POST /api/login/proof, or log in again"}
	}
	if !s.limits.addresses.Allow(s.address(r)) {
		return errTooMany("too many requests come from this address")
	}
	if end, ok := s.Keyring.EndOf(auth.LoginOf(r.Header.Get(csrfHeader)), r.Header.Get(csrfHeader)); ok {
		return &endedError{end}
	}
	none := r.Header.Get("Authorization") == "" && r.Header.Get(csrfHeader) == ""
	if !none && !s.limits.failures.Allow(s.address(r)) {
		return errTooMany("too many logins and tokens that are not valid came from this address")
	}
	return &fault{http.StatusUnauthorized, "log in first: open the link that the gateway printed in its terminal, or send a token"}
}

// cookieName is the name of a login's cookie, its own, so that no other is taken for it.
func (s *Server) cookieName(r *http.Request, login string) string {
	if s.Origins.Secure(r) {
		return secureCookie + login
	}
	return plainCookie + login
}

func (s *Server) loginCookie(r *http.Request, login, secret string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(r, login), Value: secret, Path: "/", Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.Origins.Secure(r),
	}
}

func errTooMany(what string) error {
	return &fault{http.StatusTooManyRequests, what + ": wait a moment and try again"}
}

// about is what the log says of a request; never more of its address than the
// path, and no header.
func (s *Server) about(r *http.Request) []zap.Field {
	return []zap.Field{
		zap.String("requestId", r.Header.Get(requestID)),
		zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.String("from", s.address(r)),
	}
}
