package httpapi

import (
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
)

// What an identity that is for some agents sees: of the others it learns
// nothing, not even that there is something. inScope holds every address that
// names a session, a request or an agent against it before the route is asked;
// what lists such things is filtered here.

// inScope refuses what the address names and the identity is not for, as if it
// were not there.
func (s *Server) inScope(c *call) error {
	if len(c.who.Agents) == 0 {
		return nil
	}
	_, path, _ := strings.Cut(c.route.Pattern, " ")
	id := c.r.PathValue("id")
	switch {
	case strings.HasPrefix(path, "/api/sessions/{id}"):
		return s.Door.InScope(c.r.Context(), c.who, id)
	case strings.HasPrefix(path, "/api/approvals/{id}"):
		row, err := s.Door.Get(c.r.Context(), id)
		if err == nil && !c.who.Covers(row.AgentID) {
			err = approval.ErrUnknown
		}
		return err
	case strings.HasPrefix(path, "/api/agents/{id}") && !c.who.Covers(id):
		return gate.ErrNoAgent
	}
	if sessionID := c.query("sessionId"); sessionID != "" {
		return s.Door.InScope(c.r.Context(), c.who, sessionID)
	}
	return nil
}
