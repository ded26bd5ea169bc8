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
	list, err := s.credentials(c, auth.KindToken)
	return tokensBody{list}, err
}

// credentials lists them, also those that another gateway has made just now.
func (s *Server) credentials(c *call, kinds ...auth.Kind) ([]auth.Credential, error) {
	if err := s.Keyring.CatchUp(c.r.Context()); err != nil {
		return nil, err
	}
	return s.Keyring.List(c.who, kinds...)
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
	Own    string            `json:"own,omitempty"` // the id of the caller's own login; left out for a token
}

func (s *Server) logins(c *call, _ none) (loginsBody, error) {
	list, err := s.credentials(c, auth.KindLogin, auth.KindTerminal)
	body := loginsBody{Logins: list}
	if slices.ContainsFunc(list, func(l auth.Credential) bool { return l.ID == c.who.Credential }) {
		body.Own = c.who.Credential
	}
	return body, err
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

type removedBody struct {
	Removed []auth.Credential `json:"removed"` // the logins and tokens that were ended
}

func (s *Server) removePerson(c *call, _ none) (removedBody, error) {
	list, err := s.Keyring.RemovePerson(c.r.Context(), c.who, c.r.PathValue("subject"))
	return removedBody{list}, err
}

type newLinkBody struct {
	ID        string    `json:"id,omitempty"` // the invitation's id; left out for the first admin's link
	URL       string    `json:"url"`          // what the person opens
	ExpiresAt time.Time `json:"expiresAt"`    // when the link expires
}

type linksBody struct {
	Links []auth.Invitation `json:"links"`
}

func (s *Server) links(c *call, _ none) (linksBody, error) {
	if err := s.Keyring.CatchUp(c.r.Context()); err != nil {
		return linksBody{}, err
	}
	list, err := s.Keyring.Invitations(c.who)
	return linksBody{list}, err
}

// checkAgents refuses access for an agent that does not exist: it may be a slip.
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
	made, token, err := s.Keyring.Invite(c.r.Context(), c.who, in, s.LinkFor)
	return s.linkOf(made, token), err
}

// linkAgain makes a new link for the person of an invitation. The old link ends.
func (s *Server) linkAgain(c *call, _ none) (newLinkBody, error) {
	made, token, err := s.Keyring.InviteAgain(c.r.Context(), c.who, c.r.PathValue("id"), s.LinkFor)
	return s.linkOf(made, token), err
}

func (s *Server) linkOf(made auth.Invitation, token string) newLinkBody {
	return newLinkBody{ID: made.ID, URL: s.LinkBase + "/#login=" + token, ExpiresAt: made.ExpiresAt}
}

func (s *Server) withdrawLink(c *call, _ none) (auth.Invitation, error) {
	return s.Keyring.Withdraw(c.r.Context(), c.who, c.r.PathValue("id"))
}

// firstLink makes the link that logs in the first admin. It needs the local key.
func (s *Server) firstLink(c *call, _ none) (newLinkBody, error) {
	token, err := s.Keyring.InviteFirst(c.r.Context(), c.who, s.LinkOwner, s.Links)
	if err == nil {
		s.log.Warn("a link for the first admin was made with the local key", s.about(c.r)...)
	}
	return newLinkBody{URL: s.LinkBase + "/#login=" + token, ExpiresAt: time.Now().UTC().Add(s.LinkFor)}, err
}
