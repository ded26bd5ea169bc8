package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lineclear/lineclear/auth"
)

type tokensBody struct {
	Tokens []auth.Credential `json:"tokens"`
}

func (s *Server) tokens(c *call, _ none) (tokensBody, error) {
	list, err := s.Keyring.List(c.who, auth.KindToken)
	return tokensBody{list}, err
}

type newTokenBody struct {
	Token  auth.Credential `json:"token"`
	Secret string          `json:"secret"` // what is sent as the bearer token; it can't be had again
}

func (s *Server) newToken(c *call, in auth.Access) (newTokenBody, error) {
	if err := s.checkAgents(c, in.Agents); err != nil {
		return newTokenBody{}, err
	}
	made, secret, err := s.Keyring.NewToken(c.r.Context(), c.who, in)
	return newTokenBody{made, secret}, err
}

type loginsBody struct {
	Logins []auth.Credential `json:"logins"`
}

func (s *Server) logins(c *call, _ none) (loginsBody, error) {
	list, err := s.Keyring.List(c.who, auth.KindLogin, auth.KindTerminal)
	return loginsBody{list}, err
}

// changeCredential makes a token or a login another one; who is in by it comes
// in again as what it is now.
func (s *Server) changeCredential(c *call, in auth.Change) (auth.Credential, error) {
	if err := s.checkAgents(c, in.Agents); err != nil {
		return auth.Credential{}, err
	}
	return s.Keyring.Update(c.r.Context(), c.who, c.r.PathValue("id"), in)
}

func (s *Server) revokeCredential(c *call, _ none) (auth.Credential, error) {
	return s.Keyring.Revoke(c.r.Context(), c.who, c.r.PathValue("id"))
}

type newLinkBody struct {
	URL       string    `json:"url"`       // what the person opens
	ExpiresAt time.Time `json:"expiresAt"` // when it ends
}

// checkAgents refuses access for an agent that there is not: it may be a slip.
func (s *Server) checkAgents(c *call, scope auth.Scope) error {
	if len(scope.Named()) == 0 {
		return nil
	}
	var known []string
	for _, a := range s.Door.Agents(c.who) {
		known = append(known, a.AgentID)
	}
	for _, name := range scope.Named() {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%w: agents: there is no agent %q; there are %s", auth.ErrInvalid, name, strings.Join(known, ", "))
		}
	}
	return nil
}

// newLink makes a link that logs one person in, once.
func (s *Server) newLink(c *call, in auth.Access) (newLinkBody, error) {
	if err := s.checkAgents(c, in.Agents); err != nil {
		return newLinkBody{}, err
	}
	token, err := s.Keyring.Invite(c.r.Context(), c.who, in, s.Links)
	return newLinkBody{URL: s.LinkBase + "/#login=" + token, ExpiresAt: time.Now().UTC().Add(s.LinkFor)}, err
}

// firstLink makes the link that logs in the first admin. It needs the local key.
func (s *Server) firstLink(c *call, _ none) (newLinkBody, error) {
	token, err := s.Keyring.InviteFirst(c.r.Context(), c.who, s.LinkOwner, s.Links)
	if err == nil {
		s.log.Warn("a link for the first admin was made with the local key", s.about(c.r)...)
	}
	return newLinkBody{URL: s.LinkBase + "/#login=" + token, ExpiresAt: time.Now().UTC().Add(s.LinkFor)}, err
}
